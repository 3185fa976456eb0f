/**
 * `npm run cases -- DIR [--json]`: what Axle makes of recorded faults. `docs/cases.md` says what the figures mean.
 * Exit code 0 when the folder was measured, whatever the figures are; 1 when it could not be; 2 for words that make no sense.
 */
import process from 'node:process';
import { type FileReport, measureFolder, type Report } from './measure-folder.ts';
import { formats } from './formats.ts';

const words = process.argv.slice(2);
const [folder, ...more] = words.filter((word) => word !== '--json');
const asJson = words.includes('--json');
if (folder === undefined || more.length > 0 || folder.startsWith('-')) {
  const known = formats.map(({ name }) => `${name}*.jsonl`).join(', ');
  process.stderr.write(`Usage: npm run cases -- DIR [--json]\nMeasures the files ${known} of DIR.\n`);
  process.exit(words.includes('--help') ? 0 : 2);
}

try {
  const report = await measureFolder(folder, (name, each) => {
    if (!asJson) process.stdout.write(inWords(name, each));
  });
  // Whatever a record has left open keeps nobody waiting.
  process.stdout.write(asJson ? `${JSON.stringify(report)}\n` : restInWords(report), () => process.exit(0));
} catch (error) {
  process.stderr.write(`${folder} was not measured: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function inWords(name: string, report: FileReport): string {
  const lines = [`${name}: ${figures(report)}`];
  for (const [group, tally] of Object.entries(report.groups ?? {})) lines.push(`  ${group}: ${figures(tally)}`);
  for (const [id, why] of Object.entries(report.reasons)) lines.push(`  ${id}: ${why}`);
  for (const fault of report.faults ?? []) lines.push(`  ${fault}`);
  return `${lines.join('\n')}\n`;
}

function figures({ records, right, wrong, unsafe, changed, notCovered }: Omit<FileReport, 'reasons'>): string {
  const apart = notCovered === undefined ? '' : `, ${notCovered.length} not covered yet`;
  return `${records} records, ${right} right, ${wrong} wrong, ${unsafe} unsafe, ${changed} changed${apart}`;
}

function restInWords({ files, leftOut }: Report): string {
  const lines = Object.entries(leftOut).map(([name, why]) => `${name}: left out, ${why}`);
  if (Object.keys(files).length === 0) lines.push('No file of a known format is there.');
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
