/** The tools of the simulated world: one for each kind of effect and way of being governed. */
import type { Contract, ToolContext, VerifyAnswer } from '../../../src/contract/contract.ts';
import { tool } from '../../../src/contract/tool.ts';
import type { JsonValue } from '../../../src/util/json.ts';
import type { EffectKind } from '../history/history.ts';

/** Who carries out what tools are asked to do. */
export interface Executor {
  perform(contract: Contract, input: JsonValue, context: ToolContext): Promise<unknown>;
  verify(contract: Contract, context: ToolContext): Promise<VerifyAnswer>;
}

export const toolTimeoutMs = 1_000;
export const toolSettleMs = 3_000;

const input = {
  type: 'object',
  additionalProperties: false,
  required: ['item', 'amount'],
  properties: { item: { type: 'string' }, amount: { type: 'integer' } },
} as const;
const output = {
  type: 'object',
  additionalProperties: false,
  required: ['receipt'],
  properties: { receipt: { type: 'string' } },
} as const;
const common = {
  version: 1,
  input,
  timeout: toolTimeoutMs,
  retry: { attempts: 3, baseMs: 100, capMs: 1_000 },
} as const;
const unused = (): never => {
  throw new Error('Tools of the simulation are carried out by its world.');
};
const unusedVerify = (): never => unused();

interface Declared {
  readonly kind: EffectKind;
  readonly contract: Contract;
}

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

export const toolNames: readonly string[] = declared.map(({ contract }) => contract.name);
/** Every tool stands in the middle of a run: reads first, so that a plan shrinks towards them. */
export const effectKinds: ReadonlyMap<string, EffectKind> = new Map(
  declared.map(({ contract, kind }) => [contract.name, kind]),
);

/** The contracts as one process has them. Made once for each name of a process: contracts keep their identity over schedules, as they do in a real process. */
export class Toolbox {
  readonly contracts: readonly Contract[];
  /** Who is behind them now. */
  executor: Executor | undefined;

  constructor() {
    this.contracts = declared.map(({ contract }) => ({
      ...contract,
      execute: async (value: JsonValue, context: ToolContext) => this.#behind().perform(contract, value, context),
      ...(contract.verify === undefined
        ? {}
        : { verify: async (_value: JsonValue, context: ToolContext) => this.#behind().verify(contract, context) }),
    }));
  }

  #behind(): Executor {
    if (this.executor === undefined) throw new Error('Nobody is behind these tools.');
    return this.executor;
  }
}
