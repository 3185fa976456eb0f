/**
 * Recorded answers of real providers (test/cases/data, see NOTICE). Most are streams; Axle asks for whole answers, so a stream is put together here
 * into the body that the same provider sends when it does not stream.
 */
import { readFileSync } from 'node:fs';
import { isRecord } from '../../src/util/json.ts';

type Fields = Readonly<Record<string, unknown>>;

const recordings = new Map(
  readFileSync(new URL('../cases/data/provider_recordings.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => fieldsOf(JSON.parse(line)))
    .map((recording) => [recording['id'], recording] as const),
);

/** The recording with this id; throws when there is none. */
export function recordingOf(id: string): Fields {
  const recording = recordings.get(id);
  if (recording === undefined) throw new Error(`There is no recording ${id}.`);
  return recording;
}

function chunksOf(id: string): readonly Fields[] {
  return listOf(recordingOf(id)['chunks']).filter(isRecord);
}

/** The whole answer of a stream of chat completions. */
export function chatCompletionOf(id: string): Fields {
  const chunks = chunksOf(id);
  const message = { role: 'assistant', content: '', reasoning_content: '' };
  const calls = new Map<unknown, { id: string; type: 'function'; function: { name: string; arguments: string } }>();
  let finishReason: unknown = null;
  let usage: unknown;
  for (const chunk of chunks) {
    if (isRecord(chunk['usage'])) usage = chunk['usage'];
    const choice = fieldsOf(listOf(chunk['choices'])[0]);
    finishReason = choice['finish_reason'] ?? finishReason;
    const delta = fieldsOf(choice['delta']);
    message.content += textOf(delta['content']);
    message.reasoning_content += textOf(delta['reasoning_content']);
    for (const part of listOf(delta['tool_calls']).map(fieldsOf)) {
      const call = calls.get(part['index']) ?? { id: '', type: 'function', function: { name: '', arguments: '' } };
      calls.set(part['index'], call);
      call.id += textOf(part['id']);
      call.function.name += textOf(fieldsOf(part['function'])['name']);
      call.function.arguments += textOf(fieldsOf(part['function'])['arguments']);
    }
  }
  const { id: completionId, created, model } = fieldsOf(chunks[0]);
  const whole = { ...message, ...(calls.size === 0 ? {} : { tool_calls: [...calls.values()] }) };
  const choices = [{ index: 0, message: whole, finish_reason: finishReason }];
  return {
    id: completionId,
    object: 'chat.completion',
    created,
    model,
    choices,
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The whole answer of a stream of Anthropic messages. */
export function anthropicMessageOf(id: string): Fields {
  let message: Fields = {};
  const blocks: Record<string, unknown>[] = [];
  const inputs = new Map<number, string>();
  for (const chunk of chunksOf(id)) {
    const index = Number(chunk['index']);
    const delta = fieldsOf(chunk['delta']);
    if (chunk['type'] === 'message_start') message = fieldsOf(chunk['message']);
    if (chunk['type'] === 'content_block_start') blocks[index] = { ...fieldsOf(chunk['content_block']) };
    if (chunk['type'] === 'message_delta') message = { ...message, ...delta, usage: chunk['usage'] };
    const block = blocks[index];
    if (block !== undefined && delta['type'] === 'text_delta') {
      block['text'] = textOf(block['text']) + textOf(delta['text']);
    }
    if (delta['type'] === 'input_json_delta') {
      inputs.set(index, (inputs.get(index) ?? '') + textOf(delta['partial_json']));
    }
  }
  for (const [index, input] of inputs) {
    const block = blocks[index];
    if (block !== undefined && input !== '') block['input'] = JSON.parse(input);
  }
  return { ...message, content: blocks };
}

/** The whole answer at the end of a stream of OpenAI responses. */
export function openAiResponseOf(id: string): Fields {
  return fieldsOf(chunksOf(id).find((chunk) => chunk['type'] === 'response.completed')?.['response']);
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
