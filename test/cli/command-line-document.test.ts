import { expect, test } from 'vitest';
import { globalOptions } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { exitCodes } from '../../src/cli/exit-code.ts';
import { optionText, usageOf } from '../../src/cli/help-text.ts';
import { readText } from '../house/imports.ts';
import { codeWords, tableRows } from '../house/markdown.ts';

const document = readText('docs/command-line.md');

function rowsOf(...columns: readonly string[]): readonly (readonly string[])[] {
  return tableRows(document, ...columns).map((row) =>
    columns.map((column) => (row.get(column) ?? '').replaceAll('\\|', '|')),
  );
}

// `npm run documents` writes the tables.
test('docs/command-line.md lists every command with its usage, and no other', () => {
  expect(commands.length).toBeGreaterThan(8);
  expect(rowsOf('command', 'what it does', 'usage')).toEqual(
    commands.map((command) => [`\`${command.name}\``, command.about, `\`${usageOf(command)}\``]),
  );
});

test('docs/command-line.md lists every option, and no other', () => {
  expect(rowsOf('option of every command', 'meaning')).toEqual(
    Object.entries(globalOptions).map(([name, option]) => [`\`${optionText(name, option)}\``, option.about]),
  );
  expect(rowsOf('of', 'option', 'meaning')).toEqual(
    commands.flatMap((command) =>
      Object.entries(command.options).map(([name, option]) => [
        `\`${command.name}\``,
        `\`${optionText(name, option)}\``,
        option.about,
      ]),
    ),
  );
});

test('docs/command-line.md lists every exit code, and no other', () => {
  expect(rowsOf('exit code', 'meaning')).toEqual(
    Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]),
  );
});

test('docs/command-line.md says what each command prints as JSON', () => {
  const explained = new Set(
    tableRows(document, 'command', 'its JSON')
      .flatMap((row) => codeWords(row.get('command') ?? ''))
      .map((word) => word.split(' ')[0]),
  );
  expect(explained).toEqual(new Set(commands.map((command) => command.name)));
});
