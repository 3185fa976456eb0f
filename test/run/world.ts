/** A small world for tests of the engine: tools with a ledger of their own, an Axle on a memory store, a clock that is driven by hand. */
import {
  agent,
  type AgentDeclaration,
  type Axle,
  type AxleOptions,
  type Contract,
  createAxle,
  type LiveEvent,
  type Log,
  type Policy,
  tool,
  type ToolContext,
} from '../../src/axle.ts';
import type { Entry } from '../../src/journal/entry.ts';
import type { Store } from '../../src/journal/store.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import {
  createHandClock,
  createMemoryStore,
  type HandClock,
  scriptedBrain,
  type ScriptedTurn,
} from '../../src/testing.ts';
import { systemIds } from '../../src/util/system-identity.ts';
import { replayedStore } from '../replay/replayed-store.ts';

/** What really happened outside, whatever the journal says. */
export class Ledger {
  readonly effects: {
    readonly tool: string;
    readonly input: unknown;
    readonly key: string;
    readonly attempt: number;
  }[] = [];

  note(name: string, input: unknown, context: ToolContext): void {
    this.effects.push({ tool: name, input, key: context.idempotencyKey, attempt: context.attempt });
  }

  of(name: string): number {
    return this.effects.filter((effect) => effect.tool === name).length;
  }
}

type Declared = Partial<Parameters<typeof tool>[0]>;

/** A tool that notes each attempt in the ledger and then does what `run` says. */
export function ledgerTool(
  ledger: Ledger,
  name: string,
  declared: Declared & { readonly run?: (input: unknown, context: ToolContext) => unknown } = {},
): Contract {
  const { run, ...rest } = declared;
  return tool({
    name,
    description: `Does ${name} for a test.`,
    input: { type: 'object', additionalProperties: true },
    execute: async (input: unknown, context: ToolContext) => {
      ledger.note(name, input, context);
      return run === undefined ? { ok: true } : run(input, context);
    },
    ...rest,
  });
}

export interface World {
  readonly axle: Axle;
  readonly clock: HandClock;
  readonly store: Store;
}

export interface WorldOptions {
  readonly tools?: readonly Contract[];
  readonly turns: readonly ScriptedTurn[] | Parameters<typeof scriptedBrain>[0];
  readonly agent?: Partial<AgentDeclaration>;
  readonly store?: Store;
  readonly clock?: HandClock;
  readonly policy?: Policy;
  readonly onLive?: (event: LiveEvent) => void;
  readonly log?: Log;
  readonly upstreams?: AxleOptions['upstreams'];
  /** Whatever else the Axle is opened with. */
  readonly axle?: Partial<AxleOptions>;
  /** Why the runs of this world are not decided again when it is closed, as those of every other are. */
  readonly notReplayed?: string;
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const clock = options.clock ?? createHandClock();
  const given = options.store ?? createMemoryStore();
  const store = options.notReplayed === undefined ? replayedStore(given, options) : given;
  const worker = agent({
    name: 'worker',
    model: scriptedBrain(options.turns),
    tools: (options.tools ?? []).map((contract) => contract.name),
    ...options.agent,
  });
  const ports = { clock, timers: clock, random: { next: () => 0.5 }, ids: systemIds };
  const { policy, onLive } = options;
  const axle = await createAxle({
    store,
    tools: options.tools ?? [],
    agents: [worker],
    ports,
    log: options.log ?? (() => {}),
    ...(policy === undefined ? {} : { policy }),
    ...(onLive === undefined ? {} : { onLive }),
    ...options.axle,
    ...(options.upstreams === undefined ? {} : { upstreams: options.upstreams }),
  });
  return { axle, clock, store: given };
}

/** Every entry of a run, in order. */
export async function entriesOf(store: Store, runId: string): Promise<readonly Entry[]> {
  return (await store.read(runId)).flatMap((append) => append.entries);
}

export async function typesOf(store: Store, runId: string): Promise<readonly string[]> {
  return (await entriesOf(store, runId)).map((entry) => entry.type);
}

/** A store as an owner sees it that will be cut off: after `cutOff` it takes no run any more, but what it has in hand goes on, as that of a paused process does. */
export function cutOffStore(store: Store): { readonly store: Store; readonly cutOff: () => void } {
  let isCutOff = false;
  const never = new Promise<never>(() => {});
  return {
    store: wrapStore(store, {
      claim: (runId) => (isCutOff ? never : store.claim(runId)),
      due: (nowMs, limit) => (isCutOff ? never : store.due(nowMs, limit)),
    }),
    cutOff: () => {
      isCutOff = true;
    },
  };
}
