/** Arguments as models write them: which run, with what, and what the model is told of those that do not. */
import type { Entry } from 'axle';
import { effectOf, type Fields, fieldsOf, isFields, listOf, severalOf, textOf } from '../fields.ts';
import type { Issue } from './issue.ts';
import { isSame } from '../same-values.ts';
import { type Observation, observe, type OfferedTool, refusalsOf, repairsOf } from '../trial.ts';
import { missed, notCovered, right, together, type Verdict, wrong } from '../verdict.ts';

/** The inputs of a record are independent of each other; each is tried with each of its tools. */
export async function argumentCases({ input, expect }: Issue): Promise<Verdict> {
  const tools = toolsOf(input);
  const texts = textsOf(input);
  if (tools.length === 0 || texts.length === 0) return notCovered('no tool and arguments to try');
  const perInput = expect['perInput'] === undefined ? undefined : listOf(expect['perInput'], 'expect.perInput');
  const verdicts: Verdict[] = [];
  for (const [index, text] of texts.entries()) {
    const expected = perInput === undefined ? expect : fieldsOf(perInput[index], 'expect.perInput');
    for (const tool of tools) verdicts.push(await tried(tool, text, { input, expected, note: expect['note'] }));
  }
  return together(verdicts);
}

function toolsOf(input: Fields): readonly OfferedTool[] {
  const given = input['tools'] === undefined ? severalOf(input['tool']) : listOf(input['tools'], 'tools');
  return given.flatMap((each) => {
    if (!isFields(each)) return [];
    const { name, inputSchema, effect } = each;
    return [
      { name: textOf(name, 'tool.name'), inputSchema: fieldsOf(inputSchema, 'inputSchema'), effect: effectOf(effect) },
    ];
  });
}

/** Argument texts; a stream's deltas are one text; a request without arguments sends none. */
function textsOf(input: Fields): readonly string[] {
  if (input['rawArguments'] !== undefined) {
    return severalOf(input['rawArguments']).map((text) => textOf(text, 'rawArguments'));
  }
  if (input['deltas'] !== undefined) {
    return [
      listOf(input['deltas'], 'deltas')
        .map((delta) => textOf(delta, 'deltas'))
        .join(''),
    ];
  }
  if (!isFields(input['request'])) return [];
  const params = fieldsOf(input['request']['params'], 'request.params');
  return [params['arguments'] === undefined ? '' : JSON.stringify(params['arguments'])];
}

interface Expected {
  readonly input: Fields;
  readonly expected: Fields;
  readonly note: unknown;
}

async function tried(tool: OfferedTool, text: string, { input, expected, note }: Expected): Promise<Verdict> {
  const call = { kind: 'call', toolCallId: 'call_of_case', toolName: tool.name, argumentsText: text } as const;
  const finishReason = input['finishReason'] === 'length' ? 'length' : 'tool-calls';
  const seen = await observe({
    tools: [tool],
    turns: [{ status: 'answered', parts: [call], finishReason, usage: {} }],
  });
  const options = expected['oneOf'] === undefined ? [expected] : listOf(expected['oneOf'], 'expect.oneOf');
  const faults = options.map((option) => faultOf(seen, fieldsOf(option, 'expect'), { text, tool }));
  if (faults.includes(undefined)) return right;
  // A record may leave it open whether something is done at all.
  if (seen.ran.length === 0 && typeof note === 'string' && /otherwise reject/.test(note)) return right;
  const [fault = ''] = faults;
  if (seen.ran.length === 0) return missed(`${fault} ${JSON.stringify(text)} was sent back`);
  return wrong(fault, tool.effect === 'read' ? {} : { unsafe: true });
}

/** What about a run is not as one expectation has it; undefined when all of it is. */
function faultOf(
  seen: Observation,
  expected: Fields,
  { text, tool }: { readonly text: string; readonly tool: OfferedTool },
): string | undefined {
  const ran = JSON.stringify(seen.ran.map((each) => each.input));
  if (expected['outcome'] === 'reject') return rejectionFault(seen, expected);
  if (expected['outcome'] !== 'execute') return `the outcome ${JSON.stringify(expected['outcome'])} is unknown`;
  const calls = expected['calls'] ?? expected['executed'] ?? 1;
  if (seen.ran.length !== calls) return `${JSON.stringify(calls)} should run, and ran: ${ran}`;
  if (expected['args'] !== undefined && !seen.ran.every((each) => isSame(each.input, expected['args']))) {
    return `it ran as ${ran}`;
  }
  const { idText } = expected;
  if (typeof idText === 'string' && !holdsExactly(seen.ran[0]?.input, idText)) return `it ran as ${ran}`;
  const isAsWritten = seen.ran.length === 1 && isSame(JSON.stringify(seen.ran[0]?.input), text);
  if (!isAsWritten && seen.ran.length === 1 && repairsOf(seen).length === 0 && tool.effect !== 'read') {
    return 'what was changed is not recorded';
  }
  const repairs = expected['repairs'] === undefined ? [] : listOf(expected['repairs'], 'expect.repairs');
  const paths = repairs.flatMap((each) => /\/\S*/.exec(textOf(each, 'expect.repairs')) ?? []);
  const unseen = paths.find((path) => !repairsOf(seen).some((repair) => repair.path === path));
  return unseen === undefined ? undefined : `no repair is recorded at ${unseen}`;
}

/** A number may be handed over as a text, and never as another number. */
function holdsExactly(input: unknown, digits: string): boolean {
  return isFields(input) && Object.values(input).some((value) => String(value) === digits);
}

/** A refusal must say something that the model can act on. */
function rejectionFault(seen: Observation, { code }: Fields): string | undefined {
  if (seen.ran.length > 0) return `it should be sent back, and ran as ${JSON.stringify(seen.ran[0]?.input)}`;
  const refusals = refusalsOf(seen);
  if (refusals.length === 0) return 'nothing was refused';
  if (typeof code === 'string' && !refusals.some((refusal) => refusal.code.includes(code))) {
    return `it was refused as ${refusals.map((refusal) => refusal.code).join(', ')}`;
  }
  return wasTold(seen.entries) ? undefined : 'the model was not told why';
}

function wasTold(entries: readonly Entry[]): boolean {
  return entries.some((entry) => entry.type === 'call-refused' && entry.failure.message.trim() !== '');
}
