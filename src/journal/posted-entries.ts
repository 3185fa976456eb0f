/** The entries that what was posted to a run becomes, apart from answers to calls. */
import type { Failure } from '../call/outcome.ts';

export interface MessageReceived {
  readonly type: 'message-received';
  readonly text: string;
}
export interface CancelRequested {
  readonly type: 'cancel-requested';
  readonly reason: string;
  readonly by?: string;
}
/** Something that was posted to the run and cannot be done any more (or never could). */
export interface PostRefused {
  readonly type: 'post-refused';
  readonly about: string;
  readonly failure: Failure;
}
