/** The conversation of a run as the model sees it: every item, every result in the words that the model is given. */
import { describeResult, type OutcomeText, plainText } from '../brain/outcome-text.ts';
import type { HistoryCall, HistoryResult, ModelPart, TranscriptItem } from '../call/message.ts';
import type { RunState } from '../run/state.ts';
import { manyLines, oneLine } from '../trace/safe-text.ts';

export interface ShownTranscript {
  readonly instructions: string;
  /** Items as they stand in the conversation; a result carries the words that the model is given. */
  readonly items: readonly unknown[];
}

/** As data. */
export function transcriptOf(state: RunState): ShownTranscript {
  return {
    instructions: instructionsOf(state),
    items: state.transcript
      .items()
      .map((item) => (item.kind === 'results' ? { ...item, results: item.results.map(withWords) } : item)),
  };
}

function withWords(result: HistoryResult): HistoryResult & { readonly shown: OutcomeText } {
  return { ...result, shown: describeResult(result) };
}

/** As lines that are safe to print. */
export function transcriptLines(state: RunState): readonly string[] {
  const lines = [...block('instructions', instructionsOf(state)), ...state.transcript.items().flatMap(itemLines)];
  return state.turn === undefined
    ? lines
    : [
        ...lines,
        '(A turn is under way; its calls and results enter the conversation together, when all of them are settled.)',
      ];
}

function instructionsOf(state: RunState): string {
  return state.task?.kind === 'agent' ? state.task.agent.instructions : '';
}

function itemLines(item: TranscriptItem): readonly string[] {
  switch (item.kind) {
    case 'user':
    case 'notice':
      return block(item.kind, item.text);
    case 'assistant':
      return [...item.parts.flatMap(partLines), ...item.calls.flatMap(callLines)];
    case 'results':
      return item.results.flatMap(resultLines);
  }
}

function partLines(part: ModelPart): readonly string[] {
  switch (part.kind) {
    case 'text':
      return block('assistant', part.text);
    case 'reasoning':
      return block('assistant, reasoning', part.text);
    case 'call':
      return [];
  }
}

function callLines({ toolName, toolCallId, input }: HistoryCall): readonly string[] {
  return block(`assistant calls ${toolName} (${toolCallId})`, JSON.stringify(input));
}

function resultLines(result: HistoryResult): readonly string[] {
  const shown = describeResult(result);
  return block(`result of ${result.toolName} (${result.toolCallId}), ${shown.kind}`, plainText(shown));
}

function block(head: string, text: string): readonly string[] {
  return [`[${oneLine(head)}]`, ...manyLines(text).map((line) => `  ${line}`), ''];
}
