/**
 * `npm run bench:debugger`: what it costs to look at large runs, in a real browser on the real server. `--json` prints the figures, `--live SECONDS` says for how long the live
 * run is followed (60), `--only WORD` takes the figures whose name holds the word.
 */
import process from 'node:process';
import { availableParallelism, loadavg } from 'node:os';
import { builtPage } from '../../scripts/built-page.ts';
import { launchBrowser } from '../../test/debugger/chromium.ts';
import type { Figure } from './figure.ts';
import { bodyFigures } from './large-body.ts';
import { liveFigures } from './live-run.ts';
import { openFigures } from './opening.ts';
import { sizeFigures } from './page-size.ts';
import { reloadFigures } from './reload.ts';

const words = process.argv.slice(2);
const valueOf = (name: string): string | undefined =>
  words.includes(name) ? words[words.indexOf(name) + 1] : undefined;
const only = valueOf('--only') ?? '';
const liveSeconds = Number(valueOf('--live') ?? 60);

const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const page = await builtPage();
const browser = await launchBrowser('--enable-precise-memory-info', '--js-flags=--expose-gc');
if (browser === undefined) {
  tell('There is no Chromium here: apt-get install chromium, or set AXLE_CHROMIUM.');
  process.exit(1);
}
const figures: Figure[] = [];
const parts = [
  { name: 'size', take: () => sizeFigures(page) },
  { name: 'open', take: () => openFigures(browser, page) },
  { name: 'body', take: () => bodyFigures(browser, page) },
  { name: 'reload', take: () => reloadFigures(browser, page) },
  { name: 'live', take: () => liveFigures(browser, { page, seconds: liveSeconds }) },
];
try {
  for (const part of parts.filter(({ name }) => name.includes(only))) {
    tell(`measuring: ${part.name}`);
    figures.push(...(await part.take()));
  }
} finally {
  await browser.close();
}
for (const { name, value, unit, bar, ok } of figures) {
  tell(`${ok ? 'ok    ' : 'MISSED'} ${name}: ${value} ${unit} (bar ${bar})`);
}
if (words.includes('--json')) {
  const machine = {
    processors: availableParallelism(),
    load: loadavg().map((each) => Number(each.toFixed(1))),
    node: process.version,
  };
  process.stdout.write(`${JSON.stringify({ machine, figures }, undefined, 2)}\n`);
}
process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;
