/** Several calls of one turn: ids that repeat, calls that throw, calls that are refused. Each has one result, under an id of its own. */
import type { Policy } from 'axle';
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../fields.ts';
import { type Observation, observe, type OfferedTool } from '../trial.ts';
import { compatible, play } from '../played-recording.ts';
import { isSame } from '../same-values.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

interface AskedCall {
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
}

export async function idCases({ input, expect }: Issue): Promise<Verdict> {
  if (input['calls'] !== undefined) {
    const calls = listOf(input['calls'], 'calls').map((each) => {
      const { id, name, args } = fieldsOf(each, 'calls');
      return { id: textOf(id, 'calls.id'), name: textOf(name, 'calls.name'), input: args };
    });
    return countedRight(await inOneTurn(calls), expect['executed']);
  }
  if (input['deltas'] !== undefined) return ofStream(listOf(input['deltas'], 'deltas'), expect);
  if (input['snapshots'] === undefined) return notCovered('neither calls, deltas nor snapshots');
  const calls = listOf(input['snapshots'], 'snapshots').flatMap((snapshot) =>
    listOf(snapshot, 'snapshots').map((id) => ({ id: textOf(id, 'snapshots'), name: 'step', input: { of: id } })),
  );
  return countedRight(await inOneTurn(calls), expect['executed']);
}

/** The pieces of a stream of chat completions, read by the provider's own adapter. */
async function ofStream(deltas: readonly unknown[], expect: Fields): Promise<Verdict> {
  const pieces = deltas.map((each) => fieldsOf(each, 'deltas'));
  const chunkOf = (delta: Fields, finishReason: string | null): Fields => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  const chunks = pieces.map(({ index, id, name, args }) =>
    chunkOf({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] }, null),
  );
  const names = [...new Set(pieces.map(({ name }) => String(name)))].filter((name) => name !== '');
  const seen = await play({ chunks: [...chunks, chunkOf({}, 'tool_calls')] }, compatible, names);
  if (seen.ran.length !== expect['calls']) return wrong(`${JSON.stringify(seen.ran)} ran`);
  if (expect['args'] !== undefined && !isSame(seen.ran[0]?.input, expect['args'])) {
    return wrong(`it ran with ${JSON.stringify(seen.ran[0]?.input)}`);
  }
  const bound = seen.entries.flatMap((entry) => (entry.type === 'call-bound' ? [entry.call.toolCallId] : []));
  return expect['id'] === undefined || bound[0] === expect['id'] ? right : wrong(`the id is ${bound[0]}`);
}

function countedRight(seen: Observation, executed: unknown): Verdict {
  if (seen.ran.length !== executed) return wrong(`${seen.ran.length} calls ran`);
  return historyFault(seen) ?? right;
}

function inOneTurn(
  calls: readonly AskedCall[],
  extra: Partial<OfferedTool> & { readonly policy?: Policy } = {},
): Promise<Observation> {
  const { policy, ...declared } = extra;
  const tools = [...new Set(calls.map(({ name }) => name))].map((name) => ({
    name,
    inputSchema: { type: 'object' },
    effect: 'idempotent' as const,
    ...declared,
  }));
  return observe({ tools, turns: [{ calls }], ...(policy === undefined ? {} : { policy }) });
}

/** Every call of the history has one result with its id, and no id stands for two. */
function historyFault({ requests }: Observation): Verdict | undefined {
  for (const item of requests.at(-1)?.items ?? []) {
    if (item.kind !== 'assistant' && item.kind !== 'results') continue;
    const ids =
      item.kind === 'assistant'
        ? item.calls.map((call) => call.toolCallId)
        : item.results.map((each) => each.toolCallId);
    if (new Set(ids).size !== ids.length) return wrong(`ids in the history: ${ids.join(', ')}`);
  }
  const [calls = [], results = []] = ['assistant', 'results'].map((kind) =>
    (requests.at(-1)?.items ?? []).flatMap((item) => {
      if (item.kind !== kind) return [];
      return item.kind === 'assistant'
        ? item.calls.map((call) => call.toolCallId)
        : item.kind === 'results'
          ? item.results.map((each) => each.toolCallId)
          : [];
    }),
  );
  return JSON.stringify(calls) === JSON.stringify(results) ? undefined : wrong('calls and results are not paired');
}

/** `ok(1)`, `throws(...)`, `a()`: a call that gives back, one that throws, and whichever a policy filters. */
export async function parallelCases({ input, expect }: Issue): Promise<Verdict> {
  const written = listOf(input['calls'], 'calls').map((call) => textOf(call, 'calls'));
  const calls = written.map((call, index) => ({ name: /^\w+/.exec(call)?.[0] ?? 'call', input: { index } }));
  const filtered = /^(\w+) is filtered/.exec(String(input['policy']))?.[1];
  const policy: Policy = ({ call }) =>
    call.tool === filtered
      ? { kind: 'deny', rule: 'filtered', reason: 'It is filtered.' }
      : { kind: 'allow', rule: 'all' };
  const seen = await inOneTurn(calls, {
    policy,
    execute: (given) => {
      const index = isFields(given) ? Number(given['index']) : 0;
      if (written[index]?.startsWith('throws') === true) throw new Error('');
      return index;
    },
  });
  const results = (seen.requests.at(-1)?.items ?? []).flatMap((item) => (item.kind === 'results' ? item.results : []));
  const expected = typeof expect['results'] === 'number' ? expect['results'] : written.length;
  if (results.length !== expected) return wrong(`${results.length} results reached the model`);
  const outOfOrder = results.some(({ toolName }, index) => toolName !== calls[index]?.name);
  if (outOfOrder) return wrong('the results are out of order');
  return historyFault(seen) ?? outcomesFault(results, filtered) ?? right;
}

type Results = Extract<Observation['requests'][number]['items'][number], { kind: 'results' }>['results'];

function outcomesFault(results: Results, filtered: string | undefined): Verdict | undefined {
  for (const { toolName, outcome } of results) {
    if (toolName === filtered && outcome.status !== 'denied') return wrong(`${toolName} is ${outcome.status}`);
    if (outcome.status === 'failed' && outcome.failure.message.trim() === '') return wrong('an error has no words');
  }
  return undefined;
}
