/** What the events of a recording say, read by themselves: the calls that are left to the client, and the words. One reader for each API. */
import { type Fields, isFields, RecordFault } from './fields.ts';

export interface RecordedCall {
  readonly name: string;
  readonly input: unknown;
}

export interface RecordedAnswer {
  readonly calls: readonly RecordedCall[];
  readonly text: string;
}

/** A call that is being put together. */
interface Draft {
  name: string;
  json: string;
  readonly members: Record<string, unknown>;
}

interface Drafts {
  readonly calls: Draft[];
  text: string;
}

type EventReader = (event: Fields, drafts: Drafts) => void;

const readers: ReadonlyMap<string, EventReader> = new Map([
  ['messages', readMessages],
  ['generateContent', readGenerateContent],
  ['interactions', readInteractions],
  ['chat completions', readChatCompletions],
  ['responses', readResponses],
  ['converse', readConverse],
]);

export function readRecording(record: Fields, api: string): RecordedAnswer {
  const reader = readers.get(api);
  const { chunks } = record;
  if (reader === undefined || !Array.isArray(chunks)) throw new RecordFault('chunks must be a list');
  const drafts: Drafts = { calls: [], text: '' };
  for (const chunk of chunks) reader(fields(chunk), drafts);
  return {
    calls: drafts.calls.map(({ name, json, members }) => ({
      name,
      input: json.trim() === '' ? members : (JSON.parse(json) as unknown),
    })),
    text: drafts.text,
  };
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function begin(drafts: Drafts, name: unknown): Draft {
  const draft: Draft = { name: text(name), json: '', members: {} };
  drafts.calls.push(draft);
  return draft;
}

/** Only `tool_use` is left to the client; the provider ran the rest itself. */
function readMessages(event: Fields, drafts: Drafts): void {
  const block = fields(event['content_block']);
  const delta = fields(event['delta']);
  if (block['type'] === 'tool_use') begin(drafts, block['name']);
  if (block['type'] !== undefined) lastBlockIsOurs.set(drafts, block['type'] === 'tool_use');
  if (delta['type'] === 'text_delta') Object.assign(drafts, { text: drafts.text + text(delta['text']) });
  if (delta['type'] === 'input_json_delta' && lastBlockIsOurs.get(drafts) === true) {
    extend(drafts.calls.at(-1), delta['partial_json']);
  }
}

const lastBlockIsOurs = new WeakMap<Drafts, boolean>();

function extend(draft: Draft | undefined, json: unknown): void {
  if (draft !== undefined) Object.assign(draft, { json: draft.json + text(json) });
}

function readChatCompletions(event: Fields, drafts: Drafts): void {
  const delta = fields(fields(list(event['choices'])[0])['delta']);
  Object.assign(drafts, { text: drafts.text + text(delta['content']) });
  for (const part of list(delta['tool_calls']).map(fields)) {
    const called = fields(part['function']);
    const id = text(part['id']);
    const known = openCalls.get(drafts) ?? [];
    openCalls.set(drafts, known);
    let open = known.findLast((each) => each.index === part['index'] && (id === '' || each.id === id));
    if (open === undefined) {
      open = { index: part['index'], id, draft: begin(drafts, called['name']) };
      known.push(open);
    }
    extend(open.draft, called['arguments']);
  }
}

const openCalls = new WeakMap<Drafts, { readonly index: unknown; readonly id: string; readonly draft: Draft }[]>();

function readResponses(event: Fields, drafts: Drafts): void {
  if (event['type'] === 'response.output_text.delta') {
    Object.assign(drafts, { text: drafts.text + text(event['delta']) });
  }
  if (event['type'] !== 'response.output_item.done') return;
  const item = fields(event['item']);
  if (item['type'] === 'function_call') extend(begin(drafts, item['name']), item['arguments']);
  if (item['type'] === 'local_shell_call') {
    const { command, env, timeout_ms: timeoutMs, user, working_directory: folder } = fields(item['action']);
    const action = { type: 'exec', command, timeoutMs, user, workingDirectory: folder, env };
    extend(begin(drafts, 'local_shell'), JSON.stringify({ action }));
  }
}

/** Arguments may come whole, or by their paths in pieces. */
function readGenerateContent(event: Fields, drafts: Drafts): void {
  const { parts } = fields(fields(list(event['candidates'])[0])['content']);
  for (const part of list(parts).map(fields)) {
    if (part['thought'] !== true) Object.assign(drafts, { text: drafts.text + text(part['text']) });
    const called = fields(part['functionCall']);
    if (called['name'] !== undefined) Object.assign(begin(drafts, called['name']).members, fields(called['args']));
    const members = drafts.calls.at(-1)?.members;
    for (const { jsonPath, ...value } of list(called['partialArgs']).map(fields)) {
      const key = /^\$\.(\w+)$/.exec(text(jsonPath))?.[1];
      if (key === undefined || members === undefined) {
        throw new RecordFault(`the path ${text(jsonPath)} is not read here`);
      }
      const { stringValue, numberValue, boolValue } = value;
      members[key] =
        stringValue === undefined ? (numberValue ?? boolValue ?? null) : text(members[key]) + text(stringValue);
    }
  }
}

function readInteractions(event: Fields, drafts: Drafts): void {
  const step = fields(event['step']);
  const delta = fields(event['delta']);
  if (step['type'] === 'function_call') Object.assign(begin(drafts, step['name']).members, fields(step['arguments']));
  if (delta['type'] === 'arguments_delta') extend(drafts.calls.at(-1), delta['arguments']);
  if (delta['type'] === 'text') Object.assign(drafts, { text: drafts.text + text(delta['text']) });
}

function readConverse(event: Fields, drafts: Drafts): void {
  const started = fields(fields(fields(event['contentBlockStart'])['start'])['toolUse']);
  const delta = fields(fields(event['contentBlockDelta'])['delta']);
  if (started['name'] !== undefined) begin(drafts, started['name']);
  Object.assign(drafts, { text: drafts.text + text(delta['text']) });
  if (delta['toolUse'] !== undefined) extend(drafts.calls.at(-1), fields(delta['toolUse'])['input']);
}
