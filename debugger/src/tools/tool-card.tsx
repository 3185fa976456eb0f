/** What one tool promises. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { NotedDrift } from '../../../src/journal/drift-book.ts';
import type { ToolDetail, ToolRow, ToolStatisticsAnswer } from '../../../src/server/wire.ts';
import { driftWords } from '../../../src/trace/drift-words.ts';
import { withSearch } from '../app/queries.ts';
import { Failed } from '../app/states.tsx';
import { ValueView } from '../json/value-view.tsx';
import { askJson } from '../wire/request.ts';
import { countedText } from '../words/count-text.ts';
import { ForeignLines, lineOf } from '../words/foreign.tsx';
import { durationText } from '../words/time-text.ts';
import { Pair } from '../words/pair.tsx';
import { ToolStatisticsPart } from './tool-statistics.tsx';
import { Moment } from '../words/moment.tsx';

export interface ToolCardProps {
  readonly row: ToolRow;
  /** Undefined until it is there. */
  readonly statistics: ToolStatisticsAnswer | undefined;
}

export function ToolCard({ row, statistics }: ToolCardProps): React.ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['tool', row.name, row.version],
    queryFn: ({ signal }) =>
      askJson<ToolDetail>(withSearch(`/v1/tools/${encodeURIComponent(row.name)}`, { version: row.version }), {
        signal,
      }),
  });
  return (
    <article className="card" aria-label={lineOf(row.name, 80)}>
      <header className="card-head">
        <h2>
          {lineOf(row.name, 80)} <span className="faint">version {row.version}</span>
        </h2>
        <span className="terms">
          <span className="tag">effect: {row.effect}</span>
          <span className={row.risk === 'high' ? 'tag tone-bad' : 'tag'}>risk: {row.risk}</span>
          {row.isIrreversible ? <span className="tag tone-bad">cannot be undone</span> : undefined}
          {row.isRetained ? <span className="tag">kept for older runs</span> : undefined}
        </span>
      </header>
      <ForeignLines text={row.description} />
      <dl className="pairs">
        <Pair name="Contract">
          <code>{lineOf(row.hash, 80)}</code>
        </Pair>
        {data === undefined ? undefined : (
          <>
            <Pair name="Versions">{data.versions.join(', ')}</Pair>
            <Pair name="Time limit">{durationText(data.timeoutMs)}</Pair>
            <Pair name="Attempts">{countedText(data.attempts, 'attempt')} at most</Pair>
          </>
        )}
        {row.upstream === undefined ? undefined : (
          <Pair name="Upstream">
            <Link to="/tools" search={{ upstream: row.upstream }}>
              {lineOf(row.upstream, 80)}
            </Link>
          </Pair>
        )}
        {row.fallback.length === 0 ? undefined : (
          <Pair name="Stand-ins">{row.fallback.map((name) => lineOf(name, 60)).join(', ')}</Pair>
        )}
        <Pair name="Can">
          {[row.canVerify ? 'find out whether it happened' : '', row.canUndo ? 'take back what it did' : '']
            .filter((each) => each !== '')
            .join(', ') || 'neither find out whether it happened nor take it back'}
        </Pair>
      </dl>
      {statistics === undefined ? undefined : <ToolStatisticsPart answer={statistics} tool={row.name} />}
      {error === null ? undefined : <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined ? undefined : <Schemas detail={data} />}
    </article>
  );
}

function Schemas({ detail }: { readonly detail: ToolDetail }): React.ReactNode {
  const { inputSchema, outputSchema, examples, drift } = detail;
  return (
    <>
      {drift.length === 0 ? undefined : (
        <section aria-label="Drift">
          <h3 className="tone-warn">Answers in another form than declared</h3>
          <ul className="drifts">
            {drift.map((each) => (
              <Drift key={each.shape} drift={each} />
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Input schema">
        <h3>Takes</h3>
        <ValueView label="Input schema" value={inputSchema} mostRows={18} depth={4} />
      </section>
      {outputSchema === undefined ? undefined : (
        <section aria-label="Output schema">
          <h3>Gives</h3>
          <ValueView label="Output schema" value={outputSchema} mostRows={18} depth={4} />
        </section>
      )}
      {examples.map((example, place) => (
        <section key={place} aria-label={`Example ${place + 1}`}>
          <h3>Example {place + 1}</h3>
          <ValueView label={`Example ${place + 1}`} value={{ ...example }} mostRows={12} depth={4} />
        </section>
      ))}
    </>
  );
}

function Drift({ drift }: { readonly drift: NotedDrift }): React.ReactNode {
  const { difference, count, firstAtMs, lastAtMs, runId, callId } = drift;
  return (
    <li>
      <p>
        {countedText(count, 'time')}, last{' '}
        <Link to="/runs/$runId" params={{ runId }} search={{ span: `call.${callId}` }}>
          <Moment atMs={lastAtMs} />
        </Link>
        , first <Moment atMs={firstAtMs} />
      </p>
      <ForeignLines text={driftWords(difference).join('\n')} />
    </li>
  );
}
