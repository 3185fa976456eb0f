/** Chat completions of OpenAI, and of everybody who speaks as they do. */
import { isRecord, type JsonObject } from '../util/json.ts';
import { listOf, marked, namesBehind, nameOnWire, schemaOf, textOf, type ToolFormat, wordsOf } from './tool-format.ts';

export interface OpenAiChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
}

export interface OpenAiChatAnswer {
  readonly role: 'assistant';
  readonly content: null;
  readonly tool_calls: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export interface OpenAiChatResult {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

/** `fromCalls` takes a whole completion, one of its choices, or the message alone. A result has no mark of an error: its words say what went wrong. */
export const openAiChat: ToolFormat<OpenAiChatTool, OpenAiChatAnswer, OpenAiChatResult> = {
  toTools: (definitions) =>
    definitions.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name: nameOnWire(name, 'openai'), description: description.toWellFormed(), parameters: inputSchema },
    })),
  fromTools: (tools) =>
    listOf(tools).flatMap(({ function: declared }) =>
      isRecord(declared) && typeof declared['name'] === 'string'
        ? [
            {
              name: declared['name'],
              description: textOf(declared['description']),
              inputSchema: schemaOf(declared['parameters']),
            },
          ]
        : [],
    ),
  toCalls: (calls) => ({
    role: 'assistant',
    content: null,
    tool_calls: calls.map(({ toolCallId, toolName, argumentsText }) => ({
      id: toolCallId,
      type: 'function',
      function: { name: nameOnWire(toolName, 'openai'), arguments: argumentsText },
    })),
  }),
  fromCalls: (answer, definitions = []) => {
    const nameOf = namesBehind(definitions, 'openai');
    const { message, truncated } = messageIn(answer);
    return listOf(message['tool_calls']).flatMap(({ id, function: called }) =>
      isRecord(called) && typeof called['name'] === 'string'
        ? [
            {
              toolCallId: textOf(id),
              toolName: nameOf(called['name']),
              argumentsText: textOf(called['arguments']),
              ...marked(truncated),
            },
          ]
        : [],
    );
  },
  toResults: (results) =>
    results.map(({ toolCallId, text }) => ({ role: 'tool', tool_call_id: toolCallId, content: text })),
  fromResults: (messages) =>
    listOf(messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id: id, content }) => ({ toolCallId: textOf(id), text: wordsOf(content), isError: false })),
};

function messageIn(answer: unknown): {
  readonly message: Readonly<Record<string, unknown>>;
  readonly truncated: boolean;
} {
  const whole = isRecord(answer) ? answer : {};
  const choice = listOf(whole['choices'])[0] ?? whole;
  const message = isRecord(choice['message']) ? choice['message'] : choice;
  return { message, truncated: choice['finish_reason'] === 'length' };
}
