/** The tools of the simulated world: one for each kind of effect and way of being governed. */
import type { Contract, ToolContext, VerifyAnswer } from '../../../src/contract/contract.ts';
import { tool } from '../../../src/contract/tool.ts';
import { type UpstreamSettings, withDefaults } from '../../../src/contract/upstream-settings.ts';
import { isJsonObject, type JsonValue } from '../../../src/util/json.ts';
import type { EffectKind } from '../history/history.ts';
import { common, type Declared, input, output, toolSettleMs, unused, unusedVerify } from './declared.ts';
import { locked } from './locked-tools.ts';

/** Who carries out what tools are asked to do. */
export interface Executor {
  perform(contract: Contract, input: JsonValue, context: ToolContext): Promise<unknown>;
  verify(contract: Contract, context: ToolContext): Promise<VerifyAnswer>;
}

/** So short that runs outlive it. */
export const recallTtlMs = 300;

/** Longer than all that may stand before a call in these plans takes. */
export const maxWaitMs = 60_000;
const desk = {
  limits: { upstream: 'desk', rate: '4/s', burst: 2, concurrency: 1, maxWait: maxWaitMs },
  breaker: { consecutiveFailures: 2, openFor: 900 },
} as const;

const declared: readonly Declared[] = [
  {
    kind: 'read',
    contract: tool({ ...common, name: 'look', description: 'Looks something up.', effect: 'read', execute: unused }),
  },
  {
    kind: 'read',
    contract: tool({
      ...common,
      name: 'count',
      description: 'Counts something.',
      effect: 'read',
      output,
      execute: unused,
    }),
  },
  {
    kind: 'idempotent',
    contract: tool({ ...common, name: 'put', description: 'Puts something.', effect: 'idempotent', execute: unused }),
  },
  {
    kind: 'idempotent',
    contract: tool({
      ...common,
      name: 'tag',
      description: 'Tags something.',
      effect: 'idempotent',
      parallel: true,
      execute: unused,
    }),
  },
  {
    kind: 'idempotent-approved',
    contract: tool({
      ...common,
      name: 'grant',
      description: 'Grants something.',
      effect: 'idempotent',
      risk: 'high',
      execute: unused,
    }),
  },
  {
    kind: 'write',
    contract: tool({
      ...common,
      name: 'note',
      description: 'Writes a note.',
      effect: 'write',
      output,
      execute: unused,
    }),
  },
  {
    kind: 'write',
    contract: tool({
      ...common,
      name: 'book',
      description: 'Books something.',
      effect: 'write',
      settle: toolSettleMs,
      execute: unused,
      verify: unusedVerify,
    }),
  },
  {
    kind: 'write-approved',
    contract: tool({
      ...common,
      name: 'pay',
      description: 'Pays something.',
      effect: 'write',
      risk: 'high',
      settle: toolSettleMs,
      output,
      execute: unused,
      verify: unusedVerify,
    }),
  },
  {
    kind: 'irreversible',
    contract: tool({
      ...common,
      name: 'wire',
      description: 'Wires something.',
      effect: 'write',
      irreversible: true,
      execute: unused,
    }),
  },
];

/** What version 2 makes of the arguments of version 1: applied twice it would show. */
export function migrateInput(input: JsonValue): JsonValue {
  return isJsonObject(input) ? { ...input, amount: Number(input['amount']) + 100_000, revision: 2 } : input;
}

/** The forms in which a tool exists: two versions, and a schema of another shape under the number of the first. */
export type Form = 'first' | 'second' | 'odd';

/** A contract in another form: what it does is the same. */
function inForm(contract: Contract, form: Form): Contract {
  if (form === 'first') return contract;
  const { name, description, effect, risk, irreversible, terms, output: promised } = contract;
  const { properties } = input;
  return tool({
    ...common,
    name,
    description,
    effect,
    risk,
    irreversible,
    ...(terms.parallel ? { parallel: true } : {}),
    ...(promised === undefined ? {} : { output: promised.json }),
    ...(contract.verify === undefined ? {} : { settle: toolSettleMs, verify: unusedVerify }),
    version: form === 'second' ? 2 : 1,
    input: { ...input, properties: { ...properties, [form === 'second' ? 'revision' : 'odd']: { type: 'integer' } } },
    ...(form === 'second' ? { migrate: { 1: { input: migrateInput } } } : {}),
    execute: unused,
  });
}

/** The tools that go to an upstream: one with one place and a slow rate, one with room for two that may overlap. */
const atUpstreams: readonly Declared[] = [
  {
    kind: 'read',
    contract: tool({
      ...common,
      name: 'ask',
      description: 'Asks at the desk.',
      effect: 'read',
      limits: desk.limits,
      breaker: desk.breaker,
      execute: unused,
    }),
  },
  {
    kind: 'write',
    contract: tool({
      ...common,
      name: 'hand',
      description: 'Hands something in at the desk.',
      effect: 'write',
      limits: desk.limits,
      breaker: desk.breaker,
      settle: toolSettleMs,
      execute: unused,
      verify: unusedVerify,
    }),
  },
  {
    kind: 'idempotent',
    contract: tool({
      ...common,
      name: 'ring',
      description: 'Rings a bell.',
      effect: 'idempotent',
      parallel: true,
      limits: { upstream: 'bell', concurrency: 2, maxWait: maxWaitMs },
      breaker: { consecutiveFailures: 2, openFor: 900 },
      execute: unused,
    }),
  },
];

