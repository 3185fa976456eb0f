/** What `createAxle` takes. */
import type { Contract } from '../contract/contract.ts';
import type { Durability } from '../journal/entry.ts';
import type { Store } from '../journal/store.ts';
import type { Agent } from '../run/agent.ts';
import type { LiveEvent, Log } from '../run/engine.ts';
import type { Policy } from '../policy/policy.ts';
import type { Clock, Timers } from '../util/clock.ts';
import type { Ids } from '../util/ids.ts';
import type { Random } from '../util/random.ts';

/** Tools that must be fetched first: an MCP server, for example. Connected by `createAxle`, closed by `close`. */
export interface ToolSource {
  readonly name: string;
  connect(): Promise<readonly Contract[]>;
  close(): Promise<void>;
}

/** The machine as Axle sees it; replaced in tests. */
export interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
}

export interface AxleOptions {
  /** Path of the SQLite file, `':memory:'` for runs that end with the process, or a store, which is closed with the Axle. */
  readonly store: string | Store;
  readonly tools?: readonly (Contract | ToolSource)[];
  readonly agents?: readonly Agent[];
  /**
   * `driver` drives runs and is refused when another process does; `client` only reads, starts and answers; `auto` is a driver when no other process is.
   * @defaultValue 'driver'
   */
  readonly role?: 'driver' | 'client' | 'auto';
  /**
   * What is on the disk before the run goes on: `effects` syncs what guards a side effect (a power cut can cost repeated reads and model calls);
   * `strict` syncs every append before its consequences leave the process: an effect, a model call, an answer to a caller.
   * @defaultValue 'effects'
   */
  readonly durability?: Durability;
  /** Runs in memory at a time, 1 to 100,000. @defaultValue 1,000 */
  readonly maxActiveRuns?: number;
  /** Decides about each call. @defaultValue reads run; effects run at low and medium risk; high risk and irreversible effects ask */
  readonly policy?: Policy;
  /** Structured log lines. @defaultValue warnings and errors as JSON lines on standard error */
  readonly log?: Log;
  /** Progress and log lines of tools, live only. */
  readonly onLive?: (event: LiveEvent) => void;
  readonly ports?: Partial<Ports>;
}
