/** Runs of one input beside each other: the same question should not be answered by other means each time. */
import type { Append } from '../journal/entry.ts';
import { canonicalJson } from '../util/json.ts';
import { type Evidence, type LikelyFault, someOf } from './likely-fault.ts';
import { factsOf, type RunFacts } from './run-facts.ts';

/** Fewer runs say nothing. */
const leastRuns = 3;

/** @param runs Journals of runs of one agent with one input, those that have ended. */
export function unstableResults(runs: readonly (readonly Append[])[]): readonly LikelyFault[] {
  const ended = runs.map(factsOf).filter(({ trace }) => trace.ending !== undefined);
  if (ended.length < leastRuns) return [];
  const endings = Map.groupBy(ended, ({ trace }) => trace.ending?.kind ?? '');
  const effects = Map.groupBy(ended, effectsOf);
  if (endings.size === 1 && effects.size === 1) return [];
  const differ = effects.size > 1 ? effects : endings;
  const what = effects.size > 1 ? 'had other effects' : 'ended in another way';
  const usual = Math.max(...[...differ.values()].map((group) => group.length));
  return [
    {
      code: 'unstable-results',
      confidence: Math.min(0.9, 0.5 + (ended.length - usual) / ended.length),
      summary: `Of ${ended.length} runs of this input, ${ended.length - usual} ${what} than the others.`,
      evidence: someOf(ended.map((facts) => evidenceOf(facts))),
      remedy:
        'Set `temperature` to 0, say in the instructions which tool answers which question, and compare two of the runs; a plan fixes the order where it must not vary.',
    },
  ];
}

/** What a run did to the world: its effects in order. Reads may vary. */
function effectsOf({ calls }: RunFacts): string {
  const done = calls.filter(({ span }) => span.effect !== 'read' && span.outcome?.status === 'succeeded');
  return canonicalJson(done.map(({ key }) => key));
}

function evidenceOf(facts: RunFacts): Evidence {
  const { trace, calls } = facts;
  const did = calls
    .filter(({ span }) => span.effect !== 'read' && span.outcome?.status === 'succeeded')
    .map(({ key }) => key.slice(0, 80));
  const effects = did.length === 0 ? 'no effect' : did.join('; ');
  return {
    runId: trace.runId,
    seq: trace.seq,
    spanId: 'run',
    text: `${trace.runId} ${trace.ending?.kind ?? ''} after ${trace.totals.steps} steps: ${effects}`,
  };
}
