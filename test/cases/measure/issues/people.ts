/** What a person said counts for the exact call it was said of, once. */
import { agent, type BrainRequest, createAxle, tool } from 'axle';
import { scriptedBrain, type ScriptedTurn } from 'axle/testing';
import { type Fields, isFields, listOf, textOf } from '../fields.ts';
import { isSame } from '../same-values.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

export async function approvalCases({ input }: Issue): Promise<Verdict> {
  if (isFields(input['approved']) && isFields(input['modelAfterResume'])) {
    return rewritten(input['approved'], input['modelAfterResume']);
  }
  if (input['turns'] === undefined) return notCovered('neither approved arguments nor turns');
  const turns = listOf(input['turns'], 'turns').map((turn) => textOf(turn, 'turns'));
  return turns.some((turn) => /reject|den/.test(turn)) ? comesBack() : notCovered('nobody says no in it');
}

interface Watched {
  readonly ran: unknown[];
  readonly requests: BrainRequest[];
}

/** A tool that asks a person each time, and a model that says these turns. */
function asking(turns: readonly ScriptedTurn[]): Watched & { readonly options: Parameters<typeof createAxle>[0] } {
  const watched: Watched = { ran: [], requests: [] };
  const pay = tool({
    name: 'pay',
    description: 'A tool of a case.',
    effect: 'write',
    risk: 'high',
    input: { type: 'object' },
    execute: (given) => {
      watched.ran.push(given);
      return 'paid';
    },
  });
  const model = scriptedBrain((request, turn) => {
    watched.requests.push(request);
    return turns[turn] ?? 'end';
  });
  const subject = agent({ name: 'subject', model, tools: ['pay'] });
  return { ...watched, options: { store: ':memory:', tools: [pay], agents: [subject], log: () => {} } };
}

const call = (id: string, args: Fields): ScriptedTurn => ({ calls: [{ id, name: 'pay', input: args }] });

/** What was approved runs as it was; what the model sends afterwards is a question of its own. */
async function rewritten(approved: Fields, afterwards: Fields): Promise<Verdict> {
  const { ran, options } = asking([call('first', approved), call('second', afterwards)]);
  await using axle = await createAxle(options);
  const run = await axle.start('subject', { input: 'Pay.' });
  await run.result();
  const [question] = await axle.approvals.list(run.id);
  if (question === undefined) return wrong('nobody was asked', { unsafe: true });
  await axle.approvals.resolve(question.approvalId, { decision: 'approve' });
  const { status } = await run.result();
  const open = await axle.approvals.list(run.id);
  if (!isSame(ran, [approved])) return wrong(`these ran: ${JSON.stringify(ran)}`, { unsafe: true });
  return status === 'waiting' && open.length === 1 ? right : wrong(`the new call left the run ${status}`);
}

/** After a no, the same call raises no second question, and the model is told why. */
async function comesBack(): Promise<Verdict> {
  const { ran, requests, options } = asking([call('first', { amount: 1 }), call('second', { amount: 1 })]);
  await using axle = await createAxle(options);
  const run = await axle.start('subject', { input: 'Pay.' });
  await run.result();
  const [question] = await axle.approvals.list(run.id);
  await axle.approvals.resolve(question?.approvalId ?? '', { decision: 'deny' });
  const { status } = await run.result();
  if (ran.length > 0) return wrong('the call ran', { unsafe: true });
  if (status === 'waiting' || (await axle.approvals.list(run.id)).length > 0) return wrong('a person was asked again');
  const told = JSON.stringify(requests.at(-1)?.items);
  return /denied/.test(told) ? right : wrong('the model was not told why');
}
