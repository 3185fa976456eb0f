/** What the driver's and the client's program have in common: loading first, opening when told, and doing what the harness orders. */
import process from 'node:process';
import { agent, type Agent, type Axle, type Contract, isAxleError } from '../../../src/axle.ts';
import { scriptedBrain } from './brain.ts';
import { LedgerClient } from './ledger-client.ts';
import { type Order, type ProgramOptions, type Report, toOptions, toOrder } from './messages.ts';
import { seededRandom } from '../random.ts';
import { killTools } from './tools.ts';

/** What a program opens its store with. */
export interface ProgramParts {
  readonly options: ProgramOptions;
  readonly ledger: LedgerClient;
  readonly tools: readonly Contract[];
  readonly agents: readonly Agent[];
}

export function report(message: Report): void {
  // The harness may be gone already; then nobody is left to hear it.
  if (process.connected) process.send?.(message);
}

/** Runs a program: `open` gives the Axle that later orders are for. */
export function runProgram(open: (parts: ProgramParts) => Promise<Axle>): void {
  const options = toOptions(process.argv[2]);
  const random = seededRandom(options.seed);
  const ledger = new LedgerClient(options.socketPath);
  const agents = [
    agent({
      name: 'worker',
      model: scriptedBrain(random),
      tools: ['*'],
      budget: { steps: 1_000, time: '1h' },
      modelAttempts: 6,
    }),
  ];
  let axle: Promise<Axle> | undefined;
  process.on('message', (value) => {
    const order = toOrder(value);
    if (order === undefined) return;
    if (order.kind === 'open') {
      axle = open({ options, ledger, tools: killTools(ledger, random, options.upstream), agents });
      axle.then(() => report({ kind: 'opened' }), failed('open'));
      return;
    }
    axle?.then((opened) => obey(opened, order)).catch(failed(order.kind));
  });
  process.on('disconnect', () => process.exit(0));
  report({ kind: 'loaded' });
}

async function obey(axle: Axle, order: Exclude<Order, { kind: 'open' }>): Promise<void> {
  switch (order.kind) {
    case 'start': {
      const run = await axle.start('worker', { input: order.input, key: order.key });
      report({ kind: 'accepted', key: order.key, runId: run.id });
      if (axle.isDriver) await tellResult(axle, run.id);
      return;
    }
    case 'call': {
      const result = await axle.call(order.tool, { text: order.text }, { key: order.key });
      report({ kind: 'accepted', key: order.key, runId: result.runId });
      if (result.status !== 'waiting') {
        report({ kind: 'result', runId: result.runId, status: result.status, output: result.output });
      }
      return;
    }
    case 'cancel':
      await axle.run(order.runId).cancel('the harness asked');
      report({ kind: 'cancelled', runId: order.runId });
      return;
    case 'message':
      // The harness does not know which of its runs are single calls, and those take no messages.
      if ((await axle.run(order.runId).summary()).kind === 'call') return;
      await axle.run(order.runId).send(order.text, { key: order.key });
      report({ kind: 'sent', key: order.key, runId: order.runId, text: order.text });
      return;
    case 'close':
      await axle.close();
      report({ kind: 'closed' });
      process.disconnect();
  }
}

/** Waits for the end of a run and tells it: from then on it must stay so. */
export async function tellResult(axle: Axle, runId: string): Promise<void> {
  const result = await axle.run(runId).result({ until: 'ended' });
  report({ kind: 'result', runId, status: result.status, output: result.output });
}

/** Refusals that belong to a world in which others act at the same time. */
const expectedCodes = ['run-ended', 'closed', 'store-closed', 'decision-already-made', 'decision-invalid'] as const;

/** Reports what went wrong with an order, unless it is expected. */
export function failed(about: string): (error: unknown) => void {
  return (error) => {
    if (expectedCodes.some((code) => isAxleError(error, code))) return;
    const code = isAxleError(error) ? error.code : 'unknown';
    report({
      kind: 'refused',
      about,
      code,
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  };
}
