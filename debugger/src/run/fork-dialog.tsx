/** Another run that begins with the steps of this one, and goes on with something changed. Recorded side effects are not performed again. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AgentRow, Page, RunRow } from '../../../src/server/wire.ts';
import { Dialog, DialogHead } from '../app/dialog.tsx';
import { runPath } from '../app/queries.ts';
import { askJson, wordsOf } from '../wire/request.ts';
import { lineOf } from '../words/foreign.tsx';

export interface ForkDialogProps {
  readonly run: RunRow;
  /** The step that is looked at. */
  readonly step: number | undefined;
  readonly onClose: () => void;
}

/** Names the request, so that one that is sent twice makes one fork. `randomUUID` is missing where the page came over plain HTTP. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function ForkDialog({ run, step, onClose }: ForkDialogProps): React.ReactNode {
  const { runId, subject } = run;
  const navigate = useNavigate();
  const { data: agents } = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => askJson<Page<AgentRow>>('/v1/agents', { signal }),
  });
  const [at, setAt] = useState(String(step ?? Math.max(1, run.steps)));
  const [instructions, setInstructions] = useState('');
  const [input, setInput] = useState('');
  const [live, setLive] = useState('');
  const [key] = useState(newKey);
  const fork = useMutation({
    mutationFn: () =>
      askJson<RunRow>(runPath(runId, 'fork'), {
        method: 'POST',
        headers: { 'idempotency-key': key },
        body: {
          at: Number(at),
          ...(instructions.trim() === '' ? {} : { instructions }),
          ...(input.trim() === '' ? {} : { input }),
          ...(live.trim() === '' ? {} : { live: live.split(',').map((tool) => tool.trim()) }),
        },
      }),
    onSuccess: (made) => {
      onClose();
      void navigate({ to: '/runs/$runId/compare/$other', params: { runId, other: made.runId } });
    },
  });
  const known = agents?.items.find(({ name }) => name === subject);
  return (
    <Dialog label="Fork" onClose={onClose}>
      <form
        className="fork"
        onSubmit={(event) => {
          event.preventDefault();
          fork.mutate();
        }}
      >
        <DialogHead title={<>Fork {lineOf(subject, 60)}</>} onClose={onClose} />
        <div className="fork-fields">
          <label>
            First step that is made anew
            <input
              className="field"
              type="number"
              min={1}
              max={run.steps + 1}
              required
              value={at}
              onChange={({ target }) => setAt(target.value)}
            />
          </label>
          <label>
            Instructions <span className="faint">(as they were when empty)</span>
            <textarea
              className="field"
              rows={4}
              placeholder={known === undefined ? '' : lineOf(known.instructions, 400)}
              value={instructions}
              onChange={({ target }) => setInstructions(target.value)}
            />
          </label>
          <label>
            What it is asked <span className="faint">(as it was when empty)</span>
            <textarea
              className="field"
              rows={3}
              placeholder={lineOf(run.goal ?? '', 200)}
              value={input}
              onChange={({ target }) => setInput(target.value)}
            />
          </label>
          <label>
            Tools whose side effects may be performed anew{' '}
            <span className="faint">(names with commas; none when empty)</span>
            <input className="field" type="text" value={live} onChange={({ target }) => setLive(target.value)} />
          </label>
          <p className="soft">
            Side effects of this run are answered by what became of them. One that it did not have is denied, unless its
            tool is named above; policy is asked in any case. Reads are performed anew.
          </p>
          {fork.error === null ? undefined : (
            <p role="alert" className="tone-bad">
              {lineOf(wordsOf(fork.error).what, 600)}
            </p>
          )}
          <button type="submit" className="button main" disabled={fork.isPending}>
            Fork and compare
          </button>
        </div>
      </form>
    </Dialog>
  );
}
