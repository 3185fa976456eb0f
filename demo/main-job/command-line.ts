/** What the demo is told on its command line. */
import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly folder: string;
  /** Nobody is asked: the demo itself approves the e-mail, and says so. */
  readonly once: boolean;
  readonly json: boolean;
  readonly kills: boolean;
  /** Go on with what an earlier demo left in the folder. */
  readonly resume: boolean;
}

export type CommandLine =
  | { readonly kind: 'run'; readonly options: DemoOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly message: string };

export const help = `Axle's main job: an agent looks up tomorrow's weather in Beijing, advises what to wear, writes a travel memo and e-mails it,
while services stumble and its process is killed twice. Everything runs on this machine.

  npm start                    asks you before the e-mail is sent
  npm start -- --once          unattended: approves the e-mail itself; exit code 0 only if memo and e-mail exist exactly once

  --once           do everything unattended
  --no-kill        kill nothing
  --folder PATH    where the journal, the ledgers and the memo are kept (default ./axle-demo, made anew each time)
  --resume         go on with what an earlier demo left in the folder
  --json           one object on standard output: verdict and figures; the story goes to standard error
  --help           this text

With AXLE_MODEL (openai/<model> or anthropic/<model>), OPENAI_API_KEY or ANTHROPIC_API_KEY set, a real model does the job.
Exit codes: 0 done, 1 not done (it says what is wrong), 2 wrong usage, 130 interrupted.
`;

/** Reads the command line. */
export function readCommandLine(words: readonly string[]): CommandLine {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        folder: { type: 'string', default: 'axle-demo' },
        once: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'no-kill': { type: 'boolean', default: false },
        resume: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values.folder.trim() === '') return { kind: 'invalid', message: '--folder wants a path.' };
    const { folder, once, json, resume } = values;
    return { kind: 'run', options: { folder, once, json, resume, kills: !values['no-kill'] } };
  } catch (error) {
    return { kind: 'invalid', message: error instanceof Error ? error.message : String(error) };
  }
}
