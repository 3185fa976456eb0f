/** Keeps what a model is shown of its tools, so that every request can be made again from the store alone. (O8) */
import { messageOf } from '../error/axle-error.ts';
import type { Engine } from './engine.ts';
import type { RunCode } from './run-code.ts';

/** By store: every driver has an engine of its own. */
const kept = new WeakMap<Engine['store'], Set<string>>();

/** Lists that are remembered to be kept; a list that is kept twice costs a look at the store. */
const maxRemembered = 1_000;

/** Before the model is asked. A list costs once, however many runs show it. A store that cannot keep it is told of, and no reason to stop. */
export async function keepToolList(
  engine: Engine,
  { tools, toolsHash }: Pick<RunCode, 'tools' | 'toolsHash'>,
): Promise<void> {
  try {
    const { store } = engine;
    await store.keepDeclarations?.([{ hash: toolsHash, text: JSON.stringify(tools) }]);
    const lists = kept.get(store) ?? new Set<string>();
    if (lists.size >= maxRemembered) lists.clear();
    kept.set(store, lists.add(toolsHash));
  } catch (error) {
    engine.log('warn', 'The list of tools could not be kept; what this model is shown cannot be made again whole.', {
      reason: messageOf(error),
    });
  }
}

/** True when nothing is left to do for a list. */
export function isToolListKept({ store }: Pick<Engine, 'store'>, toolsHash: string): boolean {
  return store.keepDeclarations === undefined || kept.get(store)?.has(toolsHash) === true;
}
