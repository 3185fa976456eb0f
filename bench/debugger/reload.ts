/** How long it takes until a tool that was changed counts: from the saving of its file to the API of `axle dev`, and to the page that shows it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { watchedPage } from '../../test/debugger/chromium.ts';
import { atMost, type Figure, p95 } from './figure.ts';
import { measured } from './measured.ts';

const rounds = 20;
/** Whoever saves a file looks at it for a while. */
const betweenMs = 1_200;
const bar = { bar: 500, unit: 'ms' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const axle = [join(root, 'src/cli/main.ts')];

/** In a project as `axle init` makes it. */
export async function reloadFigures(browser: Browser, pageFolder: string): Promise<readonly Figure[]> {
  mkdirSync(join(root, '.scratch'), { recursive: true });
  const folder = mkdtempSync(join(root, '.scratch/reload-'));
  let server: ChildProcess | undefined;
  try {
    await promisify(execFile)(process.execPath, [...axle, 'init', join(folder, 'project'), '--axle', root]);
    const project = join(folder, 'project');
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules/axle'), 'dir');
    const words = ['--conditions=axle-source', ...axle, 'dev', '--port', '0', '--json'];
    server = spawn(process.execPath, words, { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
    const url = await addressOf(server);
    const save = saver(join(project, 'save-note.ts'));
    const toApi = await lags(save, (text) => untilTold(`${url}/v1/tools`, text));
    const toPage = await lagsToPage({ browser, pageFolder, url }, save);
    return [
      atMost('a tool is changed: from its file to the API (p95)', p95(toApi), bar),
      atMost('a tool is changed: from its file to the page (p95)', p95(toPage), bar),
    ];
  } finally {
    if (server !== undefined) await ended(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('axle dev has no output.');
  const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string];
  return (JSON.parse(line) as { readonly url: string }).url;
}

/** Saves the tool with a description that holds a text of its own. */
function saver(file: string): (text: string) => void {
  const before = readFileSync(file, 'utf8');
  return (text) => writeFileSync(file, before.replace('Saves a note.', `Saves a note, ${text}.`));
}

async function lags(save: (text: string) => void, seen: (text: string) => Promise<void>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await sleep(betweenMs);
    const text = `version ${Math.random()}`;
    const savedMs = performance.now();
    const isSeen = seen(text);
    save(text);
    await isSeen;
    found.push(performance.now() - savedMs);
  }
  return found;
}

async function untilTold(address: string, text: string): Promise<void> {
  while (!(await (await fetch(address)).text()).includes(text)) await sleep(5);
}

async function lagsToPage(
  { browser, pageFolder, url }: { readonly browser: Browser; readonly pageFolder: string; readonly url: string },
  save: (text: string) => void,
): Promise<readonly number[]> {
  const { page, close } = await watchedPage(browser, `${url}/healthz`);
  // The page of these sources, whatever `dist` holds.
  await page.route(
    ({ pathname }) => !pathname.startsWith('/v1/'),
    (route) => {
      const { pathname } = new URL(route.request().url());
      return route.fulfill({ path: join(pageFolder, extname(pathname) === '' ? 'index.html' : pathname) });
    },
  );
  await page.goto(`${url}/tools`);
  await page.getByText('Saves a note').first().waitFor();
  try {
    return await lags(save, (text) => measured(page, 'untilShown', text));
  } finally {
    await close();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
