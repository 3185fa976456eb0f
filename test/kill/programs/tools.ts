/** The tools of the kill tests: each has its effect in the ledger, with the delays, refusals and lost answers of a real upstream. */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Contract, tool, ToolError, type ToolContext } from '../../../src/axle.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { type LedgerClient, LedgerRefusal } from './ledger-client.ts';
import type { EffectKind, EffectRequest } from './ledger-lines.ts';
import { wholeBetween } from '../random.ts';

/** How often an upstream misbehaves, from 0 to 1. */
interface Manners {
  readonly refuses: number;
  readonly drops: number;
  /** Longest time before the effect and before its answer, in milliseconds. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

const usual: Manners = { refuses: 0.03, drops: 0.02, beforeMs: 20, afterMs: 20 };
const input = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 200 } },
  required: ['text'],
  additionalProperties: false,
} as const;
const output = {
  type: 'object',
  properties: { receipt: { type: 'integer' } },
  required: ['receipt'],
  additionalProperties: false,
} as const;
const retry = { attempts: 8, baseMs: 5, capMs: 40 } as const;

export function killTools(ledger: LedgerClient, random: () => number, upstream: 'rough' | 'calm'): readonly Contract[] {
  const perform = (name: string, kind: EffectKind, rough: Manners) => {
    const manners = upstream === 'rough' ? rough : { ...rough, refuses: 0, drops: 0 };
    return (args: JsonObject, context: ToolContext) =>
      effect({ ledger, random, manners }, { tool: name, kind, text: textOf(args) }, context);
  };
  const verify = async (_: JsonObject, { runId, callId, signal }: ToolContext) => {
    const [receipt] = (await ledger.happened({ runId, callId }, signal)).receipts;
    return receipt === undefined ? ({ happened: false } as const) : ({ happened: true, output: { receipt } } as const);
  };
  const common = { input, output, retry } as const;
  return [
    tool({
      ...common,
      name: 'look_up',
      description: 'Reads something.',
      effect: 'read',
      execute: perform('look_up', 'read', { ...usual, refuses: 0.1, drops: 0.05 }),
    }),
    tool({
      ...common,
      name: 'peek',
      description: 'Reads something that is near.',
      effect: 'read',
      execute: perform('peek', 'read', { refuses: 0.02, drops: 0, beforeMs: 0, afterMs: 0 }),
    }),
    tool({
      ...common,
      name: 'set_mark',
      description: 'Sets a mark; setting it again changes nothing.',
      effect: 'idempotent',
      retry: { ...retry, attempts: 4 },
      execute: perform('set_mark', 'idempotent', { ...usual, refuses: 0.2, drops: 0.2 }),
    }),
    tool({
      ...common,
      name: 'add_note',
      description: 'Adds a note.',
      effect: 'write',
      execute: perform('add_note', 'write', usual),
    }),
    // A short time limit, since `verify` is not asked before it has passed.
    tool({
      ...common,
      name: 'send_letter',
      description: 'Sends a letter.',
      effect: 'write',
      timeout: 250,
      settle: 100,
      execute: perform('send_letter', 'write', usual),
      verify,
    }),
    tool({
      ...common,
      name: 'pay',
      description: 'Pays a bill.',
      effect: 'write',
      risk: 'high',
      execute: perform('pay', 'write', usual),
    }),
    tool({
      ...common,
      name: 'slow_note',
      description: 'Adds a note, slowly.',
      effect: 'write',
      timeout: 60,
      execute: perform('slow_note', 'write', { refuses: 0, drops: 0, beforeMs: 30, afterMs: 120 }),
    }),
    tool({
      ...common,
      name: 'busy_note',
      description: 'Adds a note where many do.',
      effect: 'write',
      execute: perform('busy_note', 'write', { ...usual, refuses: 0.5 }),
    }),
  ];
}

/** The schema lets nothing but a text through. */
function textOf({ text }: JsonObject): string {
  return typeof text === 'string' ? text : '';
}

interface Upstream {
  readonly ledger: LedgerClient;
  readonly random: () => number;
  readonly manners: Manners;
}

type Act = Pick<EffectRequest, 'tool' | 'kind' | 'text'>;

async function effect(
  { ledger, random, manners }: Upstream,
  act: Act,
  context: ToolContext,
): Promise<{ readonly receipt: number }> {
  const { runId, callId, attempt, idempotencyKey, signal } = context;
  if (manners.beforeMs > 0) await sleep(random() * manners.beforeMs, undefined, { signal });
  const draw = random();
  const manner = draw < manners.refuses ? 'refuse' : draw < manners.refuses + manners.drops ? 'drop' : 'answer';
  const delayMs = wholeBetween(random, 0, manners.afterMs);
  try {
    // The signal is not handed on: what was sent may arrive, and its answer, late as it is, says so.
    return await ledger.effect({
      ...act,
      key: idempotencyKey,
      runId,
      callId,
      attempt,
      pid: process.pid,
      manner,
      delayMs,
    });
  } catch (error) {
    if (!(error instanceof LedgerRefusal)) throw error;
    throw new ToolError({
      message: error.message,
      code: 'ledger-busy',
      effect: 'none',
      retryAfterMs: wholeBetween(random, 1, 15),
      cause: error,
    });
  }
}
