/** A service behind tools: its breaker, its queue, and what a person may order. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { UpstreamItem, UpstreamRequest } from '../../../src/server/wire.ts';
import { systemQuery } from '../app/queries.ts';
import { say } from '../app/spoken.tsx';
import { Notice } from '../app/states.tsx';
import { ask, wordsOf } from '../wire/request.ts';
import { lineOf } from '../words/foreign.tsx';
import { distanceText, momentText } from '../words/time-text.ts';
import { BreakerMark } from './breaker.tsx';
import { Pair } from '../words/pair.tsx';
import { Moment } from '../words/moment.tsx';

export interface UpstreamCardProps {
  readonly name: string;
  readonly upstream: UpstreamItem | undefined;
  readonly tools: readonly string[];
}

export function UpstreamCard({ name, upstream, tools }: UpstreamCardProps): React.ReactNode {
  if (upstream === undefined) return <Notice title={`No upstream is named ${lineOf(name, 80)}`} />;
  const { breaker, pausedUntilMs, live } = upstream;
  return (
    <article className="card" aria-label={lineOf(name, 80)}>
      <header className="card-head">
        <h2>{lineOf(name, 80)}</h2>
        <BreakerMark kind={breaker.kind} />
      </header>
      <dl className="pairs">
        <Pair name="Since">
          <Moment atMs={breaker.sinceMs} /> <span className="faint">{lineOf(breaker.reason, 200)}</span>
        </Pair>
        {breaker.untilMs === undefined ? undefined : <Pair name="Next try">{distanceText(breaker.untilMs)}</Pair>}
        {pausedUntilMs === undefined ? undefined : (
          <Pair name="Asked for rest">
            until {momentText(pausedUntilMs)}, {distanceText(pausedUntilMs)}
          </Pair>
        )}
        <Pair name="Now">
          {live === undefined
            ? 'known to the process that drives'
            : `${live.inFlight} under way, ${live.waiting} waiting${live.tokens === undefined ? '' : `, room for ${Math.floor(live.tokens)} more`}`}
        </Pair>
        <Pair name="Tools">
          {tools.map((tool, place) => (
            <span key={tool}>
              {place > 0 ? ', ' : ''}
              <Link to="/tools" search={{ tool }}>
                {lineOf(tool, 60)}
              </Link>
            </span>
          ))}
        </Pair>
      </dl>
      <Orders name={name} kind={breaker.kind} />
      <Changes upstream={upstream} />
    </article>
  );
}

const orders = [
  { action: 'open', title: 'Open it', about: 'no call goes there until somebody closes it' },
  { action: 'close', title: 'Close it', about: 'calls go there again' },
  { action: 'reset', title: 'Reset it', about: 'closes it, and forgets failures and pauses' },
] as const;

function Orders({ name, kind }: { readonly name: string; readonly kind: string }): React.ReactNode {
  const queries = useQueryClient();
  const { data: system } = useQuery(systemQuery);
  const [reason, setReason] = useState('');
  const mutation = useMutation({
    mutationFn: (body: UpstreamRequest) => ask(`/v1/upstreams/${encodeURIComponent(name)}`, { method: 'POST', body }),
    onSuccess: (_, { action }) => {
      say(`${lineOf(name, 60)}: ${action} is ordered`);
      void queries.invalidateQueries({ queryKey: ['upstreams'] });
    },
  });
  const mayOrder = system !== undefined && !system.isReadOnly && system.scopes.includes('admin');
  return (
    <section aria-label="Orders">
      <h3>Breaker</h3>
      <label className="card-note">
        Reason <span className="faint">(kept with the order)</span>
        <input
          className="field"
          type="text"
          maxLength={1_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <div className="card-actions">
        {orders.map(({ action, title, about }) => (
          <button
            key={action}
            type="button"
            className={action === 'open' ? 'button danger' : 'button'}
            title={about}
            disabled={!mayOrder || mutation.isPending || (action === 'close' && kind === 'closed')}
            onClick={() => mutation.mutate({ action, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })}
          >
            {title}
          </button>
        ))}
        {mayOrder ? undefined : <span className="faint">Your token, or this server, permits no orders.</span>}
      </div>
      {mutation.error === null ? undefined : (
        <p role="alert" className="tone-bad">
          {lineOf(wordsOf(mutation.error).what, 400)}
        </p>
      )}
    </section>
  );
}

function Changes({ upstream }: { readonly upstream: UpstreamItem }): React.ReactNode {
  if (upstream.changes.length === 0) return undefined;
  return (
    <section aria-label="Changes of the breaker">
      <h3>Last changes</h3>
      <ol className="changes">
        {upstream.changes.map((change) => (
          <li key={`${change.atMs} ${change.from} ${change.to}`}>
            <Moment className="figure" atMs={change.atMs} />
            <span>
              {change.from} → <b>{change.to}</b>
            </span>
            <span className="faint">{lineOf(change.reason, 300)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
