import { useRunView } from '../run/use-run-feed.ts';
import { LogLines } from './log-lines.tsx';

/** The log of a run as a view of its own. */
export function LogsTab(): React.ReactNode {
  const { table, runId } = useRunView();
  return (
    <div className="view logs-view">
      <LogLines runId={runId} isLive={!table.columns.ended} />
    </div>
  );
}
