/** What stands around the agent and failed: an overloaded service, a tool, a changed format, the model. */
import type { Failure } from '../../call/outcome.ts';
import { durationText } from '../../trace/duration-text.ts';
import type { AttemptSpan } from '../../trace/trace.ts';
import { someOf, type Evidence, type LikelyFault } from '../likely-fault.ts';
import { type CallFact, evidenceOf, type RunFacts } from '../run-facts.ts';

const overloadCodes = new Set([
  'upstream-rate-limited',
  'upstream-unavailable',
  'upstream-open',
  'upstream-queue-full',
  'upstream-wait-too-long',
]);
/** A single one is what retries are for. */
const leastOverloads = 3;
/** Share of a run's time in a queue that somebody notices. */
const leastWaitShare = 0.4;

export function upstreamOverload({ trace, calls }: RunFacts): readonly LikelyFault[] {
  const events: Evidence[] = [];
  let waitedMs = 0;
  let isOpened = false;
  for (const call of calls) {
    for (const part of call.span.children) {
      if (part.kind === 'attempt' && overloadCodes.has(failureCode(part) ?? '')) {
        events.push({
          seq: part.seq,
          spanId: part.id,
          text: `${call.tool}: ${failureCode(part) ?? ''} at attempt ${part.attempt}`,
        });
      } else if (part.kind === 'refused-by-upstream') {
        events.push({ seq: part.seq, spanId: part.id, text: `${part.upstream} refused: ${part.failure.code}` });
      } else if (part.kind === 'breaker' && part.to === 'open') {
        isOpened = true;
        events.push({ seq: part.seq, spanId: part.id, text: `The breaker of ${part.upstream} opened: ${part.reason}` });
      } else if (part.kind === 'wait' && part.on.kind === 'upstream') {
        const tookMs = (part.endMs ?? trace.lastMs) - part.startMs;
        waitedMs += tookMs;
        events.push({
          seq: part.seq,
          spanId: part.id,
          text: `${call.tool} waited ${durationText(tookMs)} for ${part.on.upstream}`,
        });
      }
    }
  }
  const isQueue = waitedMs >= 1_000 && waitedMs >= trace.totals.spannedMs * leastWaitShare;
  if (!isOpened && !isQueue && events.length < leastOverloads) return [];
  return [
    {
      code: 'upstream-overload',
      confidence: isOpened || events.length > leastOverloads ? 0.85 : 0.75,
      summary: isQueue
        ? `Calls waited ${durationText(waitedMs)} for a service that is asked too often.`
        : `A service was overloaded or away: ${events.length} attempts were turned away.`,
      evidence: someOf(events),
      remedy:
        'Declare `limits` that fit the service (shared by an `upstream` name), a `cache` for repeated reads, or a `fallback`; `axle upstreams` shows its state.',
    },
  ];
}

function failureCode({ end }: AttemptSpan): string | undefined {
  return end?.status === 'failed' ? end.failure.code : undefined;
}

export function outputDrift({ calls }: RunFacts): readonly LikelyFault[] {
  const drifted = calls.filter((call) => call.attempts.some(({ end }) => isDrift(end)));
  if (drifted.length === 0) return [];
  const tools = [...new Set(drifted.map(({ tool }) => tool))].join(', ');
  return [
    {
      code: 'output-drift',
      confidence: 0.8,
      summary: `${tools} answered in another form than declared.`,
      evidence: someOf(
        drifted.map((call) => evidenceOf(call, call.failure?.message ?? `${call.tool} drifted in step ${call.step}`)),
      ),
      remedy: `Look at what came (\`axle show RUN --entries\` keeps it) and declare the new form under a new version of ${tools}.`,
    },
  ];
}

function isDrift(end: AttemptSpan['end']): boolean {
  return end?.status === 'failed' && end.drift !== undefined;
}

/** Faults that other rules name. */
const namedElsewhere = /^(?:upstream-|tool-timed-out|output-invalid|arguments-|tool-unknown|regenerations-)/u;

export function toolFailing({ calls }: RunFacts): readonly LikelyFault[] {
  const began = calls.filter(({ span }) => span.refusal === undefined && span.outcome !== undefined);
  return [...Map.groupBy(began, ({ tool }) => tool)].flatMap(([tool, mine]): readonly LikelyFault[] => {
    const failed = mine.filter((call) => call.failure !== undefined && !namedElsewhere.test(call.failure.code));
    if (failed.length < 2 || failed.length < mine.length) return [];
    return [
      {
        code: 'tool-failing',
        confidence: 0.6,
        summary: `All ${mine.length} calls of ${tool} failed.`,
        evidence: someOf(failed.map((call: CallFact) => evidenceOf(call, call.failure?.message ?? ''))),
        remedy: `Try it by hand with the same arguments (\`axle call ${tool} …\`), and let its errors say what the model can do about them.`,
      },
    ];
  });
}

export function modelFailing({ trace, modelFailures }: RunFacts): readonly LikelyFault[] {
  const end = trace.ending?.failure;
  const isEnd = end?.code.startsWith('model-') === true;
  const last = modelFailures.at(-1);
  if (!isEnd && modelFailures.length < 3) return [];
  return [
    {
      code: 'model-failing',
      confidence: isEnd ? 0.95 : 0.6,
      summary: isEnd
        ? `The run ended over its model: ${end.message}`
        : `${modelFailures.length} calls of the model failed.`,
      evidence: someOf(
        modelFailures.map(({ span, failure }) => ({ seq: span.seq, spanId: span.id, text: failure.message })),
      ),
      remedy: modelRemedy(end?.code === 'model-threw' ? end : last?.failure),
    },
  ];
}

function modelRemedy(failure: Failure | undefined): string {
  if (failure?.code === 'model-threw') {
    return 'The model object itself threw, not its provider: look for the mistake in its code, or in the adapter that it comes from. A brain answers faults that it expects as `failed`.';
  }
  return failure?.class === 'retryable'
    ? 'The provider was overloaded or away: raise the attempts of a model call, or start the run again later.'
    : 'Look at the message: key, name of the model, size of the context, or a request that the provider refuses.';
}
