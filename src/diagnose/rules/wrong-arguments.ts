/** Arguments that did not fit, and arguments and tools that the model made up. */
import type { JsonValue } from '../../util/json.ts';
import { isRecord } from '../../util/json.ts';
import { someOf, type LikelyFault } from '../likely-fault.ts';
import { type CallFact, evidenceOf, type RunFacts } from '../run-facts.ts';

const invalid = new Set([
  'arguments-invalid',
  'arguments-unreadable',
  'arguments-truncated',
  'arguments-ambiguous',
  'arguments-too-large',
]);

/** One invalid call that the next one mends is what the message to the model is for. */
const leastInvalid = 2;

export function badArguments({ trace, calls }: RunFacts): readonly LikelyFault[] {
  const refused = calls.filter(
    ({ span, failure }) => span.refusal?.dropped === false && invalid.has(failure?.code ?? ''),
  );
  const stopped = trace.ending?.failure?.code === 'regenerations-exhausted';
  return [...Map.groupBy(refused, ({ tool }) => tool)].flatMap(([tool, mine]): readonly LikelyFault[] => {
    if (mine.length < leastInvalid) return [];
    return [
      {
        code: 'bad-arguments',
        confidence: stopped ? 0.95 : Math.min(0.85, 0.4 + 0.15 * mine.length),
        summary: `${mine.length} calls of ${tool} had arguments that it does not take.`,
        evidence: someOf(mine.map((call) => evidenceOf(call, call.failure?.message ?? ''))),
        remedy: `Give ${tool} an example and say in each parameter what it holds; make the schema as wide as the tool really is. \`axle lint\` scores it.`,
      },
    ];
  });
}

export function inventedTool({ calls }: RunFacts): readonly LikelyFault[] {
  const unknown = calls.filter(({ failure }) => failure?.code === 'tool-unknown');
  if (unknown.length < leastInvalid) return [];
  const names = [...new Set(unknown.map(({ tool }) => tool))].join(', ');
  return [
    {
      code: 'invented-tool',
      confidence: Math.min(0.9, 0.5 + 0.15 * unknown.length),
      summary: `The model called tools that do not exist ${unknown.length} times: ${names}.`,
      evidence: someOf(unknown.map((call) => evidenceOf(call, call.failure?.message ?? call.tool))),
      remedy: 'Offer a tool for what it wanted to do, or take names of tools that are gone out of the instructions.',
    },
  ];
}

/** Faults of the service, not of what it was asked for. */
const notOfArguments = /^(?:tool-timed-out|upstream-|lock-|authorization-|sandbox-|call-|mcp-unavailable)/u;

export function inventedArguments({ accepted, calls }: RunFacts): readonly LikelyFault[] {
  if (accepted?.task.kind !== 'agent') return [];
  const known = [accepted.task.input, accepted.task.agent.instructions];
  const found: { readonly call: CallFact; readonly values: readonly string[] }[] = [];
  let seen = known.join('\n').toLowerCase();
  for (const [, turn] of Map.groupBy(calls, ({ step }) => step)) {
    for (const call of turn) {
      if (call.failure === undefined || call.span.refusal !== undefined || notOfArguments.test(call.failure.code)) {
        continue;
      }
      const values = identifiersIn(call.span.input).filter((value) => !seen.includes(value.toLowerCase()));
      if (values.length > 0) found.push({ call, values });
    }
    seen += `\n${turn
      .map(({ resultText }) => resultText)
      .join('\n')
      .toLowerCase()}`;
  }
  if (found.length === 0) return [];
  const tools = [...new Set(found.map(({ call }) => call.tool))].join(', ');
  return [
    {
      code: 'invented-arguments',
      confidence: found.length > 1 ? 0.9 : 0.75,
      summary: `${tools} failed over ${found.length === 1 ? 'a value' : 'values'} that stand neither in the question nor in any result.`,
      evidence: someOf(
        found.map(({ call, values }) =>
          evidenceOf(call, `${call.tool} got ${values.join(', ')}: ${call.failure?.message ?? ''}`),
        ),
      ),
      remedy:
        'Declare where the value comes from (`inputs` takes it out of an earlier result, the model cannot write it), or `requires`, so that the call is refused before the value is known.',
    },
  ];
}

/** Texts that name one thing: an address of mail, or letters with digits and no blank, five characters or more; and long numbers. */
function identifiersIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return isIdentifier(value) ? [value] : [];
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) >= 10_000 ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => identifiersIn(item));
  return isRecord(value) ? Object.values(value).flatMap((item) => identifiersIn(item)) : [];
}

function isIdentifier(text: string): boolean {
  if (/\s/u.test(text) || text.length < 5 || text.length > 200) return false;
  const isDate = /^\d{4}-\d{2}-\d{2}/u.test(text);
  return !isDate && (/\d/u.test(text) || /^[^@]+@[^@]+\.[a-z]+$/iu.test(text));
}
