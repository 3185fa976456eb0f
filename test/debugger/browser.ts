/** Chromium for tests. Where the machine has none, tests are skipped and say so; where everything is required they fail. */
import process from 'node:process';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import { launchBrowser, places, watchedPage } from './chromium.ts';

// A browser on a machine that has much else to do takes its time.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 180_000 });

/** Why tests in a browser are skipped. */
export const noBrowser = 'this machine has no Chromium';

/** Undefined, and said so, when this machine has none and need not. The caller closes it. */
export async function startBrowser(): Promise<Browser | undefined> {
  const browser = await launchBrowser();
  if (browser !== undefined) return browser;
  const reason = `no Chromium at ${places.join(', ')}; set AXLE_CHROMIUM, or apt-get install chromium`;
  console.log(`SKIPPED in a browser: ${reason}`);
  const required = (process.env['AXLE_REQUIRE'] ?? '').split(',');
  expect(required.includes('all') || required.includes('chromium'), `chromium is required here: ${reason}`).toBe(false);
  return undefined;
}

/** The same for one test: closed when it ends, which fails when anything went wrong in the page. */
export async function openPage(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const { page, faults, close } = await watchedPage(browser, address, options);
  onTestFinished(async () => {
    await close();
    expect(faults).toEqual([]);
  });
  return page;
}

/** Waits until it holds; a machine that has much else to do takes its time. */
export function eventually<Value>(probe: () => Value | Promise<Value>): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(probe, { timeout: 40_000 });
}

/** What the reader of the page sees, in one line. */
export async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().innerText()).replaceAll(/\s+/g, ' ').trim();
}
