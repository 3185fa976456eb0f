/** What a driver is handed: the ports, and the code that runs name. Everything that differs between a test, a simulation and production. */
import type { Brain, BrainSettings } from '../brain/brain.ts';
import type { ToolDefinition } from '../call/tool-definition.ts';
import type { Contract } from '../contract/contract.ts';
import type { SearchableTools } from '../contract/find-tools.ts';
import type { AliasPort } from '../execute/aliases/aliases.ts';
import type { NamedLocks } from '../execute/locks/named-locks.ts';
import type { Upstreams } from '../execute/upstreams/upstreams.ts';
import type { DriftBook } from '../journal/drift-book.ts';
import type { Append } from '../journal/entry.ts';
import type { ResultCache } from '../journal/result-cache.ts';
import type { SandboxPort } from '../execute/sandbox/sandboxes.ts';
import type { RunStatus, Store } from '../journal/store.ts';
import type { Policy } from '../policy/policy.ts';
import type { Clock, Timers } from '../util/clock.ts';
import type { Ids } from '../util/ids.ts';
import type { JsonValue } from '../util/json.ts';
import type { Random } from '../util/random.ts';
import type { Deciders } from './next.ts';
import type { QuickReads } from './quick-reads.ts';

/** An agent as code: what a run's pin is matched with when it is resumed. */
export interface AgentCode {
  readonly name: string;
  readonly brain: Brain;
  readonly settings: BrainSettings;
  /** Milliseconds one model call may take. */
  readonly modelTimeoutMs: number;
  /** Attempts of one model call, the first included. */
  readonly modelAttempts: number;
  /** Its tools, to be searched by runs that are not shown all of them. Made when first asked for. */
  readonly searchable: () => SearchableTools;
}

/** One line of the structured log. A line about a run that a driver has in hand carries `runId`, `traceId`, `session` when it has one, and `step`. */
export interface Log {
  (level: LogLevel, message: string, fields: Readonly<Record<string, JsonValue>>): void;
  /** Lines below this level are not wanted, so they are not made. @defaultValue 'debug' */
  readonly least?: LogLevel;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What happens in a run and is in no entry: pieces of an answer that is still being written, progress of a tool. Live only. */
export type LiveEvent =
  | {
      readonly kind: 'text-delta' | 'reasoning-delta';
      readonly step: number;
      /** The attempt of the model call. */
      readonly attempt: number;
      /** Numbers the parts of the answer in the order in which they began. */
      readonly part: number;
      readonly text: string;
    }
  | {
      readonly kind: 'call-delta';
      readonly step: number;
      readonly attempt: number;
      readonly part: number;
      readonly toolCallId: string;
      readonly toolName: string;
      /** A piece of the text of the arguments. */
      readonly text: string;
    }
  | {
      readonly kind: 'tool-progress' | 'tool-log';
      readonly callId: string;
      readonly attempt: number;
      readonly data: JsonValue;
    };

/** Whoever watches runs while they happen. Nothing of a run depends on it, and it never throws. */
export interface Watcher {
  /** This driver has a new run, with its first append. @defaultValue nobody is told: whoever wants to know reads it from the store */
  accepted?(runId: string, append: Append): void;
  /** The epoch is that of the driver that tells it: what a driver says that has lost its run is nobody's business. */
  told(event: LiveEvent, by: { readonly runId: string; readonly epoch: number }): void;
  /** This driver has committed something. */
  committed(runId: string, append: Append, status: RunStatus): void;
  /** This driver has let go of the run. */
  rested(runId: string): void;
}

/** The contracts that exist beside those that new runs get. */
export interface Versions {
  /** Rises whenever a contract is replaced, added or removed. */
  revision(): number;
  /** The registered versions of a tool, newest first. */
  of(name: string): readonly Contract[];
  /** A contract that was replaced and is kept for runs that began with it, by its hash. */
  retained(hash: string): Contract | undefined;
}

export interface Engine {
  readonly store: Store;
  /** Kept results of reads that declare it. */
  readonly cache: ResultCache;
  /** Counts answers in another form than declared. */
  readonly drifts: DriftBook;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  readonly watcher: Watcher;
  /** Names this driver in the journal. */
  readonly worker: string;
  readonly deciders: Deciders;
  readonly policy: Policy;
  readonly upstreams: Upstreams;
  readonly quickReads: QuickReads;
  readonly locks: NamedLocks;
  readonly agent: (name: string) => AgentCode | undefined;
  /** A model that a run may go on with in the place of its agent's. */
  readonly model?: (name: string) => Brain | undefined;
  readonly contract: (name: string, version: number) => Contract | undefined;
  readonly versions: Versions;
  readonly describe: (contract: Contract) => ToolDefinition;
  /** What real values stand behind the names that models use. Without it there are none. */
  readonly aliases?: AliasPort;
  /** Where programs run. Without it, a tool whose body is a program is unavailable. */
  readonly sandboxes?: SandboxPort;
}
