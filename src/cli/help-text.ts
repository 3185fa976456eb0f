/** Help, made from the table of commands. */
import { type Command, globalOptions, type OptionDeclaration } from './command.ts';
import { exitCodes } from './exit-code.ts';

export function generalHelp(commands: readonly Command[]): string {
  return [
    'axle: run agents and tools so that every action is checked, permitted, recorded and recoverable.',
    '',
    'Usage: axle COMMAND [ARGUMENTS] [OPTIONS]',
    '',
    'Commands:',
    ...columns(commands.map((command) => [command.name, command.about])),
    '',
    'Options of every command:',
    ...optionLines(globalOptions),
    '',
    'Exit codes:',
    ...columns(Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning])),
    '',
    'axle COMMAND --help explains a command, with examples.',
  ].join('\n');
}

export function commandHelp(command: Command): string {
  return [
    `axle ${command.name}: ${command.about}`,
    '',
    `Usage: ${usageOf(command)}`,
    ...(command.details === undefined ? [] : ['', command.details]),
    ...(Object.keys(command.options).length === 0 ? [] : ['', 'Options:', ...optionLines(command.options)]),
    '',
    'Options of every command:',
    ...optionLines(globalOptions),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
  ].join('\n');
}

export function usageOf(command: Command): string {
  const positionals = command.positionals.map(({ name, isOptional, isRest }) => {
    if (isRest === true) return `[${name}...]`;
    return isOptional === true ? `[${name}]` : name;
  });
  return ['axle', command.name, ...positionals, '[OPTIONS]'].join(' ');
}

/** An option as it is written, with what stands for its value. */
export function optionText(name: string, { value }: OptionDeclaration): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function optionLines(options: Readonly<Record<string, OptionDeclaration>>): readonly string[] {
  return columns(Object.entries(options).map(([name, option]) => [optionText(name, option), option.about]));
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
}
