/**
 * What a model saw in one call, block by block, and what is different from another call: what the context view of the debugger shows.
 */
import type { Usage } from '../../call/message.ts';
import { AxleError } from '../../error/axle-error.ts';
import type { Store } from '../../journal/store.ts';
import { cutText } from '../../util/cut-text.ts';
import { defined } from '../../util/defined.ts';
import { type ChangeKind, compareBlocks } from './block-changes.ts';
import { type BlockKind, type BlockProvenance, blocksOf, type WholeBlock } from './context-blocks.ts';
import { recordedRequests, type RecordedRequest } from './recorded-request.ts';

/** How many tokens, and how that is known: `exact` from the provider, `estimated` from the length. */
export interface TokenCount {
  readonly count: number;
  readonly kind: 'exact' | 'estimated';
}

export interface ContextBlock {
  readonly id: string;
  readonly kind: BlockKind;
  readonly role: WholeBlock['role'];
  /** At most 2,048 characters of it. */
  readonly text: string;
  /** Bytes of the whole text. */
  readonly sizeBytes: number;
  /** The hash under which the store has the value of a large result. */
  readonly body?: string;
  readonly tokens: TokenCount;
  readonly provenance: BlockProvenance;
  /** Steps since it came in. */
  readonly ageSteps: number;
  /** Since the call that this one is compared with. */
  readonly change: ChangeKind;
}

export interface ContextView {
  readonly runId: string;
  /** The entry that announced the call. */
  readonly seq: number;
  /** The entry that announced the call that it is compared with; absent for the first. */
  readonly against?: number;
  readonly step: number;
  readonly attempt: number;
  readonly model: string;
  readonly contextHash: string;
  /** True when the conversation, made again, has the hash that was written when the model was asked. */
  readonly verified: boolean;
  /** False when the list of tools was not kept, so that its blocks are missing. */
  readonly hasTools: boolean;
  readonly usage?: Usage;
  /** Of the whole request. */
  readonly tokens: TokenCount;
  readonly sizeBytes: number;
  readonly blocks: readonly ContextBlock[];
  readonly changes: Readonly<Record<ChangeKind, number>>;
}

export interface ContextViewOptions {
  /** The entry that announced the call. */
  readonly seq: number;
  /** The entry that announced the call to compare with. @defaultValue the call before */
  readonly against?: number;
}

/** Characters of a block that a view shows. */
const maxShownChars = 2_048;

/**
 * What the model saw in the call that the entry `seq` announced.
 * @throws AxleError `usage-invalid` when no such entry announced a call
 */
export async function contextView(
  store: Store,
  runId: string,
  { seq, against }: ContextViewOptions,
): Promise<ContextView> {
  let request: RecordedRequest | undefined;
  let compared: RecordedRequest | undefined;
  for await (const recorded of recordedRequests(store, runId, Math.max(seq, against ?? 0))) {
    if (recorded.seq === seq) request = recorded;
    if (against === undefined ? recorded.seq < seq : recorded.seq === against) compared = recorded;
  }
  if (request === undefined) throw noRequest(runId, seq);
  if (against !== undefined && compared === undefined) throw noRequest(runId, against);
  return viewOf(request, compared);
}

/**
 * The whole text of one block, for whoever wants more than the view shows.
 * @throws AxleError `usage-invalid` when no such entry announced a call; undefined when the request has no such block
 */
export async function contextBlockText(
  store: Store,
  runId: string,
  at: { readonly seq: number; readonly id: string },
): Promise<string | undefined> {
  for await (const request of recordedRequests(store, runId, at.seq)) {
    if (request.seq === at.seq) return blocksOf(request).find((block) => block.id === at.id)?.text;
  }
  throw noRequest(runId, at.seq);
}

/** A request as a view, compared with another one. */
function viewOf(request: RecordedRequest, compared: RecordedRequest | undefined): ContextView {
  const changes: Record<ChangeKind, number> = { same: 0, added: 0, removed: 0, moved: 0, changed: 0 };
  const blocks = compareBlocks(compared === undefined ? [] : blocksOf(compared), blocksOf(request)).map(
    ({ block, change }): ContextBlock => {
      changes[change] += 1;
      const { id, kind, role, text, provenance, step, body } = block;
      return {
        id,
        kind,
        role,
        text: cutText(text, maxShownChars),
        sizeBytes: Buffer.byteLength(text),
        tokens: tokensIn(text),
        provenance,
        ageSteps: Math.max(0, request.step - step),
        change,
        ...defined({ body }),
      };
    },
  );
  const shown = blocks.filter((block) => block.change !== 'removed');
  const { runId, seq, step, attempt, model, contextHash, verified, tools, usage } = request;
  return {
    runId,
    seq,
    ...defined({ against: compared?.seq }),
    step,
    attempt,
    model,
    contextHash,
    verified,
    hasTools: tools !== undefined,
    ...defined({ usage }),
    tokens: tokensOf(shown, usage),
    sizeBytes: shown.reduce((sum, block) => sum + block.sizeBytes, 0),
    blocks,
    changes,
  };
}

function tokensOf(blocks: readonly ContextBlock[], usage: Usage | undefined): TokenCount {
  return usage?.inputTokens === undefined
    ? { count: blocks.reduce((sum, block) => sum + block.tokens.count, 0), kind: 'estimated' }
    : { count: usage.inputTokens, kind: 'exact' };
}

/** Four bytes a token: what OpenAI gives as a rule of thumb for English text. Other scripts take more bytes for a character, and about as many for a token. */
const bytesPerToken = 4;

function tokensIn(text: string): TokenCount {
  return { count: Math.ceil(Buffer.byteLength(text) / bytesPerToken), kind: 'estimated' };
}

function noRequest(runId: string, seq: number): AxleError {
  return new AxleError('usage-invalid', `Entry ${seq} of run ${runId} announced no call of a model.`, {
    remedy: 'Name an entry `model-started`: the spans of attempts of a model say which they are.',
  });
}
