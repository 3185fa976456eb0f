/**
 * What this process has in hand, told from what it writes: an attempt counts from the append that announces it to the one that ends it. So a
 * process that is ended by the code it runs can say by which.
 */
import type { Entry } from '../journal/entry.ts';
import type { Store } from '../journal/store.ts';
import { wrapStore } from '../journal/wrap-store.ts';

/** Something of the user's code that has begun and has not ended. */
export interface PieceInHand {
  readonly runId: string;
  /** Absent while the model of the run is asked. */
  readonly callId?: string;
  /** Unknown for a call that was bound long before this process began. */
  readonly tool?: string;
}

export class WorkInHand {
  /** By run and call; the model of a run under its run. */
  readonly #pieces = new Map<string, PieceInHand>();
  readonly #tools = new Map<string, string>();

  get pieces(): readonly PieceInHand[] {
    return [...this.#pieces].map(([key, piece]) => {
      const tool = this.#tools.get(key);
      return tool === undefined ? piece : { ...piece, tool };
    });
  }

  /** The same store, listened to. */
  watch(store: Store): Store {
    return wrapStore(store, {
      append: async (batch) => {
        const position = await store.append(batch);
        for (const entry of batch.append.entries) this.#note(batch.runId, entry);
        return position;
      },
      read: async (runId, options) => {
        const appends = await store.read(runId, options);
        for (const { entries } of appends) for (const entry of entries) this.#noteTool(runId, entry);
        return appends;
      },
    });
  }

  #note(runId: string, entry: Entry): void {
    this.#noteTool(runId, entry);
    switch (entry.type) {
      case 'model-started':
        this.#pieces.set(runId, { runId });
        break;
      case 'model-finished':
      case 'model-failed':
        this.#pieces.delete(runId);
        break;
      case 'attempt-started':
      case 'verify-started':
        this.#pieces.set(keyOf(runId, entry.callId), { runId, callId: entry.callId });
        break;
      case 'attempt-finished':
      case 'verify-finished':
      case 'call-settled':
        this.#pieces.delete(keyOf(runId, entry.callId));
        break;
      default:
    }
  }

  #noteTool(runId: string, entry: Entry): void {
    if (entry.type === 'call-bound') this.#tools.set(keyOf(runId, entry.call.callId), entry.call.tool);
    if (entry.type === 'call-settled') this.#tools.delete(keyOf(runId, entry.callId));
  }
}

function keyOf(runId: string, callId: string): string {
  return `${runId}/${callId}`;
}
