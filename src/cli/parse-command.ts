/** From the words of a command line to a command, its options and its arguments. What is unknown is refused, with the nearest that is known. */
import { parseArgs } from 'node:util';
import { nearMisses } from '../contract/near-miss.ts';
import { AxleError } from '../error/axle-error.ts';
import { type Command, globalOptions, type OptionDeclaration } from './command.ts';

export interface ParsedCommand {
  readonly command: Command;
  readonly options: ReadonlyMap<string, string | true>;
  readonly positionals: readonly string[];
}

/** Undefined for a command line without a command: the general help is meant. @throws AxleError `usage-invalid` */
export function parseCommand(words: readonly string[], commands: readonly Command[]): ParsedCommand | undefined {
  const first = commandIndex(words);
  const name = words[first];
  if (name === undefined) {
    parseOptions(words, globalOptions, 'axle');
    return undefined;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    throw usage(
      `There is no command ${name}.`,
      nearest(
        name,
        commands.map((candidate) => candidate.name),
      ),
      'axle --help',
    );
  }
  const help = `axle ${command.name} --help`;
  const { options, positionals } = parseOptions(
    words.toSpliced(first, 1),
    { ...globalOptions, ...command.options },
    `axle ${command.name}`,
  );
  if (!options.has('help')) {
    const missing = command.positionals.find(
      ({ isOptional, isRest }, index) => isOptional !== true && isRest !== true && positionals[index] === undefined,
    );
    if (missing !== undefined) throw usage(`axle ${command.name} needs ${missing.name}.`, '', help);
    const takesRest = command.positionals.some(({ isRest }) => isRest === true);
    const extra = takesRest ? undefined : positionals[command.positionals.length];
    if (extra !== undefined) throw usage(`axle ${command.name} does not take ${extra}.`, '', help);
  }
  return { command, options, positionals };
}

/** Where the name of the command stands: the first word that is neither an option nor the value of one. */
function commandIndex(words: readonly string[]): number {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('-')) return index;
    if (globalOptions[word.slice(2)]?.value !== undefined) index += 1;
  }
  return words.length;
}

function parseOptions(
  words: readonly string[],
  declared: Readonly<Record<string, OptionDeclaration>>,
  about: string,
): { readonly options: ReadonlyMap<string, string | true>; readonly positionals: readonly string[] } {
  const types = Object.fromEntries(
    Object.entries(declared).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...words],
    options: { ...types, help: { type: 'boolean', short: 'h' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = new Map<string, string | true>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = declared[token.name];
    if (option === undefined) {
      throw usage(
        `${about} has no option ${token.rawName}.`,
        nearest(token.name, Object.keys(declared), '--'),
        `${about} --help`,
      );
    }
    if (options.has(token.name)) throw usage(`${token.rawName} is given twice.`, '', `${about} --help`);
    if (option.value === undefined && token.value !== undefined) {
      throw usage(`${token.rawName} takes no value.`, '', `${about} --help`);
    }
    if (option.value !== undefined && token.value === undefined) {
      throw usage(`${token.rawName} needs ${option.value}.`, '', `${about} --help`);
    }
    options.set(token.name, token.value ?? true);
  }
  return { options, positionals };
}

function nearest(name: string, known: readonly string[], prefix = ''): string {
  const [near] = nearMisses(name, known);
  return near === undefined ? '' : ` Is ${prefix}${near} meant?`;
}

function usage(message: string, hint: string, help: string): AxleError {
  return new AxleError('usage-invalid', `${message}${hint}`, { remedy: `See ${help}.` });
}
