/** A request to a model as blocks, in the order in which the model reads them. */
import { describeResult, plainText } from '../../brain/outcome-text.ts';
import type { HistoryResult, TranscriptItem } from '../../call/message.ts';
import { maxInlineBytes } from '../../journal/codec.ts';
import { defined } from '../../util/defined.ts';
import { sha256 } from '../../util/hash.ts';
import type { ItemOrigin, RecordedRequest } from './recorded-request.ts';

export type BlockKind = 'instructions' | 'tools' | 'goal' | 'message' | 'answer' | 'reasoning' | 'call' | 'result';

/** Where a block comes from. */
export interface BlockProvenance {
  /** The entry that brought it. */
  readonly seq: number;
  readonly callId?: string;
  readonly tool?: string;
  readonly by: 'agent' | 'caller' | 'model' | 'tool' | 'runtime';
}

/** A block with its whole text. */
export interface WholeBlock {
  /** The same in every request that holds it. */
  readonly id: string;
  readonly kind: BlockKind;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly provenance: BlockProvenance;
  /** The step in which it came in; 0 for what was there from the start. */
  readonly step: number;
  /** The hash under which the store has the value of a large result. */
  readonly body?: string;
}

/** All blocks of a request: instructions, tools, conversation. */
export function blocksOf(request: RecordedRequest): readonly WholeBlock[] {
  const { instructions, tools = [], items, origins } = request;
  const from = { seq: 1, by: 'agent' } as const;
  return [
    { id: 'instructions', kind: 'instructions', role: 'system', text: instructions, provenance: from, step: 0 },
    ...tools.map((tool): WholeBlock => ({
      id: `tool.${tool.name}`,
      kind: 'tools',
      role: 'system',
      text: JSON.stringify(tool),
      provenance: { ...from, tool: tool.name },
      step: 0,
    })),
    ...items.flatMap((item, index) => itemBlocks(item, index, origins[index] ?? { seq: 1, step: 0 })),
  ];
}

function itemBlocks(item: TranscriptItem, index: number, { seq, step, settledBy }: ItemOrigin): readonly WholeBlock[] {
  const id = `item.${index}`;
  switch (item.kind) {
    case 'user': {
      const kind = index === 0 ? 'goal' : 'message';
      return [{ id, kind, role: 'user', text: item.text, provenance: { seq, by: 'caller' }, step }];
    }
    case 'notice':
      return [{ id, kind: 'message', role: 'user', text: item.text, provenance: { seq, by: 'runtime' }, step }];
    case 'assistant': {
      const inputs = new Map(item.calls.map((call) => [call.toolCallId, call]));
      return item.parts.map((part, place): WholeBlock => {
        const own = { id: `${id}.${place}`, role: 'assistant', step } as const;
        if (part.kind !== 'call') {
          const kind = part.kind === 'text' ? 'answer' : 'reasoning';
          return { ...own, kind, text: part.text, provenance: { seq, by: 'model' } };
        }
        const call = inputs.get(part.toolCallId);
        const provenance = {
          seq,
          by: 'model',
          tool: call?.toolName ?? part.toolName,
          ...defined({ callId: call?.callId }),
        } as const;
        return {
          ...own,
          kind: 'call',
          text: call === undefined ? part.argumentsText : JSON.stringify(call.input),
          provenance,
        };
      });
    }
    case 'results':
      return item.results.map((result, place) =>
        resultBlock(result, `${id}.${place}`, { seq: settledBy?.[result.callId] ?? seq, step }),
      );
  }
}

function resultBlock(result: HistoryResult, id: string, { seq, step }: ItemOrigin): WholeBlock {
  const { callId, toolName, outcome } = result;
  const said = describeResult(result);
  const text = plainText(said);
  const value = outcome.status === 'succeeded' ? JSON.stringify(outcome.output) : '';
  // A store keeps values over this size under the hash of their text.
  const body = Buffer.byteLength(value) > maxInlineBytes ? sha256(value) : undefined;
  const provenance = { seq, callId, tool: toolName, by: 'tool' } as const;
  return { id, kind: 'result', role: 'tool', text, provenance, step, ...defined({ body }) };
}
