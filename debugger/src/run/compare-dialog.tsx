/** Which run this one is compared with. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Dialog, DialogHead } from '../app/dialog.tsx';
import { recentRunsQuery } from '../app/queries.ts';
import { lineOf } from '../words/foreign.tsx';
import { runStatus, StatusMark } from '../words/status.tsx';
import { momentText } from '../words/time-text.ts';

export function CompareDialog({
  runId,
  onClose,
}: {
  readonly runId: string;
  readonly onClose: () => void;
}): React.ReactNode {
  const navigate = useNavigate();
  const [other, setOther] = useState('');
  const { data } = useQuery(recentRunsQuery);
  return (
    <Dialog label="Compare with" onClose={onClose}>
      <DialogHead title="Compare with" onClose={onClose} />
      <form
        className="fork-fields"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = other.trim();
          if (wanted === '') return;
          void navigate({ to: '/runs/$runId/compare/$other', params: { runId, other: wanted } });
        }}
      >
        <label>
          The id of a run
          <input
            className="field mono"
            type="text"
            spellCheck={false}
            value={other}
            onChange={({ target }) => setOther(target.value)}
          />
        </label>
      </form>
      <ul className="compare-runs">
        {data?.items
          .filter((each) => each.runId !== runId)
          .map((each) => (
            <li key={each.runId}>
              <Link to="/runs/$runId/compare/$other" params={{ runId, other: each.runId }} className="tool-row">
                <StatusMark status={runStatus(each)} isBare />
                <span className="cut">
                  <b>{lineOf(each.subject, 40)}</b> {lineOf(each.goal ?? each.runId, 120)}
                </span>
                <span className="faint figure">{momentText(each.createdAtMs)}</span>
              </Link>
            </li>
          ))}
      </ul>
    </Dialog>
  );
}
