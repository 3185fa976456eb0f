/**
 * What forks are held to, without a test runner, so that it can be run in a thread with a bug in the code: a run of 15 steps is forked at every one, and the
 * world outside is asked what it saw.
 */
import { agent, contextKey, createAxle, tool } from '../../../src/axle.ts';
import { createMemoryStore, scriptedBrain, type ScriptedTurn } from '../../../src/testing.ts';

const script: readonly ScriptedTurn[] = [
  { calls: [{ name: 'login', input: {} }] },
  { calls: [{ name: 'wipe', input: { disk: 1 } }] },
  ...Array.from({ length: 12 }, (_, index): ScriptedTurn => {
    const name = ['look', 'pay', 'mail'][index % 3] ?? '';
    // A payment and a mail are made twice with the same arguments, and mean two.
    return { calls: [{ name, input: { at: index > 9 ? index - 3 : index } }] };
  }),
  'all done',
];

/** What is wrong, in words; none when forks do what they should. */
export async function forkProblems(): Promise<readonly string[]> {
  const ledger: string[] = [];
  const seen: string[] = [];
  const note = (name: string) => (input: unknown) => {
    ledger.push(`${name} ${JSON.stringify(input)}`);
    return { ok: ledger.length };
  };
  const input = { type: 'object', additionalProperties: true };
  const user = { type: 'object', properties: { user: { type: 'string' }, at: { type: 'integer' } } };
  const tools = [
    tool({ name: 'look', description: 'Looks.', effect: 'read', input, execute: () => 'seen' }),
    tool({
      name: 'login',
      description: 'Logs in.',
      effect: 'read',
      input,
      publishes: { 'user.id': '/id' },
      execute: () => ({ id: 'u1' }),
    }),
    tool({ name: 'pay', description: 'Pays.', input: user, inputs: { user: 'user.id' }, execute: note('pay') }),
    tool({ name: 'mail', description: 'Mails.', effect: 'idempotent', input, execute: note('mail') }),
    tool({ name: 'wipe', description: 'Wipes.', risk: 'high', input, execute: note('wipe') }),
  ];
  const model = scriptedBrain((request, turn) => {
    seen.push(JSON.stringify(request.items));
    return script[turn] ?? 'over';
  });
  const wiper = scriptedBrain(
    (_, turn) => (turn < 4 ? { calls: [{ name: 'wipe', input: { disk: 1 } }] } : 'wiped'),
    'wiper',
  );
  const again = scriptedBrain(
    (_, turn) => (turn < 15 ? { calls: [{ name: 'mail', input: { at: 2 } }] } : 'mailed'),
    'again',
  );
  await using axle = await createAxle({
    store: createMemoryStore(),
    tools,
    agents: [agent({ name: 'clerk', model, tools: ['*'], budget: { steps: 30 } })],
    models: { wiper, again },
    context: [contextKey('user.id', { type: 'string' })],
    log: () => {},
  });
  const problems: string[] = [];
  const run = await axle.start('clerk', { input: 'do it all' });
  await run.result();
  await axle.approvals.resolve(`${run.id}/2.0`, { decision: 'deny' });
  const answer = JSON.stringify(outputOf(await run.result()));
  const [done, shown] = [[...ledger], [...seen]];
  const expect = (label: string, found: unknown, wanted: unknown): void => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) problems.push(`${label}: ${JSON.stringify(found)}`);
  };
  for (let at = 1; at <= 15; at += 1) {
    seen.length = 0;
    const fork = await axle.fork(run.id, { at });
    expect(`the fork at ${at} answers`, JSON.stringify(outputOf(await fork.result())), answer);
    expect(`the model of the fork at ${at} sees`, seen, shown.slice(at - 1));
    expect(`outside, after the fork at ${at}`, ledger, done);
    const { difference } = await axle.replay(fork.id);
    expect(`the replay of the fork at ${at}`, difference, undefined);
  }
  const repeated = await axle.fork(run.id, { at: 6, model: 'again' });
  await repeated.result();
  expect('outside, after a mail that was made once and is asked for again and again', ledger, done);
  const wiped = await axle.fork(run.id, { at: 3, model: 'wiper', live: ['wipe'] });
  expect('what a person refused, asked for again', (await wiped.result()).status, 'completed');
  expect('outside, after what a person refused', ledger, done);
  return problems;
}

function outputOf(result: object): unknown {
  return 'output' in result ? result.output : undefined;
}
