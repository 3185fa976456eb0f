/**
 * The process that drives the agent's run, and that the demo kills. It holds nothing of its own: started again, it finds the run by its key
 * and goes on where the journal ends. Run it as a process of its own; its settings come as JSON on the command line (`WorkerSettings`).
 */
import process from 'node:process';
import { agent, createAxle } from '../src/axle.ts';
import { messageOf } from '../src/error/axle-error.ts';
import { isRecord } from '../src/util/json.ts';
import { chooseModel } from './model.ts';
import { announce, endWithParent } from './service-life.ts';
import { createDemoTools } from './tools.ts';

/** Everything that a worker is told. */
export interface WorkerSettings {
  readonly store: string;
  readonly task: string;
  /** The folder of the memos. */
  readonly memos: string;
  readonly weatherUrl: string;
  readonly mailUrl: string;
  readonly smtpPort: number;
  /** Where the scripted model is served; unused with a real one. */
  readonly modelUrl: string;
  /** Whether it drives on when its run has ended, until its parent lets go of it. */
  readonly stays: boolean;
}

/** A restart finds the same run under this name. */
const runKey = 'travel-memo';

function readSettings(text: string | undefined): WorkerSettings {
  const value: unknown = JSON.parse(text ?? 'null');
  const names = ['store', 'task', 'memos', 'weatherUrl', 'mailUrl', 'modelUrl'];
  if (
    !isRecord(value) ||
    names.some((name) => typeof value[name] !== 'string') ||
    typeof value['smtpPort'] !== 'number' ||
    typeof value['stays'] !== 'boolean'
  ) {
    throw new Error('usage: worker <settings as JSON>');
  }
  // Every field was looked at above.
  return value as unknown as WorkerSettings;
}

async function work(settings: WorkerSettings): Promise<void> {
  const demo = await createDemoTools({
    weatherUrl: settings.weatherUrl,
    mailUrl: settings.mailUrl,
    smtpPort: settings.smtpPort,
    folder: settings.memos,
  });
  const travel = agent({
    name: 'travel',
    model: chooseModel(settings.modelUrl),
    instructions: `Do what the user asks, with the tools that you have. Prefer a tool to your memory. Write exactly one memo, as one Markdown file in the folder ${settings.memos}, and send exactly one e-mail that contains the memo. When both are done, answer in one or two sentences.`,
    tools: ['get_weather', 'send_email', 'files.write_file'],
    budget: { steps: 20, time: '5m' },
  });
  const axle = await createAxle({ store: settings.store, tools: demo.tools, agents: [travel] });
  endWithParent(() => undefined);
  const run = await axle.start('travel', { input: settings.task, key: runKey });
  announce({ runId: run.id });
  await run.result({ until: 'ended' });
  if (settings.stays) await new Promise<never>(() => {});
  await axle.close();
  await demo.close();
}

try {
  await work(readSettings(process.argv[2]));
  process.exit(0);
} catch (error) {
  const message = messageOf(error);
  const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : '';
  process.stderr.write(`${message}${message.includes(cause) ? '' : ` (${cause})`}\n`);
  process.exit(1);
}
