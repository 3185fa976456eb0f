/** What a model saw in one step, for people at a terminal: every block with its size, where it comes from, and what is new. */
import { AxleError } from '../error/axle-error.ts';
import { contextView, type ContextBlock, type ContextView, type TokenCount } from '../inspect/context/context-view.ts';
import type { ChangeKind } from '../inspect/context/block-changes.ts';
import type { Append } from '../journal/entry.ts';
import type { Store } from '../journal/store.ts';
import { cutToColumns, oneLine } from '../trace/safe-text.ts';

/** The view of the last call of the model in a step. @throws AxleError `usage-invalid` for a step in which no model was asked */
export async function contextOfStep(
  store: Store,
  { runId, appends, step }: { readonly runId: string; readonly appends: readonly Append[]; readonly step: number },
): Promise<ContextView> {
  const asked = appends.flatMap(({ firstSeq, entries }) =>
    entries.flatMap((entry, place) =>
      entry.type === 'model-started' ? [{ step: entry.step, seq: firstSeq + place }] : [],
    ),
  );
  const found = asked.findLast((call) => call.step === step);
  if (found !== undefined) return contextView(store, runId, { seq: found.seq });
  const last = asked.at(-1);
  const which = last === undefined ? 'It has asked no model.' : `Its steps are 1 to ${last.step}.`;
  throw new AxleError('usage-invalid', `Run ${runId} has no step ${step} in which a model was asked. ${which}`);
}

const signs: Readonly<Record<ChangeKind, string>> = { same: ' ', added: '+', removed: '-', moved: '>', changed: '~' };

/** Two lines a block: what it is, and the beginning of its text. Safe to print. */
export function contextLines(view: ContextView, width: number): readonly string[] {
  const { changes, verified, hasTools, contextHash } = view;
  const compared = view.against === undefined ? 'the first call' : `compared with the call of entry ${view.against}`;
  return [
    `step ${view.step}, attempt ${view.attempt}, ${oneLine(view.model)}: ${tokensText(view.tokens)}, ${view.sizeBytes} bytes`,
    `${compared}: ${changes.added} added, ${changes.removed} removed, ${changes.changed} changed, ${changes.moved} moved, ${changes.same} as before`,
    verified
      ? `made again from the journal, with the hash that was written then (${contextHash})`
      : `NOT what was shown: made again, it has another hash than was written then (${contextHash})`,
    ...(hasTools ? [] : ['The list of tools was not kept, so it is missing here.']),
    '',
    ...view.blocks.flatMap((block) => blockLines(block, width)),
  ];
}

function blockLines(block: ContextBlock, width: number): readonly string[] {
  const { provenance, kind, change, ageSteps } = block;
  const { callId, tool, seq } = provenance;
  const about = [kind, tool, callId].filter((word) => word !== undefined).join(' ');
  const age = ageSteps === 0 ? '' : `, ${ageSteps} ${ageSteps === 1 ? 'step' : 'steps'} old`;
  return [
    cutToColumns(oneLine(`${signs[change]} ${about}  ${tokensText(block.tokens)}, entry ${seq}${age}`), width),
    cutToColumns(`    ${oneLine(block.text)}`, width),
  ];
}

function tokensText({ count, kind }: TokenCount): string {
  return `${kind === 'estimated' ? 'about ' : ''}${count} ${count === 1 ? 'token' : 'tokens'}`;
}
