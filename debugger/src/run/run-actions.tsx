/** What can be done with a run: compare, fork, check its recording, take it away as a file, cancel. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ReplayReport } from '../../../src/replay/replay-report.ts';
import type { RunRow } from '../../../src/server/wire.ts';
import { runPath, systemQuery } from '../app/queries.ts';
import { say } from '../app/spoken.tsx';
import { useActions } from '../keys/actions.ts';
import { ask, askJson, wordsOf } from '../wire/request.ts';
import { lineOf } from '../words/foreign.tsx';

const ForkDialog = lazy(async () => ({ default: (await import('./fork-dialog.tsx')).ForkDialog }));
const CompareDialog = lazy(async () => ({ default: (await import('./compare-dialog.tsx')).CompareDialog }));

export function RunActions({
  run,
  step,
}: {
  readonly run: RunRow;
  readonly step: number | undefined;
}): React.ReactNode {
  const { runId, kind, state } = run;
  const { data: system } = useQuery(systemQuery);
  const [dialog, setDialog] = useState<'fork' | 'compare'>();
  const replay = useMutation({
    mutationFn: () => askJson<ReplayReport>(runPath(runId, 'replay'), { method: 'POST', body: {} }),
    onSuccess: (report) => say(replayWords(report)),
    onError: (error) => say(wordsOf(error).what),
  });
  const cancel = useMutation({
    mutationFn: () => ask(runPath(runId, 'cancel'), { method: 'POST', body: { reason: 'asked for in the debugger' } }),
    onSuccess: () => say('Cancelling'),
    onError: (error) => say(wordsOf(error).what),
  });
  const mayRun = system !== undefined && !system.isReadOnly && system.scopes.includes('run');
  const canFork = mayRun && kind === 'agent';
  useActions({
    fork: () => {
      // A key that comes before the server has said what is allowed is not lost.
      if (system === undefined || canFork) setDialog('fork');
      else say(mayRun ? 'Only runs of agents are forked.' : 'This server, or its token, only reads.');
    },
  });
  const close = (): void => setDialog(undefined);
  return (
    <span className="run-actions">
      <button type="button" className="button small" onClick={() => setDialog('compare')}>
        Compare
      </button>
      {canFork ? (
        <button
          type="button"
          className="button small"
          title="Go on from a step with something changed (F)"
          onClick={() => setDialog('fork')}
        >
          Fork
        </button>
      ) : undefined}
      <button
        type="button"
        className="button small"
        title="Decide the recording again, without a model and without a tool, and compare it byte by byte"
        disabled={replay.isPending}
        onClick={() => replay.mutate()}
      >
        Check
      </button>
      <button
        type="button"
        className="button small"
        title="The whole run as a file"
        onClick={() => void takeAway(runId)}
      >
        Export
      </button>
      {state !== 'ended' && mayRun ? (
        <button
          type="button"
          className="button small danger"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </button>
      ) : undefined}
      <Checked runId={runId} report={replay.data} />
      <Suspense>
        {dialog === 'fork' && canFork ? <ForkDialog run={run} step={step} onClose={close} /> : undefined}
        {dialog === 'compare' ? <CompareDialog runId={runId} onClose={close} /> : undefined}
      </Suspense>
    </span>
  );
}

/** What came of the check, for as long as the run is looked at: with the way to the entry at which a recording is not what it should be. */
function Checked(props: { readonly runId: string; readonly report: ReplayReport | undefined }): React.ReactNode {
  const { runId, report } = props;
  if (report === undefined) return undefined;
  if (report.difference === undefined) return <span className="tone-good">byte-equal</span>;
  const { seq } = report.difference;
  return (
    <Link to="/runs/$runId/raw" params={{ runId }} search={{ seq: String(seq) }} className="tone-bad">
      differs at entry {seq}
    </Link>
  );
}

function replayWords({ isSame, checked, uncheckedCount, difference }: ReplayReport): string {
  if (!isSame) return `The recording differs: ${lineOf(difference?.message ?? 'somewhere', 200)}`;
  const rest = uncheckedCount === 0 ? '' : `, ${uncheckedCount} could not be recomputed here`;
  return `Decided again and byte-equal: ${checked} entries${rest}`;
}

/** A link could carry no token, so the file is asked for and handed over. */
async function takeAway(runId: string): Promise<void> {
  try {
    const response = await ask(runPath(runId, 'export'));
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = address;
    link.download = `${runId.replaceAll(/[^\w.-]/gu, '_')}.axle.jsonl`;
    link.click();
    URL.revokeObjectURL(address);
  } catch (error) {
    say(wordsOf(error).what);
  }
}
