/**
 * Commands that are printed for somebody to paste.
 *
 * T1 They begin as this program was called: what is not on the search path is not printed as if it were.
 * T2 They name the store and the configuration that this command was given, so that they mean the same run.
 */
import { basename, delimiter, dirname, relative, sep } from 'node:path';
import { shellQuoted } from '../util/shell-quoted.ts';

export interface Calling {
  /** The script as it was named to Node: a link of the package's bin, or the file itself. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

/** What a command line of this program begins with. (T1) */
export function programText({ script, environment, folder }: Calling): string {
  // A package may name a script of its own `axle`, as this repository does.
  if (environment['npm_lifecycle_event'] === 'axle') return 'npm run -s axle --';
  if (environment['npm_lifecycle_event'] !== undefined || environment['npm_command'] === 'exec') return 'npx axle';
  if (basename(script) !== 'axle') return `node ${shellWord(near(script, folder))}`;
  const isOnPath = (environment['PATH'] ?? '').split(delimiter).includes(dirname(script));
  return isOnPath ? 'axle' : shellWord(near(script, folder));
}

/** A whole command line. Options that say where store and configuration are come last. (T2) */
export type CommandText = (...words: readonly string[]) => string;

export function commandText(
  program: string,
  { storePath, configPath }: { readonly storePath?: string | undefined; readonly configPath?: string | undefined },
): CommandText {
  const given = [
    ...(storePath === undefined ? [] : ['--store', storePath]),
    ...(configPath === undefined ? [] : ['--config', configPath]),
  ];
  return (...words) => [program, ...[...words, ...given].map(shellWord)].join(' ');
}

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : shellQuoted(word);
}

function near(path: string, folder: string): string {
  const fromHere = relative(folder, path);
  return fromHere === '..' || fromHere.startsWith(`..${sep}`) ? path : fromHere;
}
