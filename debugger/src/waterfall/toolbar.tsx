/** Above the waterfall: the filter, and how time is shown. */
import type { RunSearch } from '../app/search.ts';
import type { Change } from '../run/use-change.ts';
import type { RunTable } from '../table/run-table.ts';
import { countedText } from '../words/count-text.ts';
import { FilterBox } from './filter-box.tsx';
import type { Follow } from './use-follow.ts';
import type { Matches } from './use-matches.ts';
import type { Time } from './use-time.ts';

export interface ToolbarProps {
  readonly search: RunSearch;
  readonly change: Change;
  readonly matches: Matches;
  readonly time: Time;
  readonly table: RunTable;
  readonly follow: Follow;
}

/** Less idle time than this is not worth a button. */
const leastOffer = 0.3;

export function Toolbar(props: ToolbarProps): React.ReactNode {
  const { search, change, matches, time, follow, table } = props;
  const { rowCount, ended } = table.columns;
  const isOut = search.gaps === 'out';
  return (
    <div className="toolbar">
      <FilterBox
        text={search.filter ?? ''}
        matches={matches}
        table={table}
        onChange={(filter) => change({ filter: filter === '' ? undefined : filter })}
      />
      <span className="toolbar-count figure" role="status">
        {matches.found === undefined
          ? countedText(rowCount, 'span')
          : `${matches.found.rows.length.toLocaleString('en')} of ${rowCount.toLocaleString('en')}`}
      </span>
      <div className="toolbar-end">
        {isOut || time.idleShare >= leastOffer ? (
          <button
            type="button"
            className="chip"
            aria-pressed={isOut}
            title="Leave time out in which nothing was at work (i)"
            onClick={() => change({ gaps: isOut ? undefined : 'out' })}
          >
            {isOut ? 'idle time left out' : `${Math.floor(time.idleShare * 100)} % idle: leave out`}
          </button>
        ) : undefined}
        <button
          type="button"
          className="chip"
          aria-pressed={search.clock === 'day'}
          title="Times of day (c)"
          onClick={() => change({ clock: search.clock === 'day' ? undefined : 'day' })}
        >
          time of day
        </button>
        {time.zoom !== undefined ? (
          <button type="button" className="chip" title="Show the whole run (z)" onClick={() => time.show(undefined)}>
            whole run
          </button>
        ) : undefined}
        {!ended ? (
          <button
            type="button"
            className="chip follow"
            aria-pressed={follow.isFollowing}
            title="Keep the newest in view (f)"
            onClick={() => (follow.isFollowing ? follow.inspect() : follow.follow())}
          >
            {follow.isFollowing ? 'following' : follow.unseen > 0 ? `follow (${follow.unseen} new)` : 'follow'}
          </button>
        ) : undefined}
      </div>
    </div>
  );
}
