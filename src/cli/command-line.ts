/** One command line from its words to its exit code. */
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import { oneLine } from '../trace/safe-text.ts';
import type { Invocation } from './command.ts';
import { commands } from './commands.ts';
import { exitCodes, type ExitName, exitOfError } from './exit-code.ts';
import { commandHelp, generalHelp } from './help-text.ts';
import type { Interruption } from './interruption.ts';
import { type ParsedCommand, parseCommand } from './parse-command.ts';
import { storePlace } from './store-place.ts';
import type { Terminal } from './terminal.ts';

export interface Surroundings {
  readonly terminal: Terminal;
  readonly interruption: Interruption;
  readonly folder: string;
}

/** Runs a command line; every failure is told and becomes an exit code. */
export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings;
  try {
    const parsed = parseCommand(words, commands);
    return exitCodes[await perform(parsed, words, surroundings)].code;
  } catch (error) {
    const coded = isAxleError(error) ? error : new AxleError('internal', messageOf(error), { cause: error });
    tell(coded, terminal);
    return exitCodes[exitOfError(coded.code)].code;
  }
}

async function perform(
  parsed: ParsedCommand | undefined,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<ExitName> {
  const { terminal } = surroundings;
  if (parsed === undefined || parsed.options.has('help')) {
    const help = parsed === undefined ? generalHelp(commands) : commandHelp(parsed.command);
    if (terminal.isJson) terminal.json({ help });
    else terminal.say(help);
    // A bare `axle` asked for nothing that could be done.
    return words.length === 0 ? 'usage' : 'ok';
  }
  return parsed.command.run(invocationOf(parsed, surroundings));
}

function invocationOf(
  { command, options, positionals }: ParsedCommand,
  { terminal, interruption, folder }: Surroundings,
): Invocation {
  const text = (name: string): string | undefined => {
    const value = options.get(name);
    return value === true ? undefined : value;
  };
  const configPath = text('config');
  const storePath = text('store');
  return {
    terminal,
    interruption,
    argument: (index) => {
      const value = positionals[index];
      if (value === undefined) {
        throw new AxleError('internal', `axle ${command.name} reads an argument that it does not declare.`);
      }
      return value;
    },
    optionalArgument: (index) => positionals[index],
    text,
    has: (name) => options.has(name),
    place: storePlace({
      folder,
      ...(configPath === undefined ? {} : { configPath }),
      ...(storePath === undefined ? {} : { storePath }),
    }),
  };
}

function tell(error: AxleError, terminal: Terminal): void {
  terminal.note(`axle: ${oneLine(error.message)} (${error.code})`);
  terminal.note(`      ${oneLine(error.remedy)}`);
  if (terminal.isJson) terminal.json({ error: error.toJSON() });
}
