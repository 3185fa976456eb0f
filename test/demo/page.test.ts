/** The main job as a person at a desktop sees it: at a terminal and in the browser. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readLedger } from '../../demo/ledger.ts';
import { readCommandLine } from '../../demo/main-job/command-line.ts';
import { type ServedPage, servePage } from '../../demo/main-job/page.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { createAxle } from '../../src/axle.ts';
import { hasDesktop } from '../../demo/main-job/desktop.ts';
import { processesOf, startDemoAtTerminal } from './demo-process.ts';
import { testFolder, until } from './support.ts';

/** Several processes start one after another, and a doubt waits for its time limit. */
const timeout = 120_000;

/** What stands in for the browser: it notes what it is asked to show. */
function browserIn(folder: string): { readonly path: string; readonly shown: string } {
  const path = join(folder, 'bin');
  const shown = join(folder, 'shown.txt');
  mkdirSync(path);
  writeFileSync(join(path, 'xdg-open'), `#!/bin/sh\necho "$1" >> '${shown}'\n`);
  chmodSync(join(path, 'xdg-open'), 0o755);
  return { path, shown };
}

async function json<T>(url: string): Promise<T> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

interface Approvals {
  readonly items: readonly { readonly approvalId: string; readonly etag: string; readonly tool: string }[];
}

async function approve(url: string): Promise<number> {
  const { items } = await json<Approvals>(`${url}/v1/approvals`);
  const [item] = items;
  expect(item).toMatchObject({ tool: 'send_email' });
  const { status } = await fetch(`${url}/v1/approvals/${encodeURIComponent(item?.approvalId ?? '')}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'if-match': `"${item?.etag}"` },
    body: JSON.stringify({ decision: 'approve', by: 'ann in the browser' }),
  });
  return status;
}

describe('npm start', () => {
  // Its building would count as time of the first test.
  beforeAll(() => builtPage().then(() => undefined), 300_000);

  test(
    'shows the run in the browser while its process is killed, takes the answer there, and stays until Ctrl-C',
    { timeout },
    async () => {
      const folder = join(testFolder(), 'demo');
      const browser = browserIn(testFolder());
      const demo = startDemoAtTerminal(['--port', '0', '--folder', folder], {
        DISPLAY: ':99',
        PATH: [browser.path, process.env['PATH']].join(delimiter),
      });
      await until(() => demo.story().includes('KILLED worker 1'), 'the first worker is killed');
      const [address = '', url = '', runId = ''] = /(http:\S+)\/runs\/(\w+)/.exec(demo.story()) ?? [];
      await until(() => existsSync(browser.shown), 'the browser is asked to show it');
      expect(readFileSync(browser.shown, 'utf8')).toBe(`${address}\n`);
      const page = await fetch(address);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(await page.text()).toContain('<title>Axle</title>');
      const { names } = await json<{ names: readonly string[] }>(`${url}/v1/runs/${runId}/spans`);
      expect(names).toContain('get_weather');
      // A page that follows holds a connection, which must not hold up the end.
      const events = await fetch(`${url}/v1/runs/${runId}/events`);
      onTestFinished(() => events.body?.cancel().catch(() => undefined));

      await until(() => demo.story().includes('May this e-mail be sent?'), 'the demo asks');
      expect(await approve(url)).toBe(202);
      await until(() => demo.story().includes('stay until Ctrl-C'), 'the verdict is given');
      expect(demo.story()).toContain('Answered: approve send_email, by ann in the browser.');
      expect(demo.story()).toContain('one memo, one e-mail, nothing twice');
      expect(readLedger(join(folder, 'mail.jsonl'))).toHaveLength(1);
      // The last worker is there as well: whoever forks the run now sees it go on.
      expect(await json(`${url}/v1/runs/${runId}`)).toMatchObject({ state: 'ended' });
      expect(await json(`${url}/v1/system`)).toMatchObject({ role: 'client' });
      expect(processesOf(folder).filter((line) => line.includes('worker.ts'))).toHaveLength(1);
      demo.type('\u0003');
      const { code, story } = await demo.ended;
      expect({ code, story }).toEqual({ code: 0, story });
      expect(processesOf(folder)).toEqual([]);
    },
  );
});

describe('the command line of the demo', () => {
  test.each([
    [[], { port: undefined, opens: true }],
    [['--no-open'], { port: undefined, opens: false }],
    [['--port', '0'], { port: 0, opens: true }],
    [['--once'], undefined],
    [['--once', '--port', '4984'], { port: 4984, opens: false }],
  ])('asks with %j for the page %j', (words, page) => {
    expect(readCommandLine(words)).toMatchObject({ kind: 'run', options: { page } });
  });

  test.each([['none'], ['65536'], ['-1'], ['1.5'], ['']])('takes no port %j', (port) => {
    expect(readCommandLine([`--port=${port}`])).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('--port is a number from 0 to 65535') as unknown,
    });
  });
});

describe('the page of a run', () => {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);

  async function page(port?: number): Promise<ServedPage | undefined> {
    const axle = await createAxle({ store: ':memory:' });
    const served = await servePage({ axle, runId: 'run_1', folder: await builtPage() }, { port, mayOpen: false, say });
    onTestFinished(async () => {
      await served?.close();
      await axle.close();
    });
    return served;
  }

  test('is on the port that is asked for, and the job needs no page where that is taken', async () => {
    const first = await page(0);
    const port = new URL(first?.address ?? '').port;
    expect(await page(Number(port))).toBeUndefined();
    expect(said.at(-1)).toContain(`There is no page: Nothing can listen on 127.0.0.1, port ${port}`);
  });

  test('is on a free port where nobody asks for one and that of axle dev is taken', async () => {
    const first = await page();
    const second = await page();
    expect(second?.address).not.toBe(first?.address);
    for (const served of [first, second]) {
      expect(await (await fetch(served?.address ?? '')).text()).toContain('<title>Axle</title>');
    }
  });

  test.each([
    ['on a Mac', 'darwin', {}, true],
    ['on Windows', 'win32', {}, true],
    ['under X', 'linux', { DISPLAY: ':0' }, true],
    ['under Wayland', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['without a desktop', 'linux', { DISPLAY: '' }, false],
    ['who came through the network', 'darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, false],
  ] as const)('opens by itself, or not: %s', (_, platform, environment, expected) => {
    expect(hasDesktop({ platform, environment })).toBe(expected);
  });
});
