/** One command line from its words to its exit code. */
import { AxleError, codedOf } from '../error/axle-error.ts';
import { errorCatalogue } from '../error/catalogue.ts';
import type { Invocation } from './command.ts';
import { commandText } from './command-text.ts';
import { commands } from './commands.ts';
import { exitCodes, type ExitName, exitOfError } from './exit-code.ts';
import { commandHelp, generalHelp } from './help-text.ts';
import type { Interruption } from './interruption.ts';
import { type ParsedCommand, parseCommand } from './parse-command.ts';
import { storePlace } from './store-place.ts';
import type { SuddenEnd } from './sudden-end.ts';
import { tellError } from './tell-error.ts';
import type { Terminal } from './terminal.ts';
import type { WorkInHand } from './work-in-hand.ts';

export interface Surroundings {
  readonly terminal: Terminal;
  readonly interruption: Interruption;
  readonly work: WorkInHand;
  readonly suddenEnd: SuddenEnd;
  readonly folder: string;
  /** How this program is called, for the commands that it prints. */
  readonly program: string;
}

/** Runs a command line; every failure is told and becomes an exit code. */
export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { terminal, program } = surroundings;
  let parsed: ParsedCommand | undefined;
  try {
    parsed = parseCommand(words, commands);
    return exitCodes[await perform(parsed, words, surroundings)].code;
  } catch (error) {
    const coded = codedOf(error);
    tellError(parsed === undefined ? coded : withHelp(coded, `${program} ${parsed.command.name} --help`), terminal);
    return exitCodes[exitOfError(coded.code)].code;
  }
}

/** What the library calls wrong usage names no command; here it is known which one is meant. */
function withHelp(error: AxleError, help: string): AxleError {
  if (error.code !== 'usage-invalid' || error.remedy !== errorCatalogue['usage-invalid'].remedy) return error;
  return new AxleError(error.code, error.message, { details: error.details, remedy: `See ${help}.`, cause: error });
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
    // A command line without a command asked for nothing that could be done.
    return parsed === undefined && !isHelpAsked(words) ? 'usage' : 'ok';
  }
  return parsed.command.run(invocationOf(parsed, surroundings));
}

function invocationOf(
  { command, options, positionals }: ParsedCommand,
  { terminal, interruption, work, suddenEnd, folder, program }: Surroundings,
): Invocation {
  const text = (name: string): string | undefined => {
    const value = options.get(name);
    return value === true ? undefined : value;
  };
  const configPath = text('config');
  const storePath = text('store');
  const help = `See ${program} ${command.name} --help.`;
  return {
    terminal,
    interruption,
    work,
    suddenEnd,
    argument: (index) => {
      const value = positionals[index];
      if (value === undefined) {
        throw new AxleError('internal', `axle ${command.name} reads an argument that it does not declare.`);
      }
      return value;
    },
    optionalArgument: (index) => positionals[index],
    restArguments: (index) => positionals.slice(index),
    text,
    list: (name) =>
      text(name)
        ?.split(',')
        .map((item) => item.trim()),
    has: (name) => options.has(name),
    place: storePlace({
      folder,
      ...(configPath === undefined ? {} : { configPath }),
      ...(storePath === undefined ? {} : { storePath }),
    }),
    commandText: commandText(program, { storePath, configPath }),
    usage: (message, cause) => new AxleError('usage-invalid', message, { remedy: help, cause }),
  };
}

function isHelpAsked(words: readonly string[]): boolean {
  return words.includes('--help') || words.includes('-h');
}
