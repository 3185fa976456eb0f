import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { builtPage } from '../../scripts/built-page.ts';
import { eventually, noBrowser, startBrowser, textOf } from './browser.ts';
import { inPage, inPageLooks, visit, type WatchedPage, watchedPage } from './chromium.ts';
import { openWorld, rested, type World } from './world.ts';

const browser = await startBrowser();

const hostile = '<img src=x onerror="window.hacked = 1">\u202e"};--';
const usual =
  'Status|Agent or tool|Goal|Started|Took|Steps|Models|Calls|Tokens in / out|Errors|Approvals|Doubts|Session';

describe('the list of runs', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  let world: World;
  /** One page serves all tests: loading it takes longer than they do. */
  let watched: WatchedPage;

  beforeAll(async () => {
    if (browser === undefined) return;
    world = await openWorld({}, { page: await builtPage() });
    await rested(world, 'traveller', 'Plan the journey.', hostile);
    await rested(world, 'banker', 'Send the money.');
    await rested(world, 'worker', '2 x 1ms');
    watched = await watchedPage(browser, `${world.url}/system`);
  });
  afterEach(() => {
    if (browser !== undefined) expect(watched.faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    await world.close();
  });

  const open = async (path: string): Promise<Page> => {
    const { page } = watched;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.evaluate(`localStorage.clear(); ${lookAs('system')}`);
    await visit(page, path);
    await page.locator('.runs-row.grid-row').first().waitFor();
    return page;
  };
  const titles = async (page: Page): Promise<string> =>
    (await page.locator('.runs-table [role=columnheader]').allInnerTexts()).join('|');
  /** What a column says of the run of an agent. */
  const cell = (page: Page, agent: string, column: string): Promise<string> =>
    page.locator('.runs-row.grid-row', { hasText: agent }).locator(`.cell.${column}`).innerText();
  const looksRight = async (page: Page): Promise<void> => {
    const looks = await inPage<Record<string, unknown>>(page, inPageLooks, 'looks');
    expect(looks).toMatchObject({ hacked: false, elements: [], handlers: 0, addresses: [] });
    expect(looks['tooWide'] ?? false).toBe(false);
  };

  test('has a theme that is called like no place of the page', async () => {
    const page = await open('/runs');
    const places = await page.getByRole('navigation').first().getByRole('link').allInnerTexts();
    const themes = await page.locator('#theme option').allInnerTexts();
    expect(places).toContain('System');
    expect(themes[0]).toBe('As the device');
    expect(themes.filter((theme) => places.includes(theme))).toEqual([]);
  });

  test('says of each what it came to: steps, model calls, tool calls, tokens, errors, approvals, doubts', async () => {
    const page = await open('/runs');
    expect(await titles(page)).toBe(usual);
    const told = async (agent: string): Promise<readonly string[]> => {
      const names = ['steps', 'models', 'calls', 'errors', 'approvals', 'doubts'];
      return Promise.all(names.map((name) => cell(page, agent, name)));
    };
    expect(await told('traveller')).toEqual(['4', '4', '5', '0', '1', '0']);
    expect(await told('banker')).toEqual(['1', '1', '1', '0', '0', '1']);
    expect(await told('worker')).toEqual(['3', '3', '2', '0', '0', '0']);
    expect(await cell(page, 'worker', 'tokens')).toMatch(/^\d+ \/ \d+$/);
  });

  test('has the columns that were chosen, also when it is opened anew, and the usual ones again', async () => {
    const page = await open('/runs');
    await page.getByRole('button', { name: 'Columns' }).click();
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    expect(await dialog.getByLabel('Goal').isDisabled()).toBe(true);
    for (const name of ['Doubts', 'Session', 'Tokens in / out']) await dialog.getByLabel(name).uncheck();
    for (const name of ['Attempts', 'Run']) await dialog.getByLabel(name, { exact: true }).check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const chosen = 'Status|Agent or tool|Goal|Started|Took|Steps|Models|Calls|Attempts|Errors|Approvals|Run';
    await eventually(() => titles(page)).toBe(chosen);
    expect(await cell(page, 'traveller', 'attempts')).toBe('5');
    await page.reload();
    await eventually(() => titles(page)).toBe(chosen);
    expect(await page.locator('.runs-row.grid-row').count()).toBe(3);
    await page.getByRole('button', { name: 'Columns' }).click();
    await dialog.getByRole('button', { name: 'The usual ones' }).click();
    await eventually(() => titles(page)).toBe(usual);
  });

  test('with all columns at once is scrolled, and not the page; on a phone there are four', async () => {
    const page = await open('/runs');
    await page.getByRole('button', { name: 'Columns' }).click();
    for (const box of await page.locator('.column-choices input').all()) await box.check({ force: true });
    await looksRight(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await looksRight(page);
    const right = page.locator('[role=columnheader]').last();
    await right.scrollIntoViewIfNeeded();
    expect(await right.isVisible()).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });
    await looksRight(page);
    const cells = page.locator('.runs-row.grid-row').first().locator('.cell:visible');
    const names = ['cell status', 'cell goal', 'cell took', 'cell steps'].map((name) => expect.stringContaining(name));
    expect(await Promise.all((await cells.all()).map((each) => each.getAttribute('class')))).toEqual(names);
  });

  test('keeps filters that somebody wants again, and forgets them', async () => {
    const page = await open(`/runs?session=${encodeURIComponent(hostile)}`);
    await page.getByRole('button', { name: 'Keep this filter' }).click();
    await page.locator('.cell.subject a').first().click();
    await page.waitForURL(/subject=traveller/);
    await page.getByRole('button', { name: 'Keep this filter' }).click();
    await visit(page, '/runs');
    const kept = page.locator('.kept-filter a');
    await eventually(() => kept.count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Keep this filter' }).count()).toBe(0);
    await looksRight(page);
    await kept.first().click();
    await eventually(() => page.locator('.runs-row.grid-row').count()).toBe(1);
    expect(await kept.first().getAttribute('aria-current')).toBe('page');
    expect(await kept.last().getAttribute('aria-current')).toBe(null);
    await page.setViewportSize({ width: 390, height: 844 });
    await looksRight(page);
    await page
      .getByRole('button', { name: /^Forget the filter/ })
      .first()
      .click();
    await eventually(() => kept.count()).toBe(1);
    expect(await textOf(page, '.kept-filter')).toContain('traveller');
  });

  test('breaks no rule of axe with chosen columns, kept filters and their dialog', async () => {
    const page = await open('/runs?state=ended');
    await page.getByRole('button', { name: 'Keep this filter' }).click();
    await page.evaluate(axe);
    for (const isDialogOpen of [false, true]) {
      if (isDialogOpen) await page.getByRole('button', { name: 'Columns' }).click();
      for (const theme of isDialogOpen ? ['light', 'dark+'] : ['light', 'dark', 'light+', 'dark+']) {
        await page.evaluate(lookAs(theme));
        expect(await inPage<readonly unknown[]>(page, inPageLooks, 'violations')).toEqual([]);
      }
    }
  });

  test('is there whatever stands where choices are kept', async () => {
    const page = await open('/runs');
    await page.evaluate(
      `localStorage.setItem('axle-columns', 'bogus,,goal,__proto__'); localStorage.setItem('axle-kept-filters', '[[1],{},null,["a"]')`,
    );
    await page.reload();
    await page.locator('.runs-row.grid-row').first().waitFor();
    expect(await titles(page)).toBe('Status|Goal');
    expect(await page.locator('.kept-filter').count()).toBe(0);
  });
});

/** For the page: a theme, with more contrast where it ends in a plus. */
function lookAs(theme: string): string {
  const contrast = theme.endsWith('+') ? `'more'` : `''`;
  return `Object.assign(document.documentElement.dataset, { theme: '${theme.replace('+', '')}', contrast: ${contrast} })`;
}
