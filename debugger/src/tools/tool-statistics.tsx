/** What became of the calls of one tool in the runs that began last. */
import { queryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ToolStatistics, ToolStatisticsAnswer } from '../../../src/server/wire.ts';
import { askJson } from '../wire/request.ts';
import { countedText, countText } from '../words/count-text.ts';
import { lineOf } from '../words/foreign.tsx';
import { Pair } from '../words/pair.tsx';
import { durationText } from '../words/time-text.ts';
import { Moment } from '../words/moment.tsx';

export const statisticsQuery = queryOptions({
  queryKey: ['tool-statistics'],
  queryFn: ({ signal }) => askJson<ToolStatisticsAnswer>('/v1/tool-statistics', { signal }),
  refetchInterval: 15_000,
});

export interface ToolStatisticsPartProps {
  readonly answer: ToolStatisticsAnswer;
  readonly tool: string;
}

export function ToolStatisticsPart({ answer, tool }: ToolStatisticsPartProps): React.ReactNode {
  const statistics = answer.items.find((each) => each.tool === tool);
  return (
    <section aria-label="Statistics">
      <h3>{overWords(answer.over)}</h3>
      {statistics === undefined ? (
        <p className="faint">No call of it is in them.</p>
      ) : (
        <Figures statistics={statistics} />
      )}
    </section>
  );
}

function overWords({ runs, skipped, cut }: ToolStatisticsAnswer['over']): string {
  const more = [
    skipped === 0 ? '' : `${countText(skipped)} more are being counted`,
    cut === 0 ? '' : `of ${countedText(cut, 'long one')} the beginning`,
  ].filter((words) => words !== '');
  return `In the last ${countedText(runs, 'run')}${more.length === 0 ? '' : ` (${more.join('; ')})`}`;
}

function Figures({ statistics }: { readonly statistics: ToolStatistics }): React.ReactNode {
  const { calls, attempts, errorRate, attemptsPerCall, repairRate, cacheShare, attemptMs } = statistics;
  return (
    <>
      <dl className="pairs figure-pairs">
        <Pair name="Calls">
          {countText(calls)}
          {partsWords(statistics)}
        </Pair>
        {errorRate === undefined ? undefined : (
          <Pair name="Error rate">
            <span className={errorRate > 0 ? 'tone-bad' : ''}>{shareText(errorRate)}</span>
          </Pair>
        )}
        {attemptsPerCall === undefined ? undefined : (
          <Pair name="Attempts">
            {countText(attempts)}, {attemptsPerCall.toFixed(2)} a call
          </Pair>
        )}
        {attemptMs === undefined ? undefined : (
          <Pair name="Took">
            p50 {durationText(attemptMs.p50)}, p95 {durationText(attemptMs.p95)}, p99 {durationText(attemptMs.p99)},
            longest {durationText(attemptMs.most)}
          </Pair>
        )}
        {repairRate === undefined ? undefined : <Pair name="Repaired">{shareText(repairRate)} of the calls</Pair>}
        {cacheShare === undefined ? undefined : <Pair name="From cache">{shareText(cacheShare)} of the calls</Pair>}
      </dl>
      <Repairs statistics={statistics} />
      <Errors statistics={statistics} />
    </>
  );
}

/** What is not among the calls that went as usual. */
function partsWords({ failed, denied, doubts, refused, stoodIn, recorded }: ToolStatistics): string {
  const parts: readonly (readonly [number, string])[] = [
    [failed, 'failed'],
    [denied, 'denied'],
    [doubts, 'in doubt at some time'],
    [stoodIn, 'taken over by a stand-in'],
    [refused, 'refused before they began'],
    [recorded, 'answered by the recording of a fork'],
  ];
  const words = parts.filter(([count]) => count > 0).map(([count, what]) => `${countText(count)} ${what}`);
  return words.length === 0 ? '' : `; ${words.join(', ')}`;
}

function Repairs({ statistics: { repairs } }: { readonly statistics: ToolStatistics }): React.ReactNode {
  if (repairs.length === 0) return undefined;
  return (
    <>
      <h4>Repaired most</h4>
      <ol className="tool-facts">
        {repairs.map(({ rule, path, count }) => (
          <li key={`${rule} ${path}`}>
            <code>{path === '' ? 'the whole' : lineOf(path, 120)}</code> {lineOf(rule, 60)}{' '}
            <span className="faint">{countedText(count, 'time')}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Errors({ statistics: { errors } }: { readonly statistics: ToolStatistics }): React.ReactNode {
  if (errors.length === 0) return undefined;
  return (
    <>
      <h4>Last failures</h4>
      <ol className="tool-facts">
        {errors.map(({ runId, callId, atMs, code, message }) => (
          <li key={`${runId} ${callId}`}>
            <Link to="/runs/$runId" params={{ runId }} search={{ span: `call.${callId}` }}>
              <Moment atMs={atMs} />
            </Link>{' '}
            <code>{lineOf(code, 80)}</code> {lineOf(message, 300)}
          </li>
        ))}
      </ol>
    </>
  );
}

/** `0 %`, `0.4 %`, `37 %`; what is not all is never rounded to all, and what is not none never to none. */
function shareText(share: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const percent = Math.min(99.9, Math.max(0.1, share * 100));
  return `${percent < 10 || percent > 90 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}
