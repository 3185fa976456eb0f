/** A run as an example for training: the conversation in the form of OpenAI's chat completions, with the tools that it could use. */
import { describeNotice, describeResult, type OutcomeText, plainText } from '../brain/outcome-text.ts';
import type { HistoryCall, TranscriptItem } from '../call/message.ts';
import { openAiChat, type OpenAiChatResult, type OpenAiChatTool } from '../formats/openai-chat.ts';
import type { RecordedRun } from './recorded-conversation.ts';

/** One message of a conversation. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] }
  | OpenAiChatResult;

type ChatCall = NonNullable<ReturnType<typeof openAiChat.toCalls>['tool_calls']>[number];

/** One line of a training file. */
export interface ChatExample {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly OpenAiChatTool[];
}

/** Undefined for a run that had no conversation: a single call, an undo. */
export function chatExample({ task, items, tools }: RecordedRun): ChatExample | undefined {
  if (task.kind !== 'agent') return undefined;
  const { instructions } = task.agent;
  const system: readonly ChatMessage[] =
    instructions.trim() === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
  return {
    messages: [...system, ...items.flatMap(({ item }) => messagesOf(item))],
    ...(tools.length === 0 ? {} : { tools: openAiChat.toTools(tools) }),
  };
}

function messagesOf(item: TranscriptItem): readonly ChatMessage[] {
  switch (item.kind) {
    case 'user':
      return [{ role: 'user', content: item.text.toWellFormed() }];
    case 'notice':
      return [{ role: 'user', content: describeNotice(item.text).toWellFormed() }];
    case 'assistant': {
      const said = textOf(item).toWellFormed();
      const calls = openAiChat.toCalls(item.calls.map(formatCall)).tool_calls;
      return calls.length === 0
        ? [{ role: 'assistant', content: said }]
        : [{ role: 'assistant', content: said === '' ? null : said, tool_calls: calls }];
    }
    case 'results':
      return openAiChat.toResults(
        item.results.map((result) => {
          const shown = describeResult(result);
          return { toolCallId: result.toolCallId, text: wordsOf(shown), isError: shown.kind === 'error' };
        }),
      );
  }
}

/** What was said in an item, without reasoning. */
export function textOf({ parts }: Extract<TranscriptItem, { kind: 'assistant' }>): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}

/** The words that the model was given. */
export function wordsOf(shown: OutcomeText): string {
  return plainText(shown).toWellFormed();
}

/** A call with the arguments that were used: repaired, where the model's own could not be. */
function formatCall({ toolCallId, toolName, input }: HistoryCall): {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly argumentsText: string;
} {
  return { toolCallId, toolName, argumentsText: JSON.stringify(input) };
}
