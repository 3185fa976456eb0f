/** What a driver is handed: the ports, and the code that runs name. Everything that differs between a test, a simulation and production. */
import type { Brain, BrainSettings } from '../brain/brain.ts';
import type { ToolDefinition } from '../call/tool-definition.ts';
import type { Contract } from '../contract/contract.ts';
import type { Store } from '../journal/store.ts';
import type { Policy } from '../policy/policy.ts';
import type { Clock, Timers } from '../util/clock.ts';
import type { Ids } from '../util/ids.ts';
import type { JsonValue } from '../util/json.ts';
import type { Random } from '../util/random.ts';
import type { Deciders } from './next.ts';

/** An agent as code: what a run's pin is matched with when it is resumed. */
export interface AgentCode {
  readonly name: string;
  readonly brain: Brain;
  readonly settings: BrainSettings;
  /** Milliseconds one model call may take. */
  readonly modelTimeoutMs: number;
  /** Attempts of one model call, the first included. */
  readonly modelAttempts: number;
}

/** One line of the structured log. A line about a run that a driver has in hand carries `runId`, `traceId`, `session` when it has one, and `step`. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, JsonValue>>,
) => void;

/** Progress of a tool: live only, never in the journal. */
export interface LiveEvent {
  readonly kind: 'tool-progress' | 'tool-log';
  readonly runId: string;
  readonly callId: string;
  readonly data: JsonValue;
}

export interface Engine {
  readonly store: Store;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  readonly live: (event: LiveEvent) => void;
  /** Names this driver in the journal. */
  readonly worker: string;
  readonly deciders: Deciders;
  readonly policy: Policy;
  readonly agent: (name: string) => AgentCode | undefined;
  readonly contract: (name: string, version: number) => Contract | undefined;
  readonly describe: (contract: Contract) => ToolDefinition;
}
