/**
 * The desk's tools as contracts: the benchmark's schemas, our effects. Nothing needs an approval.
 *
 * A doubt has two ways out, and both are used: bookings, changes and certificates have a `verify` that asks the ledger; cancellations and the hand-over
 * to a person have none, so somebody must say what the ledger says (`customer.ts`).
 */
import { type Contract, tool, type ToolContext } from '../../../src/axle.ts';
import type { JsonValue } from '../../../src/util/json.ts';
import type { AirlineDesk } from './desk.ts';
import type { RecordedTool } from './recording.ts';

/** Time that an attempt may take, and so the time after which `verify` is asked. The desk answers at once. */
export const attemptTimeoutMs = 300;

const settledByPeople = new Set(['cancel_reservation', 'transfer_to_human_agents']);

/** What a tool is told of a call in doubt: the answer, or undefined when it was never carried out. */
export type Witness = (idempotencyKey: string) => string | undefined;

/** How a living process reaches the desk: a call of a dead one never gets there, and never comes back. */
export type Reach = (request: () => string) => Promise<string>;

export interface DeskTools {
  readonly reach?: Reach;
  /** @defaultValue the ledger of the desk */
  readonly witness?: Witness;
}

/** The fourteen tools over a desk. */
export function deskTools(desk: AirlineDesk, options: DeskTools = {}): readonly Contract[] {
  const reach: Reach = options.reach ?? (async (request) => request());
  const witness = options.witness ?? ((key) => desk.answerOf(key));
  return [...desk.tools.values()].map((recorded) => deskTool(recorded, { desk, reach, witness }));
}

interface Access extends Required<DeskTools> {
  readonly desk: AirlineDesk;
}

function deskTool({ name, effect, inputSchema }: RecordedTool, { desk, reach, witness }: Access): Contract {
  const declared = {
    name,
    description: `${name.replaceAll('_', ' ')}, at the desk of a recorded airline.`,
    input: inputSchema,
    execute: (input: JsonValue, context: ToolContext) => reach(() => desk.perform(name, input, context)),
  };
  if (effect === 'read') return tool({ ...declared, effect: 'read' });
  const write = { ...declared, effect: 'write', risk: 'medium', timeout: attemptTimeoutMs } as const;
  if (settledByPeople.has(name)) return tool(write);
  return tool({
    ...write,
    verify: async (_input: JsonValue, { idempotencyKey }: ToolContext) => {
      const output = witness(idempotencyKey);
      return output === undefined ? { happened: false } : { happened: true, output };
    },
  });
}
