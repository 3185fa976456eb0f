// Writes the documents that are made from the source: docs/errors.md from the catalogue of errors. The text above the table is kept.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCatalogue } from '../src/error/catalogue.ts';

const path = fileURLToPath(new URL('../docs/errors.md', import.meta.url));
const head = '| code | class | meaning | remedy |\n| --- | --- | --- | --- |\n';
const before = readFileSync(path, 'utf8');
const cut = before.indexOf('| code |');
if (cut < 0) throw new Error('docs/errors.md has no table that begins with "| code |"');

const cell = (text: string): string => text.replaceAll('|', '\\|');
const rows = Object.entries(errorCatalogue).map(
  ([code, { class: kind, meaning, remedy }]) => `| \`${code}\` | ${kind} | ${cell(meaning)} | ${cell(remedy)} |\n`,
);
writeFileSync(path, `${before.slice(0, cut)}${head}${rows.join('')}`);
