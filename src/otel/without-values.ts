/** An append without what spans do not show, so that a run which is followed keeps none of its values in memory a second time. */
import type { ModelPart } from '../call/message.ts';
import type { AttemptResult } from '../call/outcome.ts';
import type { Append, Entry } from '../journal/entry.ts';

export function withoutValues(append: Append): Append {
  const { firstSeq, epoch, atMs, entries } = append;
  return { firstSeq, epoch, atMs, entries: entries.map(withoutValue) };
}

function withoutValue(entry: Entry): Entry {
  switch (entry.type) {
    case 'model-finished':
      return { ...entry, parts: entry.parts.map(withoutWords) };
    case 'call-bound':
    case 'call-fell-back':
      return { ...entry, call: { ...entry.call, input: null } };
    case 'call-cached':
      return { ...entry, output: null };
    case 'attempt-finished':
    case 'evidence-received':
      return { ...entry, result: withoutOutput(entry.result) };
    default:
      return entry;
  }
}

function withoutWords(part: ModelPart): ModelPart {
  return part.kind === 'call' ? { ...part, argumentsText: '' } : { ...part, text: '' };
}

function withoutOutput(result: AttemptResult): AttemptResult {
  return result.status === 'succeeded' ? { ...result, output: null } : result;
}