const exclaimed = ({ item, amount }: { readonly item: string; readonly amount: number }): unknown => ({
  item: `${item}!`,
  amount,
});

/** Tools with a chain, a cache or an undo: themes call them, and plans drawn at random do not. */
const governed: readonly Declared[] = [
  {
    kind: 'read',
    contract: tool({
      ...common,
      name: 'inquire',
      description: 'Inquires somewhere.',
      effect: 'read',
      retry: { attempts: 1 },
      fallback: [{ tool: 'look', input: exclaimed }, 'count'],
      execute: unused,
    }),
  },
  {
    kind: 'idempotent',
    contract: tool({
      ...common,
      name: 'file',
      description: 'Files something.',
      effect: 'idempotent',
      retry: { attempts: 2, baseMs: 50 },
      fallback: [{ tool: 'put', input: exclaimed }],
      execute: unused,
    }),
  },
  {
    kind: 'write',
    contract: tool({
      ...common,
      name: 'send',
      description: 'Sends something.',
      effect: 'write',
      retry: { attempts: 1 },
      fallback: [{ tool: 'note', input: exclaimed, output: ({ receipt }: { receipt: string }) => ({ sent: receipt }) }],
      execute: unused,
    }),
  },
  {
    kind: 'read',
    contract: tool({
      ...common,
      name: 'recall',
      description: 'Recalls something, for everybody.',
      effect: 'read',
      cache: { ttl: recallTtlMs, scope: 'all' },
      execute: unused,
    }),
  },
  {
    kind: 'read',
    contract: tool({
      ...common,
      name: 'remember',
      description: 'Recalls something, for one run.',
      effect: 'read',
      cache: { ttl: 60_000 },
      execute: unused,
    }),
  },
  {
    kind: 'write',
    contract: tool({
      ...common,
      name: 'reserve',
      description: 'Reserves something.',
      effect: 'write',
      output,
      execute: unused,
      undo: { execute: unused },
    }),
  },
  {
    kind: 'idempotent',
    contract: tool({
      ...common,
      name: 'mark',
      description: 'Marks something.',
      effect: 'idempotent',
      execute: unused,
      undo: { effect: 'idempotent', execute: unused },
    }),
  },
];

/** Tools for plans that are about anything. */
export const toolNames: readonly string[] = declared.map(({ contract }) => contract.name);
/** What each upstream is held to, as the checks compute with it. */
export const upstreamLimits: ReadonlyMap<string, UpstreamSettings> = new Map(
  atUpstreams.flatMap(({ contract: { limits } }) =>
    limits === undefined ? [] : [[limits.upstream, withDefaults(limits.settings)]],
  ),
);
const everything: readonly Declared[] = [...declared, ...atUpstreams, ...governed, ...locked];
/** What plans may call. */
export const allToolNames: readonly string[] = everything.map(({ contract }) => contract.name);
/** Every tool stands in the middle of a run: reads first, so that a plan shrinks towards them. */
export const effectKinds: ReadonlyMap<string, EffectKind> = new Map(
  everything.flatMap(({ contract, kind }) => [
    [contract.name, kind] as const,
    ...(contract.undo === undefined ? [] : [[contract.undo.name, contract.undo.effect] as const]),
  ]),
);

/** These tools and those in their chains, each once, in the order in which they are declared. */
export function withStandIns(names: readonly string[]): readonly string[] {
  const wanted = new Set(names);
  for (const name of wanted) for (const { tool: standIn } of chains.get(name) ?? []) wanted.add(standIn);
  return allToolNames.filter((name) => wanted.has(name));
}

const chains: ReadonlyMap<string, Contract['fallback']> = new Map(
  everything.map(({ contract }) => [contract.name, contract.fallback]),
);

const allForms: ReadonlyMap<string, Contract> = new Map([
  ...declared.flatMap(({ contract }) =>
    (['first', 'second', 'odd'] as const).map((form) => [`${contract.name} ${form}`, inForm(contract, form)] as const),
  ),
  ...[...atUpstreams, ...governed, ...locked].map(({ contract }) => [`${contract.name} first`, contract] as const),
]);

/** The shape that no process has in the end. */
export function shapeThatGoes(name: string): string | undefined {
  return allForms.get(`${name} odd`)?.pin.shape;
}

/** The contracts as one process has them. Made once for each name of a process: contracts keep their identity over schedules, as they do in a real process. */
export class Toolbox {
  readonly #forms: ReadonlyMap<string, Contract>;
  /** Who is behind them now. */
  executor: Executor | undefined;

  constructor() {
    this.#forms = new Map([...allForms].map(([key, contract]) => [key, this.#inWorld(contract)]));
  }

  contract(name: string, form: Form): Contract {
    const contract = this.#forms.get(`${name} ${form}`);
    if (contract === undefined) throw new Error(`There is no ${form} form of ${name}.`);
    return contract;
  }

  #inWorld(contract: Contract): Contract {
    return {
      ...contract,
      execute: async (value: JsonValue, context: ToolContext) => this.#behind().perform(contract, value, context),
      ...(contract.verify === undefined
        ? {}
        : { verify: async (_value: JsonValue, context: ToolContext) => this.#behind().verify(contract, context) }),
      ...(contract.undo === undefined ? {} : { undo: this.#inWorld(contract.undo) }),
    };
  }

  #behind(): Executor {
    if (this.executor === undefined) throw new Error('Nobody is behind these tools.');
    return this.executor;
  }
}
