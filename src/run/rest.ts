/** How the drive of a run ends. */
import type { WaitReason } from '../journal/store.ts';
import type { RunState } from './state.ts';

/** Why a driver let go of its run. */
export type Rest =
  | { readonly kind: 'ended'; readonly state: RunState }
  | {
      readonly kind: 'waiting';
      readonly state: RunState;
      readonly waitingOn: readonly WaitReason[];
      readonly wakeAtMs?: number;
    }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'closed' };
