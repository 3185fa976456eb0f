/** Messages of Anthropic: calls and results are blocks of content. */
import { isRecord, type JsonObject, toJson, isJsonObject } from '../util/json.ts';
import { listOf, marked, namesBehind, nameOnWire, schemaOf, textOf, type ToolFormat, wordsOf } from './tool-format.ts';

export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

export interface AnthropicAnswer {
  readonly role: 'assistant';
  readonly content: readonly {
    readonly type: 'tool_use';
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
  }[];
}

export interface AnthropicResult {
  readonly role: 'user';
  readonly content: readonly {
    readonly type: 'tool_result';
    readonly tool_use_id: string;
    readonly content: string;
    readonly is_error?: true;
  }[];
}

/** `fromCalls` takes a whole message or its content. All results of a turn go back in one message, as the API wants it. */
export const anthropicMessages: ToolFormat<AnthropicTool, AnthropicAnswer, AnthropicResult> = {
  toTools: (definitions) =>
    definitions.map(({ name, description, inputSchema }) => ({
      name: nameOnWire(name, 'anthropic'),
      description: description.toWellFormed(),
      input_schema: inputSchema,
    })),
  // Tools that the provider runs itself have a type and no schema.
  fromTools: (tools) =>
    listOf(tools).flatMap(({ name, description, input_schema: schema }) =>
      typeof name === 'string' && isRecord(schema)
        ? [{ name, description: textOf(description), inputSchema: schemaOf(schema) }]
        : [],
    ),
  toCalls: (calls) => ({
    role: 'assistant',
    content: calls.map(({ toolCallId, toolName, argumentsText }) => ({
      type: 'tool_use',
      id: toolCallId,
      name: nameOnWire(toolName, 'anthropic'),
      input: inputOf(argumentsText),
    })),
  }),
  fromCalls: (answer, definitions = []) => {
    const nameOf = namesBehind(definitions, 'anthropic');
    const truncated = isRecord(answer) && answer['stop_reason'] === 'max_tokens';
    return listOf(isRecord(answer) ? answer['content'] : answer).flatMap(({ type, id, name, input }) =>
      type === 'tool_use' && typeof name === 'string'
        ? [
            {
              toolCallId: textOf(id),
              toolName: nameOf(name),
              argumentsText: typeof input === 'string' ? input : JSON.stringify(toJson(input ?? {})),
              ...marked(truncated),
            },
          ]
        : [],
    );
  },
  toResults: (results) =>
    results.length === 0
      ? []
      : [
          {
            role: 'user',
            content: results.map(({ toolCallId, text, isError }) => ({
              type: 'tool_result',
              tool_use_id: toolCallId,
              content: text,
              ...(isError ? { is_error: true } : {}),
            })),
          },
        ],
  fromResults: (messages) =>
    listOf(messages)
      .flatMap(({ content }) => listOf(content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id, content, is_error: isError }) => ({
        toolCallId: textOf(id),
        text: wordsOf(content),
        isError: isError === true,
      })),
};

/** The format wants an object; arguments that are none stand in one, so that a history stays legal. */
function inputOf(argumentsText: string): JsonObject {
  try {
    const input: unknown = JSON.parse(argumentsText);
    const json = toJson(input);
    if (isJsonObject(json)) return json;
  } catch {
    // It is kept as it was written.
  }
  return { unreadable: argumentsText };
}
