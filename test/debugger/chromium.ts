/** Chromium, and what is done in it. */
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import process from 'node:process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Where a Chromium may stand. */
export const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Undefined when this machine has no Chromium. The caller closes it. */
export async function launchBrowser(...more: readonly string[]): Promise<Browser | undefined> {
  const executablePath = process.env['AXLE_CHROMIUM'] ?? places.find((place) => existsSync(place));
  return executablePath === undefined ? undefined : chromium.launch({ executablePath, args: [...flags, ...more] });
}

export interface WatchedPage {
  readonly page: Page;
  /** What went wrong in it: errors of the page, dialogs, requests to elsewhere, violations of the content policy. */
  readonly faults: string[];
  readonly close: () => Promise<void>;
}

/** A page of its own context. */
export async function watchedPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const { origin } = new URL(address);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    // What the server answers in words is shown in the page; the browser notes its number.
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
    faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'blob:') faults.push(`request to ${request.url()}`);
  });
  await page.goto(address);
  return { page, faults, close: () => context.close() };
}

/** Goes elsewhere as a link does, without loading the page again; what was shown before is gone, and what is shown now is there. */
export async function visit(page: Page, path: string): Promise<void> {
  await inPage(page, inPageLooks, 'arrive', path, whole);
}

/** Functions for the page that tests share. */
export const inPageLooks = new URL('in-page/looks.ts', import.meta.url);

/**
 * Calls a function of a file that is for the page: it is sent there as text, by the driver, which no policy of the page forbids. Node and browsers have other globals, so
 * such files are never imported, and are checked with the types of browsers.
 */
export function inPage<Result = void>(
  page: Page,
  file: URL,
  name: string,
  ...words: readonly unknown[]
): Promise<Result> {
  const text = textFor(file);
  const call = `${name}(${words.map((word) => JSON.stringify(word)).join(', ')})`;
  return page.evaluate<Result>(`(() => { ${text}\nreturn ${call}; })()`);
}

const texts = new Map<string, string>();

function textFor(file: URL): string {
  const known = texts.get(file.href);
  if (known !== undefined) return known;
  const text = stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(/^export /gm, '');
  texts.set(file.href, text);
  return text;
}

/** What stands in a screen once it is there. */
const whole = '.grid-row, .tall-row, .state, .card, .system-part, .log-lines, .logs p, .notice :is(h1, h2), .compared';
