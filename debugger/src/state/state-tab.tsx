/** The state of the run after any entry, and what that entry changed in it. */
import './state.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { StateAt } from '../../../src/inspect/state/state-at.ts';
import { runPath, withSearch } from '../app/queries.ts';
import { Failed, Loading } from '../app/states.tsx';
import { ValueView } from '../json/value-view.tsx';
import { useActions } from '../keys/actions.ts';
import { useChange } from '../run/use-change.ts';
import { useRunView } from '../run/use-run-feed.ts';
import { askJson } from '../wire/request.ts';
import { lineOf } from '../words/foreign.tsx';
import { clockText } from '../words/time-text.ts';
import { Moment } from '../words/moment.tsx';

export function StateTab(): React.ReactNode {
  const { table, runId } = useRunView();
  const search = useSearch({ from: '/runs/$runId' });
  const change = useChange();
  const { columns } = table;
  const lastSeq = columns.seq;
  const selected = search.span === undefined ? -1 : columns.indexOf(search.span);
  const wanted = Number(search.seq ?? (selected < 0 ? lastSeq : columns.seq0[selected]));
  const seq = Number.isInteger(wanted) ? Math.max(1, Math.min(lastSeq, wanted)) : lastSeq;
  const go = (to: number): void => change({ seq: String(Math.max(1, Math.min(lastSeq, to))) });
  useActions({
    'row-next': () => go(seq + 1),
    'row-previous': () => go(seq - 1),
    'page-next': () => go(seq + 20),
    'page-previous': () => go(seq - 20),
    'row-first': () => go(1),
    'row-last': () => go(lastSeq),
  });
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['state', runId, seq],
    queryFn: ({ signal }) => askJson<StateAt>(withSearch(runPath(runId, 'state'), { seq }), { signal }),
    placeholderData: keepPreviousData,
    // What was folded up to an entry never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="view">
      <div className="view-tools">
        <button type="button" className="button small" disabled={seq <= 1} onClick={() => go(seq - 1)}>
          ← before
        </button>
        <button type="button" className="button small" disabled={seq >= lastSeq} onClick={() => go(seq + 1)}>
          next →
        </button>
        <input
          type="range"
          aria-label="Entry"
          aria-valuetext={data === undefined ? `entry ${seq}` : `entry ${seq}, ${data.entry}`}
          min={1}
          max={Math.max(1, lastSeq)}
          value={seq}
          onChange={({ target }) => go(Number(target.value))}
        />
        <b className="figure">
          entry {seq} of {lastSeq}
        </b>
        {data === undefined || isPlaceholderData ? undefined : (
          <>
            <Link to="/runs/$runId/raw" params={{ runId }} search={{ seq: String(seq) }}>
              {data.entry}
            </Link>
            <Moment className="faint figure" atMs={data.atMs}>
              {clockText(data.atMs)}
            </Moment>
          </>
        )}
      </div>
      {data === undefined ? (
        error === null ? (
          <Loading what="the state" />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className={isPlaceholderData ? 'state older' : 'state'}>
          <section aria-label="What this entry changed" className="state-part">
            <h2>What this entry changed</h2>
            <Patch patch={data.patch} />
          </section>
          <section aria-label="State after it" className="state-part">
            <h2>State after it</h2>
            <ValueView label="State" value={data.state} mostRows={200} depth={2} />
          </section>
        </div>
      )}
    </div>
  );
}

/** A JSON Patch (RFC 6902) as lines. */
function Patch({ patch }: { readonly patch: StateAt['patch'] }): React.ReactNode {
  if (patch.length === 0) return <p className="faint">Nothing that the state shows.</p>;
  const signs = { add: '+', remove: '−', replace: '~' } as const;
  return (
    <ol className="patch">
      {patch.map((operation) => (
        <li key={`${operation.op} ${operation.path}`} className={`op-${operation.op}`}>
          <span aria-hidden="true">{signs[operation.op]}</span>
          <span className="unseen">{operation.op}</span>
          <code>{lineOf(operation.path, 200)}</code>
          {operation.op === 'remove' ? undefined : (
            <code className="patch-value">{lineOf(JSON.stringify(operation.value), 300)}</code>
          )}
        </li>
      ))}
    </ol>
  );
}
