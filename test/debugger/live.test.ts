import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createServer } from '../../src/http.ts';
import { eventually, noBrowser, openPage, startBrowser } from './browser.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { openWorld, type World } from './world.ts';

const browser = await startBrowser();

/** What the tests, which have no types of browsers, need of a box that scrolls. */
interface ScrolledBox {
  readonly scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

describe('a run that goes on', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  let world: World;

  beforeAll(async () => {
    if (browser === undefined) return;
    world = await openWorld({}, { page: await builtPage() });
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    await world.close();
  });

  const open = async (path: string): Promise<Page> => {
    if (browser === undefined) throw new Error('There is no browser.');
    return openPage(browser, world.url + path);
  };
  const scrolled = (page: Page): Promise<{ readonly top: number; readonly left: number }> =>
    page.locator('.wf-grid').evaluate((box: ScrolledBox) => ({
      top: box.scrollTop,
      left: box.scrollHeight - box.clientHeight - box.scrollTop,
    }));

  /** Where the box stands once the wheel has had its effect. */
  const restingTop = async (page: Page): Promise<number> => {
    let { top } = await scrolled(page);
    let rested = 0;
    await eventually(async () => {
      const before = top;
      ({ top } = await scrolled(page));
      rested = top === before ? rested + 1 : 0;
      return rested;
    }).toBeGreaterThan(3);
    return top;
  };

  test('is followed to its end; whoever looks at something keeps it, and comes back with one key', async () => {
    const run = await world.axle.start('worker', { input: '4000 x 15ms' });
    const page = await open(`/runs/${run.id}`);
    await page.locator('.live').getByText('live').waitFor();
    await eventually(async () => (await scrolled(page)).top).toBeGreaterThan(200);
    await eventually(async () => (await scrolled(page)).left).toBeLessThan(40);

    await page.locator('.wf-grid').hover();
    await page.mouse.wheel(0, -400);
    await eventually(() => page.locator('.follow').getAttribute('aria-pressed')).toBe('false');
    const top = await restingTop(page);
    await eventually(() => page.locator('.follow').innerText()).toMatch(/follow \(\d+ new\)/);
    expect((await scrolled(page)).top).toBe(top);

    await page.keyboard.press('f');
    await eventually(async () => (await scrolled(page)).left).toBeLessThan(40);
    await run.cancel('seen enough');
    await page.locator('.run-line').getByText('cancelled').waitFor();
    await eventually(() => page.locator('.follow').count()).toBe(0);
  });

  test('has every row that its journal has when it is over', async () => {
    const run = await world.axle.start('worker', { input: '30 x 5ms' });
    const page = await open(`/runs/${run.id}`);
    await run.result();
    await page.locator('.run-line').getByText('completed').waitFor();
    // The run, 31 steps with a model call and its attempt, 30 calls with theirs.
    await eventually(() => page.locator('.toolbar-count').innerText()).toBe(`${1 + 31 * 3 + 30 * 2} spans`);
  });

  test('shows what is being written before it is committed, as what it is', async () => {
    const run = await world.axle.start('writer', { input: 'Write.' });
    const page = await open(`/runs/${run.id}/transcript`);
    await page.locator('.live').getByText('live').waitFor();
    world.pen.write('Once upon ');
    world.pen.write('a time.');
    await page.locator('.line.writing').getByText('Once upon a time.').waitFor();
    await page.locator('.line.writing').getByText('not committed yet').waitFor();
    world.pen.finish();
    await page.locator('.line.answer:not(.writing)').getByText('Once upon a time.').waitFor();
    await eventually(() => page.locator('.line.writing').count()).toBe(0);
  });

  test('stays on the page while its server is away, which says since when, and goes on when it is back', async () => {
    const own = await openWorld({}, { page: await builtPage() });
    const { axle, port } = own;
    const run = await axle.start('worker', { input: '2000 x 20ms' });
    if (browser === undefined) return;
    const page = await openPage(browser, `${own.url}/runs/${run.id}`);
    await page.locator('.live').getByText('live').waitFor();
    await own.server.close();
    await page.getByText(/Server lost since/).waitFor({ timeout: 30_000 });
    const before = await page.locator('.toolbar-count').innerText();
    expect(await page.locator('.wf-row.grid-row').count()).toBeGreaterThan(3);
    const again = createServer({ axle, page: await builtPage() });
    await again.listen({ port });
    await page.getByText(/Server lost since/).waitFor({ state: 'detached', timeout: 40_000 });
    await eventually(() => page.locator('.toolbar-count').innerText()).not.toBe(before);
    await again.close();
    await axle.close();
  });

  test('appears in the list of runs by itself, and changes there', async () => {
    const page = await open('/runs');
    await page.locator('.runs-row.grid-row').first().waitFor();
    const run = await world.axle.start('worker', { input: '40 x 20ms', session: 'seen' });
    const row = page.locator('.runs-row.grid-row').filter({ hasText: 'seen' });
    await row.waitFor();
    await run.result();
    await row.getByText('completed').waitFor();
  });
});
