import type { Page } from 'playwright-core';
import { source as axe } from 'axe-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Axle, createAxle, tool } from '../../src/axle.ts';
import { createServer } from '../../src/http.ts';
import { eventually, noBrowser, openPage, startBrowser, textOf } from './browser.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { inPage, inPageLooks } from './chromium.ts';
import { hostileTexts } from './hostile-texts.ts';
import { openWorld, rested, type World } from './world.ts';

const browser = await startBrowser();

describe('the tools', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  let world: World;
  let journey: string;

  beforeAll(async () => {
    if (browser === undefined) return;
    world = await openWorld({}, { page: await builtPage() });
    journey = await rested(world, 'traveller', 'Plan the journey.');
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    await world.close();
  });

  const open = (tool: string): Promise<Page> => {
    if (browser === undefined) throw new Error('There is no browser.');
    return openPage(browser, `${world.url}/tools?tool=${encodeURIComponent(tool)}`);
  };
  const statistics = 'section[aria-label=Statistics]';

  test('say what became of their calls, and what of: attempts, repairs, how long they took', async () => {
    const page = await open('get_weather');
    await eventually(() => textOf(page, statistics)).toMatch(
      /^In the last 1 run Calls 3 .*Attempts 4, 1\.33 a call Took p50 .* p99 .* Repaired 33 % of the calls/,
    );
    expect(await textOf(page, statistics)).toContain('/day enum-typo 1 time');
    await page.getByRole('link', { name: 'get_wether' }).click();
    await eventually(() => textOf(page, statistics)).toMatch(/Calls 0; 1 refused before they began/);
  });

  test('say in the waterfall why a call of theirs failed, before anything is selected', async () => {
    if (browser === undefined) throw new Error('There is no browser.');
    const page = await openPage(browser, `${world.url}/runs/${journey}`);
    const refused = page.locator('.wf-row', { hasText: 'get_wether' }).locator('.wf-reason');
    await eventually(() => refused.innerText()).toMatch(/^No tool has the name "get_wether"/);
  });

  test('lead from a failure to the call that failed, and break no rule of axe there', async () => {
    await rested(world, 'parrot', JSON.stringify(hostileTexts.slice(0, 1)));
    const page = await open('echo');
    const links = page.locator(`${statistics} .tool-facts a`);
    await eventually(() => links.count()).toBe(1);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(axe);
      expect(await inPage<readonly unknown[]>(page, inPageLooks, 'violations')).toEqual([]);
    }
    await links.first().click();
    await page.locator('.span-head h2').getByText('echo').waitFor();
  });

  test('are shown as what they are when a model made their names up, whatever these say', async () => {
    for (let from = 0; from < hostileTexts.length; from += 6) {
      await rested(world, 'parrot', JSON.stringify(hostileTexts.slice(from, from + 6)));
    }
    const page = await open('echo');
    const names = page.locator('.split-side ul:last-of-type .tool-link');
    await eventually(() => names.count()).toBeGreaterThan(50);
    await page.setViewportSize({ width: 390, height: 844 });
    const looks = await inPage<Record<string, unknown>>(page, inPageLooks, 'looks');
    expect(looks).toMatchObject({ hacked: false, elements: [], handlers: 0, addresses: [], longTitle: false });
    expect(looks['tooWide']).toBeFalsy();
    await names.nth(7).click();
    await page.getByText('This process has no such tool; runs have asked for it.').waitFor();
    const after = await inPage<Record<string, unknown>>(page, inPageLooks, 'looks');
    expect(after).toMatchObject({ hacked: false, elements: [], handlers: 0, addresses: [], longTitle: false });
    expect(after['tooWide']).toBeFalsy();
  });

  test('of a store alone are those that its runs have asked for', async () => {
    if (browser === undefined) return;
    const bare = await openWorld({ store: world.axle.store, tools: [], agents: [] }, { page: await builtPage() });
    const page = await openPage(browser, `${bare.url}/tools?tool=get_weather`);
    await eventually(() => textOf(page, statistics)).toMatch(/Calls 3/);
    await bare.close();
  });

  test('are those of another Axle as soon as it takes the place of the one that was served', async () => {
    if (browser === undefined) return;
    const withTool = (description: string): Promise<Axle> =>
      createAxle({
        store: ':memory:',
        tools: [tool({ name: 'greet', description, effect: 'read', input: {}, execute: () => 'hello' })],
      });
    const [first, second] = [await withTool('Greets in words.'), await withTool('Greets in song.')];
    const server = createServer({ axle: first, page: await builtPage() });
    const { url } = await server.listen({ port: 0 });
    const page = await openPage(browser, `${url}/tools`);
    await page.getByText('Greets in words.').first().waitFor();
    server.replace(second);
    await first.close();
    await page.getByText('Greets in song.').first().waitFor();
    await server.close();
    await second.close();
  });
});
