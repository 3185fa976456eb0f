/** The process that serves this page: what it is, what it may, and the agents that it can start. */
import './system.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AgentRow, Page } from '../../../src/server/wire.ts';
import { systemQuery } from '../app/queries.ts';
import { Failed, Loading } from '../app/states.tsx';
import { askJson } from '../wire/request.ts';
import { sizeText } from '../words/count-text.ts';
import { ForeignLines, lineOf } from '../words/foreign.tsx';
import { Pair } from '../words/pair.tsx';
import { distanceText, durationText, isoText } from '../words/time-text.ts';
import { Moment } from '../words/moment.tsx';

export function SystemScreen(): React.ReactNode {
  const { data: system, error, refetch } = useQuery({ ...systemQuery, refetchInterval: 5_000 });
  if (system === undefined) {
    return error === null ? <Loading what="the system" /> : <Failed error={error} onRetry={() => void refetch()} />;
  }
  const { counters } = system;
  return (
    <div className="system">
      <header className="screen-head">
        <h1>System</h1>
        {system.isReadOnly ? <span className="tag">read-only</span> : undefined}
        {system.isDraining ? <span className="tag tone-warn">draining: nothing new starts</span> : undefined}
      </header>
      <div className="system-body">
        <section aria-label="Process" className="system-part">
          <h2>Process</h2>
          <dl className="pairs">
            <Pair name="Axle">{lineOf(system.version, 40)}</Pair>
            <Pair name="Node">{lineOf(system.node, 40)}</Pair>
            <Pair name="Role">
              {system.role === 'driver'
                ? 'driver: this process drives the runs'
                : 'client: another process drives the runs'}
            </Pair>
            <Pair name="Started">
              <Moment atMs={system.startedAtMs} />{' '}
              <span className="faint">{distanceText(system.startedAtMs, system.nowMs)}</span>
            </Pair>
            <Pair name="Memory">{sizeText(system.memoryBytes)}</Pair>
            <Pair name="Listeners">{system.listeners}</Pair>
            <Pair name="Store">
              <code>{lineOf(system.storeId, 80)}</code>
            </Pair>
          </dl>
        </section>
        <section aria-label="Access" className="system-part">
          <h2>Access</h2>
          <dl className="pairs">
            <Pair name="Tokens">
              {system.needsToken ? 'every request needs one' : 'none: only this machine is served'}
            </Pair>
            <Pair name="You are">
              {system.caller === undefined ? 'somebody on this machine' : lineOf(system.caller, 80)}
            </Pair>
            <Pair name="You may">{system.scopes.join(', ')}</Pair>
            <Pair name="Clock">
              <Moment atMs={system.nowMs}>{isoText(system.nowMs)}</Moment>
            </Pair>
            <Pair name="API">
              <a href="/openapi.json">/openapi.json</a>
            </Pair>
          </dl>
        </section>
        <section aria-label="Runs" className="system-part">
          <h2>Runs</h2>
          <dl className="pairs">
            <Pair name="Active">{counters.active}</Pair>
            <Pair name="Waiting">{counters.waiting}</Pair>
            <Pair name="Need approval">{counters.askingApproval}</Pair>
            <Pair name="In doubt">{counters.inDoubt}</Pair>
            <Pair name="Held">{counters.held}</Pair>
            <Pair name="Failed in 24 h">{counters.failedLastDay}</Pair>
          </dl>
          {counters.isComplete ? undefined : (
            <p className="faint">There are more runs than were looked through: the counts are lower bounds.</p>
          )}
        </section>
        <Agents />
      </div>
    </div>
  );
}

function Agents(): React.ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => askJson<Page<AgentRow>>('/v1/agents', { signal }),
  });
  return (
    <section aria-label="Agents" className="system-part wide">
      <h2>Agents</h2>
      {error === null ? undefined : <Failed error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 ? <p className="faint">This process has no agents.</p> : undefined}
      {data?.items.map((agent) => (
        <details key={agent.name} className="agent">
          <summary>
            <b>{lineOf(agent.name, 80)}</b> <span className="faint">{lineOf(agent.model, 80)}</span>
          </summary>
          <dl className="pairs">
            <Pair name="Runs">
              <Link to="/runs" search={{ subject: agent.name }}>
                those of {lineOf(agent.name, 80)}
              </Link>
            </Pair>
            <Pair name="Tools">{agent.tools.map((tool) => lineOf(tool, 60)).join(', ') || 'none'}</Pair>
            <Pair name="Limits">
              {agent.limits.steps} model calls, {durationText(agent.limits.workMs)} of work
            </Pair>
          </dl>
          <ForeignLines text={agent.instructions} />
        </details>
      ))}
    </section>
  );
}
