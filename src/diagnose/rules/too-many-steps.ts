/**
 * Too many steps, told apart by how they were spent. The first that fits is the one:
 *
 *   loop            the same calls again and again, with the same results
 *   lost-context    calls of long ago once more, although their results were there
 *   tools-too-fine  one thing at a time, by a tool that could take many
 *   task-too-big    none of these, and the limit was reached
 */
import { someOf, type LikelyFault } from '../likely-fault.ts';
import { type CallFact, evidenceOf, type RunFacts } from '../run-facts.ts';

/** The longest cycle that is looked for. */
const longestPeriod = 6;
/** Rounds after which a cycle is one: reading twice is checking, three times is not. */
const leastRounds = 3;
/** Calls of one tool, one a step, before it counts as too fine. */
const leastFine = 8;
/** Steps between a call and its repetition before the first one counts as forgotten. */
const leastDistance = 3;

export function tooManySteps(facts: RunFacts): readonly LikelyFault[] {
  const code = facts.trace.ending?.failure?.code;
  const isStopped = code === 'run-steps-exhausted' || code === 'run-time-exhausted';
  const found =
    loop(facts, isStopped) ?? lostContext(facts, isStopped) ?? tooFine(facts, isStopped) ?? tooBig(facts, isStopped);
  return found === undefined ? [] : [found];
}

/** A row of calls that ends as it began: the same keys with the same results, round after round. */
function loop({ calls }: RunFacts, isStopped: boolean): LikelyFault | undefined {
  const words = calls.map((call) => `${call.key} ${call.resultText}`);
  for (let period = 1; period <= longestPeriod; period += 1) {
    let run = 0;
    for (let at = period; at < words.length; at += 1) {
      run = words[at] === words[at - period] ? run + 1 : 0;
      if (run < period * (leastRounds - 1)) continue;
      let end = at;
      while (end + 1 < words.length && words[end + 1] === words[end + 1 - period]) end += 1;
      return loopOf(calls.slice(at - run - period + 1, end + 1), period, isStopped);
    }
  }
  return undefined;
}

function loopOf(rounds: readonly CallFact[], period: number, isStopped: boolean): LikelyFault {
  const what = rounds
    .slice(0, period)
    .map(({ tool }) => tool)
    .join(', ');
  const count = Math.floor(rounds.length / period);
  return {
    code: 'loop',
    confidence: isStopped ? 0.95 : 0.8,
    summary: `The model called ${what} ${count} times with the same arguments and got the same ${period === 1 ? 'result' : 'results'}.`,
    evidence: someOf(rounds.map((call) => evidenceOf(call, `${call.key.slice(0, 120)} in step ${call.step}`))),
    remedy:
      'Let the result say what is to be done next (a failure with advice, a state that changes), and say in the instructions when to give up. `budget.steps` ends what is left.',
  };
}

function lostContext({ calls }: RunFacts, isStopped: boolean): LikelyFault | undefined {
  const again: CallFact[] = [];
  const first = new Map<string, CallFact>();
  for (const call of calls) {
    const before = first.get(call.key);
    const isChanged = calls.some(
      ({ span, step }) => span.effect !== 'read' && before !== undefined && step >= before.step && step < call.step,
    );
    if (before === undefined || isChanged) first.set(call.key, call);
    else if (call.step - before.step >= leastDistance && call.resultText === before.resultText) again.push(call);
  }
  const forgotten = new Set(again.map(({ key }) => key)).size;
  if (forgotten < 2) return undefined;
  return {
    code: 'lost-context',
    confidence: isStopped ? 0.9 : 0.7,
    summary: `${forgotten} calls were made once more, steps later, although their results were in the conversation and nothing had changed.`,
    evidence: someOf(
      again.map((call) =>
        evidenceOf(call, `${call.key.slice(0, 120)}, first asked in step ${first.get(call.key)?.step ?? 0}`),
      ),
    ),
    remedy:
      'Keep results short, so that the model finds them again, let tools publish what later calls need (`publishes`), or declare a `cache`, which answers for nothing.',
  };
}

function tooFine({ calls, answers }: RunFacts, isStopped: boolean): LikelyFault | undefined {
  for (const [tool, mine] of Map.groupBy(calls, (call) => call.tool)) {
    const distinct = new Set(mine.map(({ key }) => key)).size;
    const steps = new Set(mine.map(({ step }) => step)).size;
    const isMost = steps >= answers.length * 0.6;
    if (distinct < (isStopped ? leastFine : leastFine + 4) || steps < distinct * 0.8 || !isMost) continue;
    return {
      code: 'tools-too-fine',
      confidence: isStopped ? 0.85 : 0.6,
      summary: `${tool} was called ${mine.length} times, one thing a step.`,
      evidence: someOf(mine.map((call) => evidenceOf(call, `${call.key.slice(0, 120)} in step ${call.step}`))),
      remedy: `Let ${tool} take a list, or offer a tool that answers the question as a whole; calls of one turn run side by side when the model asks for several.`,
    };
  }
  return undefined;
}

function tooBig({ trace, answers, calls }: RunFacts, isStopped: boolean): LikelyFault | undefined {
  const last = answers.at(-1);
  if (!isStopped || last === undefined || calls.length === 0) return undefined;
  const tools = new Set(calls.map(({ tool }) => tool)).size;
  return {
    code: 'task-too-big',
    confidence: 0.6,
    summary: `The run reached its limit after ${answers.length} steps with ${tools} tools and was still getting on.`,
    evidence: [{ seq: last.span.seq, spanId: last.span.id, text: trace.ending?.failure?.message ?? '' }],
    remedy: 'Split the task into runs of their own, or give this agent a larger `budget.steps` or `budget.time`.',
  };
}
