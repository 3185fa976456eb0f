/** The inbox: calls that wait for a person, logins that are missing, side effects of which nobody knows whether they happened. */
import './inbox.css';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Failed, Loading, Notice } from '../app/states.tsx';
import { useActions } from '../keys/actions.ts';
import { lineOf } from '../words/foreign.tsx';
import { StatusMark } from '../words/status.tsx';
import { distanceText } from '../words/time-text.ts';
import { ApprovalCard } from './approval-card.tsx';
import { AuthorizationCard } from './authorization-card.tsx';
import { DoubtCard } from './doubt-card.tsx';
import { type InboxItem, useInbox } from './items.ts';
import { Moment } from '../words/moment.tsx';

export function InboxScreen(): React.ReactNode {
  const { items, error, retry } = useInbox();
  const { item: wanted } = useSearch({ from: '/inbox' });
  const navigate = useNavigate({ from: '/inbox' });
  const [done, setDone] = useState<readonly string[]>([]);
  const current = items?.find(({ id }) => id === wanted) ?? (wanted === undefined ? items?.[0] : undefined);
  const go = (step: number): void => {
    const place = items?.findIndex(({ id }) => id === current?.id) ?? -1;
    const next = items?.[Math.max(0, Math.min(items.length - 1, place + step))];
    if (next !== undefined) void navigate({ search: { item: next.id }, replace: true });
  };
  useActions({
    'row-next': () => go(1),
    'row-previous': () => go(-1),
    open: () => document.querySelector<HTMLElement>('.card input, .card textarea, .card button')?.focus(),
  });
  const answered = (words: string): void => {
    setDone((before) => [words, ...before].slice(0, 20));
    void navigate({ search: {}, replace: true });
  };

  if (items === undefined) {
    return error === null ? <Loading what="the inbox" /> : <Failed error={error} onRetry={retry} />;
  }
  return (
    <div className="inbox">
      <header className="screen-head">
        <h1>Inbox</h1>
        <span className="faint">{items.length === 0 ? 'nothing waits for you' : `${items.length} waiting`}</span>
      </header>
      <div className="split">
        <div className="split-side">
          <ItemList items={items} current={current} />
          <Done words={done} />
        </div>
        <div className="split-main">
          {current !== undefined ? (
            <Card key={current.id} item={current} onAnswered={answered} />
          ) : wanted !== undefined ? (
            <Notice title="That question is not open any more">
              <p>It was answered, it expired, or its run has ended. What became of it stands in the run.</p>
              <p>
                <Link to="/runs/$runId" params={{ runId: wanted.split('/')[0] ?? '' }}>
                  Open the run
                </Link>
              </p>
            </Notice>
          ) : (
            <Notice title="Nothing waits for a person">
              <p>
                Calls that policy asks about, logins that are missing, and side effects of which nobody knows whether
                they happened appear here as soon as they arise.
              </p>
            </Notice>
          )}
        </div>
      </div>
    </div>
  );
}

function Card({
  item,
  onAnswered,
}: {
  readonly item: InboxItem;
  readonly onAnswered: (words: string) => void;
}): React.ReactNode {
  switch (item.kind) {
    case 'approval':
      return <ApprovalCard item={item.item} onAnswered={onAnswered} />;
    case 'authorization':
      return <AuthorizationCard item={item.item} onAnswered={onAnswered} />;
    case 'doubt':
      return <DoubtCard item={item.item} onAnswered={onAnswered} />;
  }
}

function ItemList({
  items,
  current,
}: {
  readonly items: readonly InboxItem[];
  readonly current: InboxItem | undefined;
}): React.ReactNode {
  return (
    <nav aria-label="Open questions" className="inbox-list">
      {items.map((each) => (
        <Link
          key={each.id}
          to="/inbox"
          search={{ item: each.id }}
          aria-current={each === current ? 'true' : undefined}
          className={each === current ? 'inbox-item current' : 'inbox-item'}
        >
          <StatusMark status={each.kind} isBare />
          <span className="inbox-words">
            <b className="cut">{lineOf(titleOf(each), 60)}</b>
            <span className="faint cut">
              {lineOf(each.item.subject, 40)}: {lineOf(each.item.goal ?? each.item.runId, 80)}
            </span>
          </span>
          <span className="faint figure inbox-when">
            {each.kind === 'doubt' ? (
              'in doubt'
            ) : (
              <Moment atMs={each.item.expiresAtMs}>{distanceText(each.item.expiresAtMs)}</Moment>
            )}
          </span>
        </Link>
      ))}
    </nav>
  );
}

function titleOf(each: InboxItem): string {
  return each.kind === 'authorization' ? each.item.upstream : each.item.tool;
}

function Done({ words }: { readonly words: readonly string[] }): React.ReactNode {
  if (words.length === 0) return undefined;
  return (
    <section className="inbox-done" aria-label="Answered in this tab">
      <h2>Answered in this tab</h2>
      <ul>
        {words.map((each, place) => (
          <li key={words.length - place}>{each}</li>
        ))}
      </ul>
    </section>
  );
}
