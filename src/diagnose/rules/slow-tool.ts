/** A tool that takes the time of the run. */
import { durationText } from '../../trace/duration-text.ts';
import { someOf, type LikelyFault } from '../likely-fault.ts';
import { evidenceOf, type RunFacts } from '../run-facts.ts';

/** Shorter ones are not what a person waits for. */
const slowMs = 5_000;
/** Share of the time at work that one tool must take. */
const leastShare = 0.5;

export function slowTool({ trace, calls }: RunFacts): readonly LikelyFault[] {
  return [
    ...Map.groupBy(
      calls.filter(({ attempts }) => attempts.length > 0),
      ({ tool }) => tool,
    ),
  ].flatMap(([tool, mine]): readonly LikelyFault[] => {
    const attempts = mine.flatMap((call) => call.attempts);
    const timedOut = attempts.filter(({ end }) => end?.status === 'failed' && end.failure.code === 'tool-timed-out');
    const totalMs = mine.reduce((sum, call) => sum + call.workedMs, 0);
    const meanMs = totalMs / attempts.length;
    const isMost = totalMs >= trace.totals.workedMs * leastShare;
    const isSlow = meanMs >= slowMs && isMost;
    if (timedOut.length === 0 && !isSlow) return [];
    const took =
      attempts.length === 1
        ? `The only attempt of ${tool} took ${durationText(meanMs)}`
        : `${attempts.length} attempts of ${tool} took ${durationText(meanMs)} each`;
    const ofThem = attempts.length === 1 ? '' : `${timedOut.length} of them `;
    const limits = timedOut.length === 0 ? '' : `, ${ofThem}to ${attempts.length === 1 ? 'its' : 'their'} time limit`;
    return [
      {
        code: 'slow-tool',
        confidence: timedOut.length > 1 || (timedOut.length === 1 && isMost) ? 0.9 : 0.75,
        summary: `${took}${limits}.`,
        evidence: someOf(
          mine.map((call) => evidenceOf(call, `${call.tool} took ${durationText(call.workedMs)} in step ${call.step}`)),
        ),
        remedy: `Look at the service behind ${tool}; raise its \`timeout\` when such times are usual, declare a \`cache\` for what changes seldom, a \`fallback\` for when it is slow.`,
      },
    ];
  });
}
