// Writes the tables of the documents that are made from the source; the text around them is kept.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { globalOptions, type OptionDeclaration } from '../src/cli/command.ts';
import { commands } from '../src/cli/commands.ts';
import { exitCodes } from '../src/cli/exit-code.ts';
import { optionText, usageOf } from '../src/cli/help-text.ts';
import { errorCatalogue } from '../src/error/catalogue.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${text}\``;

/** Puts rows under the table with this head, which the document must have. */
function writeTable(document: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const path = fileURLToPath(new URL(`../docs/${document}`, import.meta.url));
  const lines = readFileSync(path, 'utf8').split('\n');
  const first = `| ${head.join(' | ')} |`;
  const start = lines.indexOf(first);
  if (start < 0) throw new Error(`docs/${document} has no table that begins with "${first}"`);
  const after = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  const table = [first, `|${' --- |'.repeat(head.length)}`, ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`)];
  lines.splice(start, (after < 0 ? lines.length : after) - start, ...table);
  writeFileSync(path, lines.join('\n'));
}

const optionRows = (options: Readonly<Record<string, OptionDeclaration>>): readonly (readonly [string, string])[] =>
  Object.entries(options).map(([name, option]) => [code(optionText(name, option)), option.about]);

writeTable(
  'errors.md',
  ['code', 'class', 'meaning', 'remedy'],
  Object.entries(errorCatalogue).map(([name, { class: kind, meaning, remedy }]) => [code(name), kind, meaning, remedy]),
);
writeTable(
  'command-line.md',
  ['command', 'what it does', 'usage'],
  commands.map((command) => [code(command.name), command.about, code(usageOf(command))]),
);
writeTable('command-line.md', ['option of every command', 'meaning'], optionRows(globalOptions));
writeTable(
  'command-line.md',
  ['of', 'option', 'meaning'],
  commands.flatMap((command) => optionRows(command.options).map((row) => [code(command.name), ...row])),
);
writeTable(
  'command-line.md',
  ['exit code', 'meaning'],
  Object.values(exitCodes).map((exit) => [String(exit.code), exit.meaning]),
);
