/** The run as a conversation: who said what, and each call as a card with what became of it. */
import './transcript.css';
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { TranscriptLine } from '../../../src/trace/story/transcript.ts';
import { runPath } from '../app/queries.ts';
import { Failed, Loading } from '../app/states.tsx';
import { useActions } from '../keys/actions.ts';
import { TallList } from '../rows/tall-list.tsx';
import { useGrowingList } from '../rows/use-growing-list.ts';
import type { Provisional } from '../run/run-feed.ts';
import { useRunView } from '../run/use-run-feed.ts';
import { statusOf } from '../table/run-table.ts';
import { ForeignLines } from '../words/foreign.tsx';
import { Line } from './line.tsx';

export function TranscriptTab(): React.ReactNode {
  const { table, runId, provisional } = useRunView();
  const { span } = useSearch({ from: '/runs/$runId' });
  const { seq, ended } = table.columns;
  const list = useGrowingList<TranscriptLine>(runPath(runId, 'transcript'), seq);
  const { items, error } = list;
  const [thoughts, setThoughts] = useState(true);
  const [follows, setFollows] = useState(!ended && span === undefined);
  const lines = useMemo(
    () => (items ?? []).filter((line) => line.kind !== 'usage' && (thoughts || line.kind !== 'reasoning')),
    [items, thoughts],
  );
  useActions({ follow: () => setFollows(!follows) });
  if (items === undefined) return error === undefined ? <Loading what="the transcript" /> : <Failed error={error} />;
  const isWriting = !ended && (provisional.text !== '' || provisional.reasoning !== '');
  const shown = span === undefined ? undefined : lines.findIndex((line) => line.spanId === span);
  return (
    <div className="view">
      <div className="view-tools">
        <label className="check">
          <input type="checkbox" checked={thoughts} onChange={({ target }) => setThoughts(target.checked)} />
          reasoning
        </label>
        {ended ? undefined : (
          <button
            type="button"
            className="chip"
            aria-pressed={follows}
            title="Keep the newest in view (f)"
            onClick={() => setFollows(!follows)}
          >
            {follows ? 'following' : 'follow'}
          </button>
        )}
        <Link to="/runs/$runId/context" params={{ runId }} className="view-side">
          What the model saw
        </Link>
      </div>
      <TallList
        label="Transcript"
        count={lines.length + (isWriting ? 1 : 0)}
        guessPx={72}
        keyOf={(place) => keyOf(lines[place], place)}
        shown={shown}
        follows={follows && !ended}
        onNearEnd={list.isWhole ? undefined : list.more}
        render={(place) => {
          const line = lines[place];
          return line === undefined ? (
            <Writing provisional={provisional} />
          ) : (
            <Line
              runId={runId}
              line={line}
              status={statusOf(table, table.columns.indexOf(line.spanId))}
              isSelected={line.spanId === span}
            />
          );
        }}
      />
    </div>
  );
}

function keyOf(line: TranscriptLine | undefined, place: number): string {
  return line === undefined ? 'writing' : `${line.seq} ${line.kind} ${place}`;
}

/** What is being written now. It counts once its entry is committed, and looks like it. */
function Writing({ provisional }: { readonly provisional: Provisional }): React.ReactNode {
  const { text, reasoning } = provisional;
  return (
    <article className="line answer writing" aria-label="Being written">
      <header className="line-head">
        <b>model</b>
        <span className="faint">writing, not committed yet</span>
      </header>
      {reasoning === '' ? undefined : (
        <div className="line-text reasoning">
          <ForeignLines text={reasoning} />
        </div>
      )}
      {text === '' ? undefined : (
        <div className="line-text">
          <ForeignLines text={text} />
        </div>
      )}
    </article>
  );
}
