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
  /** The debugger is served while the job is done; a browser is opened on it unless `opens` is false. */
  readonly page: { readonly port: number | undefined; readonly opens: boolean } | undefined;
}

export type CommandLine =
  | { readonly kind: 'run'; readonly options: DemoOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'invalid'; readonly message: string };

export const help = `Axle's main job: an agent looks up tomorrow's weather in Beijing, advises what to wear, writes a travel memo and e-mails it,
while services stumble and its process is killed twice. Everything runs on this machine.

  npm start                    shows the run in the browser, and asks you before the e-mail is sent; stays until Ctrl-C
  npm start -- --once          unattended: approves the e-mail itself; exit code 0 only if memo and e-mail exist exactly once

  --once           do everything unattended, and end; without a page, unless --port asks for one
  --port PORT      the port of the page (default 4983, or a free one where that is taken; 0 takes a free one)
  --no-open        open no browser: the address of the page is printed
  --no-kill        kill nothing
  --folder PATH    where the journal, the ledgers and the memo are kept (default ./axle-demo, made anew each time)
  --resume         go on with what an earlier demo left in the folder
  --json           one object on standard output: verdict and figures; the story goes to standard error
  --help           this text

A browser is opened where somebody sits at a terminal on a desktop. Without a terminal, or with --json, the demo ends with the job.
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
        port: { type: 'string' },
        'no-open': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values.folder.trim() === '') return { kind: 'invalid', message: '--folder wants a path.' };
    const { folder, once, json, resume, port: portText } = values;
    const port = portText === undefined ? undefined : Number(portText);
    if (port !== undefined && !(/^\d{1,5}$/.test(portText ?? '') && port <= 65_535)) {
      return { kind: 'invalid', message: `--port is a number from 0 to 65535, and not ${portText}.` };
    }
    const page = once && port === undefined ? undefined : { port, opens: !once && !values['no-open'] };
    return { kind: 'run', options: { folder, once, json, resume, kills: !values['no-kill'], page } };
  } catch (error) {
    return { kind: 'invalid', message: error instanceof Error ? error.message : String(error) };
  }
}
