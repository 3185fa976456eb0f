/**
 * A provider's format of tools, calls and results, in both directions. Pure: data in, data out; nothing is sent and nothing is run.
 *
 * F1 What goes out and comes back in is what it was, for names that the provider does not take as well.
 * F2 What comes in is data of somebody else: what has another form is left out, never guessed.
 */
import type { Intent } from '../call/intent.ts';
import type { ToolDefinition } from '../call/tool-definition.ts';
import { resolveName } from '../contract/resolve-name.ts';
import { type AliasProvider, toolAlias } from '../contract/tool-alias.ts';
import { isJsonObject, isRecord, type JsonObject, toJson } from '../util/json.ts';

/** A call as a model sent it. */
export interface FormatCall extends Pick<Intent, 'toolCallId' | 'toolName' | 'argumentsText'> {
  /** Present when the answer was cut off at its output limit: what is there of the arguments may not be all of them. */
  readonly truncated?: true;
}

/** What a model is told of a call. */
export interface FormatResult {
  readonly toolCallId: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolFormat<Tool, Answer, Result> {
  /** Tools as the provider takes them, under names that it takes. */
  toTools(definitions: readonly ToolDefinition[]): readonly Tool[];
  /** Tools out of a request in this format. */
  fromTools(tools: unknown): readonly ToolDefinition[];
  /** Calls as the provider's model would send them: its answer, for a history. */
  toCalls(calls: readonly FormatCall[]): Answer;
  /** The calls of an answer, under the names that the tools have; `definitions` are those that were shown. */
  fromCalls(answer: unknown, definitions?: readonly Pick<ToolDefinition, 'name'>[]): readonly FormatCall[];
  /** Results as they go back: what is to be added to the history, in order. */
  toResults(results: readonly FormatResult[]): readonly Result[];
  /** Results out of a history in this format. */
  fromResults(messages: unknown): readonly FormatResult[];
}

/** The name of a tool on the wire, and back. */
export function nameOnWire(name: string, provider: AliasProvider): string {
  return toolAlias(name, provider);
}

/**
 * A name that means exactly one of the tools is its name; any other stays as it was written, and is refused by whoever runs it. What a tool was shown as comes
 * first: another one may be named exactly so, and was shown as something else.
 */
export function namesBehind(
  definitions: readonly Pick<ToolDefinition, 'name'>[],
  provider: AliasProvider,
): (written: string) => string {
  const names = definitions.map(({ name }) => name);
  const shown = new Map(names.map((name) => [nameOnWire(name, provider), name]));
  return (written) => shown.get(written) ?? resolveName(written, names) ?? written;
}

export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A tool without parameters may come without a schema. */
export function schemaOf(value: unknown): JsonObject {
  const schema = isRecord(value) ? toJson(value) : undefined;
  return isJsonObject(schema) ? schema : { type: 'object', properties: {} };
}

/** The text of content that is a text, or a list of parts with texts. */
export function wordsOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => textOf(part['text']))
        .join('');
}

export function marked(truncated: boolean): { readonly truncated?: true } {
  return truncated ? { truncated: true } : {};
}
