/** What was decided, by the model, by policy, by people: the log that a reviewer reads first. */
import './decisions.css';
import { Link, useSearch } from '@tanstack/react-router';
import type { DecisionRow } from '../../../src/trace/story/decisions.ts';
import { runPath } from '../app/queries.ts';
import { Failed, Loading, Notice } from '../app/states.tsx';
import { TallList } from '../rows/tall-list.tsx';
import { useGrowingList } from '../rows/use-growing-list.ts';
import { useRunView } from '../run/use-run-feed.ts';
import { lineOf } from '../words/foreign.tsx';
import { StatusMark } from '../words/status.tsx';
import { clockText } from '../words/time-text.ts';
import { Moment } from '../words/moment.tsx';

export function DecisionsTab(): React.ReactNode {
  const { table, runId } = useRunView();
  const { span } = useSearch({ from: '/runs/$runId' });
  const list = useGrowingList<DecisionRow>(runPath(runId, 'decisions'), table.columns.seq);
  const { items: rows, error } = list;
  if (rows === undefined) return error === undefined ? <Loading what="the decisions" /> : <Failed error={error} />;
  if (rows.length === 0) {
    return (
      <Notice title="Nothing has been decided yet">
        <p>A row appears for each call that a model asks for, and for each answer without calls.</p>
      </Notice>
    );
  }
  return (
    <div className="view">
      <TallList
        label="Decisions"
        count={rows.length}
        guessPx={64}
        onNearEnd={list.isWhole ? undefined : list.more}
        keyOf={(place) => rows[place]?.spanId ?? place}
        shown={span === undefined ? undefined : rows.findIndex((row) => row.spanId === span)}
        render={(place) => {
          const row = rows[place];
          return row === undefined ? undefined : <Decided runId={runId} row={row} isSelected={row.spanId === span} />;
        }}
      />
    </div>
  );
}

function Decided(props: {
  readonly runId: string;
  readonly row: DecisionRow;
  readonly isSelected: boolean;
}): React.ReactNode {
  const { runId, row, isSelected } = props;
  return (
    <article className={isSelected ? 'decided selected' : 'decided'}>
      <span className="decided-when figure faint">
        <Moment atMs={row.atMs}>{clockText(row.atMs)}</Moment>
        <span>step {row.step}</span>
      </span>
      <div className="decided-what">
        <p className="decided-line">
          <Link to="/runs/$runId" params={{ runId }} search={{ span: row.spanId }}>
            {row.chose === 'answer' ? 'answered' : lineOf(row.tool ?? 'a tool', 80)}
          </Link>
          {row.outcome === undefined ? undefined : (
            <StatusMark status={row.outcome === 'succeeded' ? 'ok' : row.outcome} />
          )}
          {row.beside.length === 0 ? undefined : (
            <span className="faint">beside {lineOf(row.beside.join(', '), 160)}</span>
          )}
        </p>
        <Facts row={row} />
        {row.statedReason === undefined ? undefined : (
          <p className="decided-reason" title="The model's own words, not a fact">
            {lineOf(row.statedReason, 600)}
          </p>
        )}
      </div>
    </article>
  );
}

function Facts({ row }: { readonly row: DecisionRow }): React.ReactNode {
  const { policy, approval, doubt, refusal, repairs, standIns } = row;
  const facts: readonly (readonly [string, string])[] = [
    ...(policy === undefined
      ? []
      : [[policy.kind === 'allow' ? '' : 'tone-warn', `policy: ${policy.kind} (${policy.rule})`] as const]),
    ...(approval === undefined ? [] : [['tone-warn', approvalWords(approval)] as const]),
    ...(doubt === undefined
      ? []
      : [['tone-doubt', `doubt: ${doubt.by === 'open' ? 'open' : `settled by ${doubt.by}`}`] as const]),
    ...(refusal === undefined ? [] : [['tone-bad', `refused: ${refusal}`] as const]),
    ...(repairs === 0 ? [] : [['', repairs === 1 ? '1 repair' : `${repairs} repairs`] as const]),
    ...(standIns.length === 0 ? [] : [['', `stood in: ${standIns.join(', ')}`] as const]),
  ];
  if (facts.length === 0) return undefined;
  return (
    <p className="decided-facts">
      {facts.map(([tone, words]) => (
        <span key={words} className={`tag ${tone}`}>
          {lineOf(words, 200)}
        </span>
      ))}
    </p>
  );
}

function approvalWords(approval: NonNullable<DecisionRow['approval']>): string {
  switch (approval.verdict) {
    case 'open':
      return 'approval: open';
    case 'expired':
      return 'approval: expired';
    default: {
      const by = approval.by === undefined ? '' : ` by ${approval.by}`;
      return `${approval.verdict === 'approve' ? 'approved' : 'denied'}${by}${approval.edited ? ' with other arguments' : ''}`;
    }
  }
}
