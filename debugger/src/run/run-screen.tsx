/** One run: what it is and where it stands, and the views on it. */
import './run.css';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { runQuery } from '../app/queries.ts';
import { Failed, Loading } from '../app/states.tsx';
import { useActions } from '../keys/actions.ts';
import type { RunTable } from '../table/run-table.ts';
import { DiagnosisLine } from './diagnosis.tsx';
import { RunHead } from './run-head.tsx';
import { tabs } from './tabs.ts';
import { FeedContext, useOwnFeed } from './use-run-feed.ts';

export function RunScreen(): React.ReactNode {
  const { runId } = useParams({ from: '/runs/$runId' });
  const { feed, view } = useOwnFeed(runId);
  const { data: run } = useQuery(runQuery(runId));
  const { span } = useSearch({ from: '/runs/$runId' });
  useTabKeys(runId);
  return (
    <FeedContext value={feed}>
      <div className="run">
        <RunHead runId={runId} run={run} liveness={view.liveness} step={stepOf(view.table, span)} />
        <Tabs runId={runId} />
        {view.table.columns.ended ? <DiagnosisLine runId={runId} /> : undefined}
        <div className="run-view">
          {view.state.kind === 'failed' ? (
            <Failed error={view.state.error} onRetry={() => void feed.open()} />
          ) : view.state.kind === 'loading' && view.table.columns.rowCount === 0 ? (
            <Loading what="the run" />
          ) : (
            <Outlet key={runId} />
          )}
        </div>
      </div>
    </FeedContext>
  );
}

/** The step of the selected span; undefined for one that is in none. */
function stepOf({ columns }: RunTable, span: string | undefined): number | undefined {
  const step = span === undefined ? 0 : (columns.step[columns.indexOf(span)] ?? 0);
  return step === 0 ? undefined : step;
}

function Tabs({ runId }: { readonly runId: string }): React.ReactNode {
  const { span, filter } = useSearch({ from: '/runs/$runId' });
  return (
    <nav aria-label="Views of the run" className="tabs">
      {tabs.map(({ to, title }) => (
        <Link
          key={to}
          to={to}
          params={{ runId }}
          search={{ ...(span === undefined ? {} : { span }), ...(filter === undefined ? {} : { filter }) }}
          activeOptions={{ exact: true, includeSearch: false }}
          className="tab"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

function useTabKeys(runId: string): void {
  const navigate = useNavigate();
  const { span, filter } = useSearch({ from: '/runs/$runId' });
  const search = { ...(span === undefined ? {} : { span }), ...(filter === undefined ? {} : { filter }) };
  useActions(
    Object.fromEntries(tabs.map(({ to, action }) => [action, () => void navigate({ to, params: { runId }, search })])),
  );
}
