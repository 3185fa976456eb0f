/** What a schedule is about: plain data, so that it can be generated, shrunk, written to a file and read back. */
import type { Fault } from '../machine/fault.ts';
import type { Sharing } from '../world/leases.ts';

/** What a service does with one request. Names say what happens to the effect and what the caller hears. */
export const behaviours = [
  'ok',
  'slow',
  // No effect, and the caller is told so or can tell.
  'declines',
  'declines-late',
  'refuses-connection',
  'limits',
  'is-busy',
  // No effect, and the caller cannot tell.
  'throws-before',
  'resets-before',
  'faults-before',
  'swallows',
  // An effect, and a bad answer or none.
  'throws-after',
  'resets-after',
  'faults-after',
  'acts-silently',
  'acts-late',
  'answers-late',
  'answers-garbage',
  'answers-too-much',
  'answers-strangely',
  // Works for a while first, and stops when it is told to.
  'heeds-abort',
] as const;

/** A service that wants somebody to log in first. Only a theme draws these, so that the seeds of all else stay what they are. */
export const loginFaults = [
  // No effect, and the caller is told so.
  'wants-login',
  // An effect, and then a refusal that proves nothing.
  'wants-login-after',
] as const;
export type Behaviour = (typeof behaviours)[number] | (typeof loginFaults)[number];

export const modelFaults = ['ok', 'slow', 'limited', 'overloaded', 'throws', 'silent', 'refuses'] as const;
export type ModelFault = (typeof modelFaults)[number];

export const verifyFaults = ['truth', 'unknown', 'throws', 'silent'] as const;
export type VerifyFault = (typeof verifyFaults)[number];

/** How a person answers a question. */
export const answers = ['approve', 'deny', 'edit', 'approve-twice', 'deny-then-approve', 'never'] as const;
export type Answer = (typeof answers)[number];

export interface ApprovalPlan {
  readonly answer: Answer;
  readonly afterMs: number;
}

/** How a person answers a question for a login. */
export const loginAnswers = ['grant', 'refuse', 'grant-twice', 'refuse-then-grant', 'never'] as const;

export interface AuthorizationPlan {
  readonly answer: (typeof loginAnswers)[number];
  readonly afterMs: number;
}

/** What a person does about a call in doubt that did not happen; one that did is always told as it was. */
export interface DoubtPlan {
  readonly then: 'retry' | 'fail';
  readonly afterMs: number;
}

/** Something that a caller says at the very moment at which the model is asked for the n-th time, or a little later. */
export interface Word {
  readonly ask: number;
  readonly afterMs: number;
  readonly what: 'cancel' | 'message';
}

/** One call of a turn, well formed or not. */
export interface CallPlan {
  readonly tool: string;
  readonly form:
    | 'good'
    | 'same-id-again'
    | 'id-of-before'
    | 'no-id'
    | 'bad-arguments'
    | 'not-json'
    | 'unknown-tool'
    | 'needs-repair'
    | 'same-arguments';
}

export interface TurnPlan {
  readonly kind: 'calls' | 'truncated' | 'empty' | 'unreadable' | 'says-nothing-useful';
  readonly calls: readonly CallPlan[];
}

export interface RunPlan {
  /** A model with tools, or one governed call from outside. */
  readonly kind: 'agent' | 'call';
  readonly startAfterMs: number;
  /** Whether the caller of an agent waits for the result, or goes its way. */
  readonly waits: boolean;
  readonly turns: readonly TurnPlan[];
  readonly onDoubt: 'ask' | 'tell';
  /** The n-th request of the run that reaches the world; exhausted means `ok`. */
  readonly behaviours: readonly Behaviour[];
  readonly models: readonly ModelFault[];
  readonly verifies: readonly VerifyFault[];
  /** For the n-th question; exhausted means approve, and retry. */
  readonly approvals: readonly ApprovalPlan[];
  readonly doubts: readonly DoubtPlan[];
  readonly words: readonly Word[];
  /** Reads look into memory: what is well with them is answered in the same turn of the promise queue. Absent: they take a moment, as all else does. */
  readonly answersAtOnce?: true;
  /** For the n-th question for a login; absent or exhausted means grant. */
  readonly authorizations?: readonly AuthorizationPlan[];
  /** The caller takes back what the run did, once it has ended. Absent: not. */
  readonly undo?: UndoPlan;
}

export interface UndoPlan {
  readonly afterMs: number;
  /** How often it is asked for, a little apart: once is what it is to be done. */
  readonly times: number;
  /** Whether what cannot be taken back is passed over. */
  readonly skips: boolean;
}

/** People change a tool of some processes: a second version beside the first, in its place, none at all, or another schema under the first one's number. */
export interface Change {
  readonly afterMs: number;
  /** A worker, or all of them. */
  readonly worker: number | 'all';
  readonly tool: string;
  readonly what: 'beside' | 'replace' | 'remove' | 'odd';
}

export interface Scenario {
  readonly seed: number;
  readonly workers: number;
  readonly sharing: Sharing;
  readonly durability: 'effects' | 'strict';
  /** A snapshot is written beside every n-th append of a run; 0 leaves it to the driver. */
  readonly snapshotEvery: number;
  readonly runs: readonly RunPlan[];
  readonly faults: readonly Fault[];
  /** In the order of time. The last ones bring every version back, so that nothing stays held. Absent: nothing changes. */
  readonly changes?: readonly Change[];
  readonly tape: readonly number[];
}
