/** The tools of the process and the services behind them: what they promise, and how they are. */
import './tools.css';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Page, ToolRow, UpstreamItem } from '../../../src/server/wire.ts';
import { Failed, Loading, Notice } from '../app/states.tsx';
import { useActions } from '../keys/actions.ts';
import { askJson } from '../wire/request.ts';
import { lineOf } from '../words/foreign.tsx';
import { BreakerMark } from './breaker.tsx';
import { ToolCard } from './tool-card.tsx';
import { statisticsQuery, ToolStatisticsPart } from './tool-statistics.tsx';
import { UpstreamCard } from './upstream-card.tsx';

const toolsQuery = queryOptions({
  queryKey: ['tools'],
  queryFn: ({ signal }) => askJson<Page<ToolRow>>('/v1/tools', { signal }),
});

const upstreamsQuery = queryOptions({
  queryKey: ['upstreams'],
  queryFn: ({ signal }) => askJson<Page<UpstreamItem>>('/v1/upstreams', { signal }),
  // A breaker opens by itself.
  refetchInterval: 5_000,
});

export function ToolsScreen(): React.ReactNode {
  const tools = useQuery(toolsQuery);
  const upstreams = useQuery(upstreamsQuery);
  const { data: statistics } = useQuery(statisticsQuery);
  const { tool, upstream } = useSearch({ from: '/tools' });
  const navigate = useNavigate({ from: '/tools' });
  const rows = tools.data?.items ?? [];
  const behind = upstreams.data?.items ?? [];
  // Tools that runs have asked for and this process has not: those of another process, or names that a model made up.
  const seen = (statistics?.items ?? [])
    .map((each) => each.tool)
    .filter((name) => rows.every((row) => row.name !== name))
    .slice(0, 100);
  const chosen =
    upstream === undefined
      ? (rows.find((row) => row.name === tool) ?? (tool === undefined ? rows[0] : undefined))
      : undefined;
  const go = (step: number): void => {
    const places = [...rows.map(({ name }) => ({ tool: name })), ...behind.map(({ name }) => ({ upstream: name }))];
    const at =
      upstream === undefined
        ? rows.findIndex((row) => row === chosen)
        : rows.length + behind.findIndex(({ name }) => name === upstream);
    const next = places[Math.max(0, Math.min(places.length - 1, at + step))];
    if (next !== undefined) void navigate({ search: next, replace: true });
  };
  useActions({ 'row-next': () => go(1), 'row-previous': () => go(-1) });

  if (tools.data === undefined) {
    return tools.error === null ? (
      <Loading what="the tools" />
    ) : (
      <Failed error={tools.error} onRetry={() => void tools.refetch()} />
    );
  }
  return (
    <div className="tools">
      <header className="screen-head">
        <h1>Tools</h1>
        <span className="faint figure">
          {rows.length} tools, {behind.length} upstreams
        </span>
      </header>
      <div className="split">
        <nav className="split-side" aria-label="Tools and upstreams">
          <ul>
            {rows.map((row) => (
              <li key={`${row.name}@${row.version}`}>
                <ToolLink
                  row={row}
                  upstream={behind.find(({ name }) => name === row.upstream)}
                  isCurrent={row === chosen}
                />
              </li>
            ))}
          </ul>
          {behind.length === 0 ? undefined : <h2>Upstreams</h2>}
          <ul>
            {behind.map((each) => (
              <li key={each.name}>
                <Link
                  to="/tools"
                  search={{ upstream: each.name }}
                  className={each.name === upstream ? 'tool-link current' : 'tool-link'}
                  aria-current={each.name === upstream ? 'true' : undefined}
                >
                  <span className="cut">{lineOf(each.name, 80)}</span>
                  <BreakerMark kind={each.breaker.kind} />
                </Link>
              </li>
            ))}
          </ul>
          {seen.length === 0 ? undefined : <h2>Asked for, and not here</h2>}
          <ul>
            {seen.map((name) => (
              <li key={name}>
                <Link
                  to="/tools"
                  search={{ tool: name }}
                  className={name === tool ? 'tool-link current' : 'tool-link'}
                  aria-current={name === tool ? 'true' : undefined}
                >
                  <span className="cut">{lineOf(name, 80)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="split-main">
          {upstream !== undefined ? (
            <UpstreamCard
              key={upstream}
              upstream={behind.find(({ name }) => name === upstream)}
              name={upstream}
              tools={rows.filter((row) => row.upstream === upstream).map(({ name }) => name)}
            />
          ) : chosen !== undefined ? (
            <ToolCard key={`${chosen.name}@${chosen.version}`} row={chosen} statistics={statistics} />
          ) : tool !== undefined && statistics !== undefined && seen.includes(tool) ? (
            <article className="card" aria-label={lineOf(tool, 80)}>
              <header className="card-head">
                <h2>{lineOf(tool, 80)}</h2>
              </header>
              <p>This process has no such tool; runs have asked for it.</p>
              <ToolStatisticsPart answer={statistics} tool={tool} />
            </article>
          ) : tool === undefined ? (
            <Notice title="This process has no tools">
              <p>
                Tools come with the configuration: `axle.config.ts` exports them. A server over a store alone shows
                runs, and has none.
              </p>
            </Notice>
          ) : (
            <Notice title="This process has no such tool">
              <p>{lineOf(tool, 100)} may belong to another process, or was removed.</p>
            </Notice>
          )}
        </div>
      </div>
    </div>
  );
}

function ToolLink(props: {
  readonly row: ToolRow;
  readonly upstream: UpstreamItem | undefined;
  readonly isCurrent: boolean;
}): React.ReactNode {
  const { row, upstream, isCurrent } = props;
  return (
    <Link
      to="/tools"
      search={{ tool: row.name }}
      className={isCurrent ? 'tool-link current' : 'tool-link'}
      aria-current={isCurrent ? 'true' : undefined}
    >
      <span className="cut">
        {lineOf(row.name, 80)}
        {row.isNewest ? undefined : <span className="faint"> v{row.version}</span>}
      </span>
      {row.drifts > 0 ? <span className="tag tone-warn">drift {row.drifts}</span> : undefined}
      {upstream === undefined || upstream.breaker.kind === 'closed' ? undefined : (
        <BreakerMark kind={upstream.breaker.kind} />
      )}
      <span className={row.effect === 'write' ? 'tag tone-warn' : 'tag'}>{row.effect}</span>
    </Link>
  );
}
