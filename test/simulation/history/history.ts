/**
 * What an onlooker outside all processes saw, in one order: commits, syncs, effects, what models were shown and what callers were told.
 * Checkers read it after the schedule; since everything carries the moment at which it happened, they judge every durable prefix and not only the end.
 */
import type { TranscriptItem } from '../../../src/call/message.ts';
import type { Append } from '../../../src/journal/entry.ts';
import type { RunStatus, Snapshot } from '../../../src/journal/store.ts';
import type { JsonValue } from '../../../src/util/json.ts';

/** A moment: the number of things that had been seen before it. */
export type Moment = number;

/** One append as it stood in the store. */
export interface Committed {
  readonly runId: string;
  readonly append: Append;
  readonly status: RunStatus;
  readonly snapshot?: Snapshot | undefined;
  readonly inboxCursor: number | undefined;
  /** The process that wrote it. */
  readonly by: string;
  readonly at: Moment;
  syncedAt: Moment;
  /** When a power cut took it away; infinity when it stayed. */
  lostAt: Moment;
  /** The append before it in the same journal. */
  readonly previous: Committed | undefined;
}

export type EffectKind = 'read' | 'idempotent' | 'idempotent-approved' | 'write' | 'write-approved' | 'irreversible';

/** Something that really happened in the world. */
export interface Effect {
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly tool: string;
  /** Of the contract that it was performed under. */
  readonly shape: string;
  readonly kind: EffectKind;
  readonly key: string;
  /** Canonical JSON. */
  readonly args: string;
  readonly by: string;
  /** When the request left the process. */
  readonly sentAt: Moment;
  readonly at: Moment;
  /** False when the service had done it before under the same key. */
  readonly isFirst: boolean;
}

/** An attempt at an upstream or with a lock, from the moment at which its tool began. */
export interface Request {
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly tool: string;
  /** Empty for one that wants a lock alone. */
  readonly upstream: string;
  readonly by: string;
  readonly at: Moment;
  /** True time, whatever the clocks of processes say. */
  readonly atMs: number;
  /** When its tool answered, or was told to stop; infinity when its process was gone before. */
  endedAt: Moment;
  /** The same in true time. */
  endedAtMs: number;
}

export interface ModelAsked {
  readonly runId: string;
  readonly by: string;
  readonly at: Moment;
  readonly items: readonly TranscriptItem[];
}

/** What somebody outside may rely on from then on. */
export type Told = { readonly at: Moment } & (
  | { readonly kind: 'accepted'; readonly runId: string; readonly key: string }
  | { readonly kind: 'ended'; readonly runId: string; readonly output: JsonValue }
  | { readonly kind: 'posted'; readonly runId: string; readonly what: string; readonly text: string }
);

/** What a person decided about a call, and for which arguments. */
export interface Verdict {
  readonly runId: string;
  readonly approvalId: string;
  readonly verdict: 'approve' | 'deny';
  readonly args: string;
}

/** What a person said of a login. */
export interface LoginWord {
  readonly runId: string;
  readonly authorizationId: string;
  readonly granted: boolean;
}

/** A take-over of a run. */
export interface Claim {
  readonly runId: string;
  readonly epoch: number;
  readonly by: string;
  readonly at: Moment;
  lostAt: Moment;
}

export class History {
  readonly committed: Committed[] = [];
  readonly effects: Effect[] = [];
  readonly requests: Request[] = [];
  /** Clocks that jumped, by the process whose clock it was. */
  readonly jumps: { readonly at: Moment; readonly by: string }[] = [];
  /** Moments at which the store went away. */
  readonly outages: Moment[] = [];
  /** Processes that stood still. */
  readonly freezes: { readonly at: Moment; readonly by: string }[] = [];
  readonly asked: ModelAsked[] = [];
  readonly told: Told[] = [];
  readonly verdicts: Verdict[] = [];
  readonly loginWords: LoginWord[] = [];
  /** Faults of the code under test that showed themselves as such: a driver that threw, a promise that nobody caught. */
  readonly breakages: string[] = [];
  readonly crashes: { readonly at: Moment; readonly by: string }[] = [];
  /** Moments at which a process stood still, was slow, or a clock jumped: after such a one, a late effect can outrun a truthful answer. */
  readonly disturbances: Moment[] = [];
  readonly claims: Claim[] = [];
  #now: Moment = 0;

  /** The next moment. */
  tick(): Moment {
    this.#now += 1;
    return this.#now;
  }

  /** The journals as they stood at the end, and those that a power cut cut short: every one of them was durable once. */
  journals(): readonly Journal[] {
    const tips = new Map<string, Committed>();
    const lost: Committed[] = [];
    const continued = new Set<Committed>();
    for (const append of this.committed) if (append.previous !== undefined) continued.add(append.previous);
    for (const append of this.committed) {
      if (append.lostAt === Infinity) tips.set(append.runId, append);
      else if (!continued.has(append)) lost.push(append);
    }
    return [...tips.values()]
      .map((tip) => ({ isFinal: true, ...chain(tip) }))
      .concat(lost.map((tip) => ({ isFinal: false, ...chain(tip) })));
  }
}

/** The appends of one run, in order. */
export interface Journal {
  readonly runId: string;
  readonly isFinal: boolean;
  readonly appends: readonly Committed[];
}

function chain(tip: Committed): Pick<Journal, 'runId' | 'appends'> {
  const appends: Committed[] = [];
  for (let append: Committed | undefined = tip; append !== undefined; append = append.previous) appends.push(append);
  return { runId: tip.runId, appends: appends.reverse() };
}
