/**
 * One model that says what a record wants said, and tools that note what they were really handed: everything through the package's own entry points.
 * What ran is read from the tools' side, what was repaired and refused from the journal, and what the model was told from its own requests.
 */
import { agent, type BrainRequest, createAxle, type Entry, type Policy, type RunResult, tool } from 'axle';
import { scriptedBrain, type ScriptedTurn } from 'axle/testing';
import type { Fields } from './fields.ts';

export interface OfferedTool {
  readonly name: string;
  readonly inputSchema: Fields;
  readonly effect: 'read' | 'idempotent' | 'write';
  /** What a call gives back. @defaultValue `'done'` */
  readonly execute?: (input: unknown) => unknown;
}

export interface Trial {
  readonly tools: readonly OfferedTool[];
  /** What the model says, turn by turn; after the last one it says `end`. */
  readonly turns: readonly ScriptedTurn[];
  readonly policy?: Policy;
}

export interface Ran {
  readonly tool: string;
  readonly input: unknown;
}

export interface Observation {
  readonly ran: readonly Ran[];
  readonly entries: readonly Entry[];
  /** What the model was shown, request by request. */
  readonly requests: readonly BrainRequest[];
  readonly result: RunResult;
}

/** How the model ends a run once its turns are said. */
export const end = 'end';

const maxSteps = 20;

export async function observe({ tools, turns, policy }: Trial): Promise<Observation> {
  const ran: Ran[] = [];
  const requests: BrainRequest[] = [];
  const contracts = tools.map(({ name, inputSchema, effect, execute }) =>
    tool({
      name,
      description: 'A tool of a case.',
      effect,
      input: inputSchema,
      execute: (input) => {
        ran.push({ tool: name, input });
        return execute === undefined ? 'done' : execute(input);
      },
    }),
  );
  const brain = scriptedBrain((request, turn) => {
    requests.push(request);
    return turns[turn] ?? end;
  });
  const names = contracts.map(({ name }) => name);
  const subject = agent({ name: 'subject', model: brain, tools: names, budget: { steps: maxSteps } });
  await using axle = await createAxle({
    store: ':memory:',
    tools: contracts,
    agents: [subject],
    log: () => {},
    ...(policy === undefined ? {} : { policy }),
  });
  const run = await axle.start('subject', { input: 'Do what the case says.' });
  const result = await run.result();
  const entries: Entry[] = [];
  if (result.status !== 'waiting') {
    for await (const event of run.events()) entries.push(event.entry);
  }
  return { ran, entries, requests, result };
}

/** A turn with one call whose arguments are handed over as they are written. */
export function callTurn(name: string, argumentsText: string, id = 'call_of_case'): ScriptedTurn {
  return { calls: [{ id, name, input: argumentsText }] };
}

/** The repairs of the run's calls. */
export function repairsOf({ entries }: Observation): readonly { readonly rule: string; readonly path: string }[] {
  return entries.flatMap((entry) => (entry.type === 'call-bound' ? (entry.call.repairs ?? []) : []));
}

/** What was refused, with code and message. */
export function refusalsOf({ entries }: Observation): readonly { readonly code: string; readonly message: string }[] {
  return entries.flatMap((entry) => (entry.type === 'call-refused' && entry.dropped !== true ? [entry.failure] : []));
}
