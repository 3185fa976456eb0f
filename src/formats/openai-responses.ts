/** The responses API of OpenAI: calls and their outputs are items. */
import { isRecord, type JsonObject } from '../util/json.ts';
import { listOf, marked, namesBehind, nameOnWire, schemaOf, textOf, type ToolFormat, wordsOf } from './tool-format.ts';

export interface OpenAiResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** Axle checks arguments itself, against all of the schema. */
  readonly strict: false;
}

export interface OpenAiResponsesCall {
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface OpenAiResponsesResult {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
}

/** `fromCalls` takes a whole response or its list of items. A result has no mark of an error: its words say what went wrong. */
export const openAiResponses: ToolFormat<OpenAiResponsesTool, readonly OpenAiResponsesCall[], OpenAiResponsesResult> = {
  toTools: (definitions) =>
    definitions.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name: nameOnWire(name, 'openai'),
      description: description.toWellFormed(),
      parameters: inputSchema,
      strict: false,
    })),
  fromTools: (tools) =>
    listOf(tools).flatMap(({ type, name, description, parameters }) =>
      type === 'function' && typeof name === 'string'
        ? [{ name, description: textOf(description), inputSchema: schemaOf(parameters) }]
        : [],
    ),
  toCalls: (calls) =>
    calls.map(({ toolCallId, toolName, argumentsText }) => ({
      type: 'function_call',
      call_id: toolCallId,
      name: nameOnWire(toolName, 'openai'),
      arguments: argumentsText,
    })),
  fromCalls: (answer, definitions = []) => {
    const nameOf = namesBehind(definitions, 'openai');
    const truncated = isRecord(answer) && answer['status'] === 'incomplete';
    return itemsOf(answer).flatMap(({ type, call_id: id, name, arguments: argumentsText, status }) =>
      type === 'function_call' && typeof name === 'string'
        ? [
            {
              toolCallId: textOf(id),
              toolName: nameOf(name),
              argumentsText: textOf(argumentsText),
              ...marked(truncated || status === 'incomplete'),
            },
          ]
        : [],
    );
  },
  toResults: (results) =>
    results.map(({ toolCallId, text }) => ({ type: 'function_call_output', call_id: toolCallId, output: text })),
  fromResults: (messages) =>
    listOf(messages)
      .filter(({ type }) => type === 'function_call_output')
      .map(({ call_id: id, output }) => ({ toolCallId: textOf(id), text: wordsOf(output), isError: false })),
};

function itemsOf(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  return listOf(isRecord(answer) ? answer['output'] : answer);
}
