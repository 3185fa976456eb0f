/** What the model saw in one call, block by block, and what is different from another call. Made again from the journal, and proved by its hash. */
import './context.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ContextView } from '../../../src/inspect/context/context-view.ts';
import { runPath, withSearch } from '../app/queries.ts';
import { Failed, Loading, Notice } from '../app/states.tsx';
import { useActions } from '../keys/actions.ts';
import { TallList } from '../rows/tall-list.tsx';
import { useChange } from '../run/use-change.ts';
import { useRunView } from '../run/use-run-feed.ts';
import { askJson } from '../wire/request.ts';
import { Block } from './block.tsx';
import { CallPicker } from './call-picker.tsx';
import { callOfSpan, modelCallsOf } from './model-calls.ts';
import { Summary } from './summary.tsx';

export function ContextTab(): React.ReactNode {
  const { table, runId } = useRunView();
  const search = useSearch({ from: '/runs/$runId' });
  const change = useChange();
  const calls = useMemo(() => modelCallsOf(table), [table]);
  const selected = search.span === undefined ? -1 : table.columns.indexOf(search.span);
  const current =
    calls.find(({ seq }) => String(seq) === search.seq) ?? callOfSpan(calls, table, selected) ?? calls.at(-1);
  const place = current === undefined ? -1 : calls.indexOf(current);
  const go = (to: number): void => {
    const call = calls[Math.max(0, Math.min(calls.length - 1, to))];
    if (call !== undefined) change({ seq: String(call.seq) });
  };
  const [onlyChanges, setOnlyChanges] = useState(false);
  useActions({
    difference: () => setOnlyChanges(!onlyChanges),
    'row-next': () => go(place + 1),
    'row-previous': () => go(place - 1),
    'row-first': () => go(0),
    'row-last': () => go(calls.length - 1),
  });
  if (current === undefined) {
    return (
      <Notice title="No model was called in this run">
        <p>A single call of a tool and the taking back of a run need none.</p>
      </Notice>
    );
  }
  return (
    <div className="view">
      <CallPicker
        calls={calls}
        current={current}
        against={search.against}
        onGo={go}
        onAgainst={(against) => change({ against })}
      />
      <Seen
        key={runId}
        path={withSearch(runPath(runId, 'context', String(current.seq)), { against: search.against })}
        runId={runId}
        onlyChanges={onlyChanges}
        onOnlyChanges={setOnlyChanges}
      />
    </div>
  );
}

interface SeenProps {
  readonly path: string;
  readonly runId: string;
  readonly onlyChanges: boolean;
  readonly onOnlyChanges: (only: boolean) => void;
}

function Seen({ path, runId, onlyChanges, onOnlyChanges }: SeenProps): React.ReactNode {
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['context', path],
    queryFn: ({ signal }) => askJson<ContextView>(path, { signal }),
    placeholderData: keepPreviousData,
    // What a model saw never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [text, setText] = useState('');
  const blocks = useMemo(() => {
    const wanted = text.toLowerCase();
    return (data?.blocks ?? []).filter(
      (block) =>
        (!onlyChanges || block.change !== 'same') &&
        (wanted === '' || `${block.kind} ${block.provenance.tool ?? ''} ${block.text}`.toLowerCase().includes(wanted)),
    );
  }, [data, onlyChanges, text]);
  if (data === undefined) {
    return error === null ? (
      <Loading what="what the model saw" />
    ) : (
      <Failed error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <div className={isPlaceholderData ? 'context older' : 'context'}>
      <Summary view={data} />
      <div className="view-tools">
        <label className="check">
          <input type="checkbox" checked={onlyChanges} onChange={({ target }) => onOnlyChanges(target.checked)} />
          only what is different <kbd>d</kbd>
        </label>
        <input
          type="search"
          className="field"
          aria-label="Find in the blocks"
          placeholder="Find in the blocks …"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <span className="faint figure" role="status">
          {blocks.length === data.blocks.length
            ? `${data.blocks.length} blocks`
            : `${blocks.length} of ${data.blocks.length} blocks`}
        </span>
      </div>
      <TallList
        label="Blocks in the order in which the model read them"
        count={blocks.length}
        guessPx={110}
        keyOf={(place) => blocks[place]?.id ?? place}
        render={(place) => {
          const block = blocks[place];
          return block === undefined ? undefined : <Block runId={runId} seq={data.seq} block={block} />;
        }}
      />
    </div>
  );
}
