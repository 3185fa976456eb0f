import type { WaitReason } from '../journal/store.ts';

/** What of the reasons only somebody from outside can end; a timer ends by itself. */
export function outsideReasons(reasons: readonly WaitReason[]): readonly WaitReason[] {
  return reasons.filter((reason) => reason.kind !== 'timer');
}
