/**
 * The recorded trajectories of the tau-bench airline desk, read and checked (test/cases/README.md says where they come from).
 *
 * A recording is a list of steps in order: the customer says something, the model says something and may ask for a tool, a tool answers. In these
 * recordings a turn of the model asks for one call at most.
 */
import { readFileSync } from 'node:fs';
import { isJsonObject, isRecord, type JsonObject, type JsonValue, toJson } from '../../../src/util/json.ts';

export type RecordedStep =
  | { readonly user: string }
  | { readonly assistant: { readonly text?: string; readonly calls?: readonly RecordedIntent[] } }
  | { readonly tool: { readonly id: string; readonly name: string; readonly content: string } };

/** A call as the recorded model asked for it. */
export interface RecordedIntent {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}

/** A call with its answer. */
export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly content: string;
  /** In which turn of the model, counted from 1. */
  readonly turn: number;
}

/** What the recording says of its end. */
export interface Expected {
  readonly toolCalls: number;
  /** Ids of the calls that changed a table, in order. */
  readonly successfulWrites: readonly string[];
  /** Keys of the changed records, by table. */
  readonly changedKeys: Readonly<Record<string, readonly string[]>>;
  /** Hash of the changed records (`tables.ts`). */
  readonly differenceHash: string;
}

export interface Recording {
  readonly id: string;
  readonly steps: readonly RecordedStep[];
  readonly calls: readonly RecordedCall[];
  /** Turns of the model. */
  readonly turns: number;
  /** The customer's first words. */
  readonly opening: string;
  readonly expected: Expected;
}

/** A tool of the desk: its schema is the benchmark's, its effect our reading of its code. */
export interface RecordedTool {
  readonly name: string;
  readonly effect: 'read' | 'write' | 'handoff';
  readonly inputSchema: JsonObject;
}

function textOfFile(file: string): string {
  return readFileSync(new URL(`../data/${file}`, import.meta.url), 'utf8');
}

/** All recordings, in the order of the file. */
export function readRecordings(): readonly Recording[] {
  const lines = textOfFile('tau_airline_trajectories.jsonl').trim().split('\n');
  return lines.map((line) => toRecording(fields(JSON.parse(line))));
}

/** The tools of the desk, by name. */
export function readTools(): ReadonlyMap<string, RecordedTool> {
  const { tools } = fields(JSON.parse(textOfFile('tau_airline_tools.json')));
  return new Map(list(tools).map((tool) => [text(fields(tool)['name']), toTool(fields(tool))]));
}

/** Records of customers that no recorded call shows, by id. */
export function readUnshownUsers(): ReadonlyMap<string, JsonObject> {
  const { users } = fields(JSON.parse(textOfFile('tau_airline_users.json')));
  return new Map(Object.entries(fields(users)).map(([id, user]) => [id, object(toJson(user))]));
}

/** What the customer says after the model's n-th turn; undefined when somebody else is next. */
export function replyAfter(recording: Recording, turns: number): string | undefined {
  let seen = 0;
  for (const [index, step] of recording.steps.entries()) {
    if ('assistant' in step) seen += 1;
    const next = recording.steps[index + 1];
    if (seen === turns && next !== undefined) return 'user' in next ? next.user : undefined;
  }
  return undefined;
}

/** One recording, checked. */
export function toRecording(line: Readonly<Record<string, unknown>>): Recording {
  const steps = list(line['steps']).map((step) => toStep(fields(step)));
  const [first] = steps;
  const expect = fields(line['expect']);
  if (first === undefined || !('user' in first)) throw new Error('A recording begins with the customer.');
  return {
    id: text(line['id']),
    steps,
    calls: callsOf(steps),
    turns: steps.filter((step) => 'assistant' in step).length,
    opening: first.user,
    expected: {
      toolCalls: Number(expect['toolCalls']),
      successfulWrites: list(expect['successfulWrites']).map(text),
      changedKeys: Object.fromEntries(
        Object.entries(fields(expect['dbChanged'])).map(([table, keys]) => [table, list(keys).map(text)]),
      ),
      differenceHash: text(expect['dbDiffHash']),
    },
  };
}

function toStep(step: Readonly<Record<string, unknown>>): RecordedStep {
  if (typeof step['user'] === 'string') return { user: step['user'] };
  if (isRecord(step['tool'])) {
    const { id, name, content } = step['tool'];
    return { tool: { id: text(id), name: text(name), content: text(content) } };
  }
  const said = fields(step['assistant']);
  const calls = said['calls'] === undefined ? [] : list(said['calls']).map((call) => toIntent(fields(call)));
  return {
    assistant: {
      ...(said['text'] === undefined ? {} : { text: text(said['text']) }),
      ...(calls.length === 0 ? {} : { calls }),
    },
  };
}

function toIntent(call: Readonly<Record<string, unknown>>): RecordedIntent {
  return { id: text(call['id']), name: text(call['name']), arguments: text(call['arguments']) };
}

function callsOf(steps: readonly RecordedStep[]): readonly RecordedCall[] {
  const contents = new Map(
    steps.flatMap((step) => ('tool' in step ? [[step.tool.id, step.tool.content] as const] : [])),
  );
  const turns = steps.flatMap((step) => ('assistant' in step ? [step.assistant] : []));
  return turns.flatMap(({ calls = [] }, index) => {
    if (calls.length > 1) throw new Error('A recorded turn asks for one call at most.');
    return calls.map((call) => {
      const content = contents.get(call.id);
      if (content === undefined) throw new Error(`The recorded call ${call.id} has no answer.`);
      const input = object(toJson(JSON.parse(call.arguments)));
      return { id: call.id, name: call.name, input, content, turn: index + 1 };
    });
  });
}

function toTool(tool: Readonly<Record<string, unknown>>): RecordedTool {
  const { effect } = tool;
  if (effect !== 'read' && effect !== 'write' && effect !== 'handoff') {
    throw new Error(`No such effect: ${String(effect)}`);
  }
  return { name: text(tool['name']), effect, inputSchema: object(toJson(tool['inputSchema'])) };
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new Error(`Not an object in a recording: ${String(value)}`);
  return value;
}

function object(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new Error('Not an object in a recording.');
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`Not a list in a recording: ${String(value)}`);
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`Not a text in a recording: ${String(value)}`);
  return value;
}
