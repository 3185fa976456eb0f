import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Action, bindings } from '../../debugger/src/keys/bindings.ts';
import { strokesOf } from '../../debugger/src/keys/key-words.ts';
import { eventually, noBrowser, startBrowser } from './browser.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { visit, type WatchedPage, watchedPage } from './chromium.ts';
import { openWorld, rested, type World } from './world.ts';

const browser = await startBrowser();

/** What each key must bring about: from where it is pressed, and what is true afterwards. */
interface Press {
  readonly from: string;
  /** What has to stand there before a key is pressed. */
  readonly ready?: string;
  /** Keys before it. */
  readonly before?: readonly string[];
  readonly then: (page: Page) => Promise<void>;
}

const cursor = (page: Page): Promise<string> => page.locator('.wf-row.cursor .wf-words').innerText();
const names = (page: Page): Promise<readonly string[]> => page.locator('.grid-row .wf-words').allInnerTexts();
const seesUrl = (part: RegExp) => async (page: Page) => {
  await page.waitForURL(part);
};
const seesCursor = (name: string) => async (page: Page) => {
  await eventually(() => cursor(page)).toBe(name);
};

const presses = (run: string, worker: string): Readonly<Record<Action, Press>> => ({
  help: {
    from: '/runs',
    then: async (page) => page.getByRole('dialog', { name: 'Keys' }).waitFor(),
  },
  palette: { from: '/runs', then: async (page) => page.getByRole('combobox', { name: /command/ }).waitFor() },
  'go-runs': { from: '/system', then: seesUrl(/\/runs$/) },
  'go-inbox': { from: '/runs', then: seesUrl(/\/inbox/) },
  'go-tools': { from: '/runs', then: seesUrl(/\/tools/) },
  'go-system': { from: '/runs', then: seesUrl(/\/system/) },
  'copy-link': {
    from: `/runs/${run}?span=call.1.0`,
    then: async (page) => {
      await eventually(() => page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
    },
  },
  close: {
    from: `/runs/${run}?span=call.1.0`,
    then: async (page) => eventually(() => page.locator('.span-panel').count()).toBe(0),
  },
  'row-next': { from: `/runs/${run}`, then: seesCursor('step 1') },
  'row-previous': { from: `/runs/${run}`, before: ['j', 'j'], then: seesCursor('step 1') },
  'page-next': { from: `/runs/${run}`, then: seesCursor('send_mail') },
  'page-previous': { from: `/runs/${run}`, before: ['End'], then: seesCursor('traveller') },
  'row-first': { from: `/runs/${run}`, before: ['j', 'j', 'j'], then: seesCursor('traveller') },
  'row-last': { from: `/runs/${run}`, then: seesCursor('send_mail') },
  open: { from: `/runs/${run}`, before: ['j'], then: seesUrl(/span=step\.1/) },
  filter: {
    from: `/runs/${run}`,
    then: async (page) => eventually(() => page.evaluate('document.activeElement?.id')).toBe('filter'),
  },
  'tab-waterfall': { from: `/runs/${run}/raw`, then: seesUrl(new RegExp(`/runs/${run}$`)) },
  'tab-transcript': { from: `/runs/${run}`, then: seesUrl(/\/transcript$/) },
  'tab-context': { from: `/runs/${run}`, then: seesUrl(/\/context$/) },
  'tab-state': { from: `/runs/${run}`, then: seesUrl(/\/state$/) },
  'tab-decisions': { from: `/runs/${run}`, then: seesUrl(/\/decisions$/) },
  'tab-logs': { from: `/runs/${run}`, then: seesUrl(/\/logs$/) },
  'tab-raw': { from: `/runs/${run}`, then: seesUrl(/\/raw$/) },
  difference: {
    from: `/runs/${run}/context`,
    then: async (page) => {
      await eventually(() => page.getByText('3 of 17 blocks').count()).toBe(1);
    },
  },
  fork: {
    from: `/runs/${run}`,
    ready: '.run-actions',
    then: async (page) => page.getByRole('dialog', { name: 'Fork' }).waitFor(),
  },
  follow: {
    from: `/runs/${run}`,
    then: async (page) => eventually(() => page.locator('.follow').getAttribute('aria-pressed')).toBe('false'),
  },
  collapse: {
    from: `/runs/${run}`,
    before: ['j'],
    then: async (page) => eventually(async () => (await names(page)).slice(1, 3)).toEqual(['step 1', 'step 2']),
  },
  expand: {
    from: `/runs/${run}`,
    before: ['['],
    then: async (page) => eventually(async () => (await names(page)).length).toBe(5),
  },
  'collapse-all': { from: `/runs/${run}`, then: async (page) => eventually(() => names(page)).toEqual(['traveller']) },
  'expand-all': {
    from: `/runs/${run}`,
    then: async (page) =>
      eventually(async () => (await names(page)).filter((name) => name === 'attempt 1').length).toBe(8),
  },
  depth: { from: `/runs/${run}`, then: async (page) => eventually(() => names(page)).toEqual(['traveller']) },
  'hit-next': { from: `/runs/${run}?filter=kind:call`, then: seesCursor('get_weather') },
  'hit-previous': { from: `/runs/${run}?filter=kind:call`, then: seesCursor('send_mail') },
  'error-next': { from: `/runs/${run}`, before: [']'], then: seesCursor('attempt 1') },
  'error-previous': { from: `/runs/${run}`, then: seesCursor('get_wether') },
  zoom: { from: `/runs/${run}`, before: ['j'], then: seesUrl(/zoom=/) },
  'zoom-in': { from: `/runs/${run}`, before: ['j'], then: seesUrl(/zoom=/) },
  'zoom-out': { from: `/runs/${run}?zoom=100..110`, then: seesUrl(/zoom=\d+(\.\d+)?\.\.\d+/) },
  gaps: { from: `/runs/${run}`, then: seesUrl(/gaps=out/) },
  clock: { from: `/runs/${worker}`, then: seesUrl(/clock=day/) },
});

/** The key that was read from a binding, as the browser driver names it. */
const pressed = (keys: string): readonly string[] =>
  keys.split(' ').map((stroke) => stroke.replace('ctrl+', 'Control+'));

describe('keys', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  let world: World;
  let watched: WatchedPage;
  let run: string;
  let worker: string;

  beforeAll(async () => {
    if (browser === undefined) return;
    world = await openWorld({}, { page: await builtPage() });
    run = await rested(world, 'traveller', 'Plan the journey.');
    worker = await rested(world, 'worker', '3 x 5ms');
    watched = await watchedPage(browser, `${world.url}/system`, { permissions: ['clipboard-read', 'clipboard-write'] });
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    await world.close();
  });

  /** The page at an address. One page serves all tests: loading it takes longer than they do. */
  const at = async (path: string): Promise<Page> => {
    watched.faults.length = 0;
    await watched.page.keyboard.press('Escape');
    await visit(watched.page, path);
    return watched.page;
  };

  test.each(bindings.flatMap((binding) => binding.keys.map((keys) => [keys, binding.title, binding.action] as const)))(
    '%s: %s',
    async (keys, _, action) => {
      const press = presses(run, worker)[action];
      const page = await at(press.from);
      if (press.ready !== undefined) await page.locator(press.ready).waitFor();
      for (const key of press.before ?? []) await page.keyboard.press(key);
      for (const key of pressed(keys)) await page.keyboard.press(key);
      // Each figure opens to its own depth; from the second on more than the run is there.
      if (action === 'depth' && keys !== '1') {
        await eventually(async () => (await names(page)).length).toBeGreaterThan(4);
      } else {
        await press.then(page);
      }
      expect(watched.faults).toEqual([]);
    },
  );

  test('are all in the help sheet, each with its keys', async () => {
    const page = await at('/runs');
    await page.keyboard.press('?');
    await page.locator('.help-row').first().waitFor();
    const rows = await page.locator('.help-row').allInnerTexts();
    expect(rows).toHaveLength(bindings.length);
    for (const { title, keys } of bindings) {
      const row = rows.find((each) => each.includes(title)) ?? '';
      for (const stroke of strokesOf(keys[0])) if (keys.length < 4) expect(row).toContain(stroke);
    }
  });

  test('close what lies on top, and nothing below it', async () => {
    const page = await at(`/runs/${run}?span=call.1.0`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.locator('.span-panel').count()).toBe(1);
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.span-panel').count()).toBe(0);
  });

  test('stay away from who writes, and single letters can be switched off', async () => {
    const page = await at(`/runs/${run}`);
    await page.keyboard.press('/');
    await eventually(() => page.evaluate('document.activeElement?.id')).toBe('filter');
    await page.keyboard.type('gn?j');
    expect(await page.locator('#filter').inputValue()).toBe('gn?j');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await at(`/runs/${run}`);
    await page.evaluate(`localStorage.setItem('axle-keys', 'off')`);
    await page.keyboard.press('?');
    await page.keyboard.press('[');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await names(page)).length).toBeGreaterThan(1);
    await page.keyboard.press('ArrowDown');
    await seesCursor('step 1')(page);
    await page.evaluate(`localStorage.removeItem('axle-keys')`);
  });

  test('move in the list of runs, and open one', async () => {
    const page = await at('/runs');
    await page.locator(`.runs-row a[href$="${run}"]`).waitFor();
    // The newest run stands first, so the older one is the second. All keys come at once, before anything is drawn anew.
    await Promise.all(['j', 'j', 'Enter'].map((key) => page.keyboard.press(key)));
    await page.waitForURL(new RegExp(`/runs/${run}$`));
  });
});
