import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, startBrowser } from './browser.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { inPage, inPageLooks, visit, type WatchedPage, watchedPage } from './chromium.ts';
import { hostileTexts } from './hostile-texts.ts';
import { openWorld, rested, type World } from './world.ts';

const browser = await startBrowser();

/** Texts of one run: each fills every field that a model, a tool or a caller can fill. */
const groupSize = 12;
const viewport = { width: 1_440, height: 4_000 };
const groups = Array.from({ length: Math.ceil(hostileTexts.length / groupSize) }, (_, group) =>
  hostileTexts.slice(group * groupSize, (group + 1) * groupSize),
);

test('there are sixty of them, no two the same', () => {
  expect(new Set(hostileTexts).size).toBe(60);
});

describe('hostile texts', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  let world: World;
  let watched: WatchedPage;
  const runs: string[] = [];

  beforeAll(async () => {
    if (browser === undefined) return;
    world = await openWorld({}, { page: await builtPage() });
    for (const group of groups) runs.push(await rested(world, 'parrot', JSON.stringify(group), group[0]));
    // High enough for every row: what is not drawn is not looked at.
    watched = await watchedPage(browser, `${world.url}/system`, { viewport });
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    await world.close();
  });

  test.each(groups.map((group, place) => [place, JSON.stringify(group[0]).slice(0, 40)] as const))(
    'of group %i (%s) are shown in every view of their run, and do nothing',
    async (place) => {
      const run = runs[place] ?? '';
      const { page } = watched;
      for (const view of [
        '',
        '?filter=kind:call',
        '/transcript',
        '/context',
        '/decisions',
        '/state',
        '/raw?seq=1',
        '/raw?seq=3',
      ]) {
        await visit(page, `/runs/${run}${view}`);
        await looksRight(page);
      }
      for (const [pane, call] of [
        ['input', '1.0'],
        ['output', '1.0'],
        ['overview', '1.1'],
        ['raw', '1.2'],
      ] as const) {
        await visit(page, `/runs/${run}?span=call.${call}&pane=${pane}`);
        await page.locator('.span-body section, .span-body .json, .span-body .pairs').first().waitFor();
        await looksRight(page);
      }
      const [question] = await world.axle.approvals.list(run);
      await visit(page, `/inbox?item=${encodeURIComponent(question?.approvalId ?? '')}`);
      await page.getByRole('button', { name: 'Change them' }).click();
      await looksRight(page);
      await page.setViewportSize({ width: 390, height: 844 });
      await looksRight(page);
      await page.setViewportSize(viewport);
      expect(watched.faults).toEqual([]);
    },
  );

  test('are compared, forked and diagnosed, and do nothing', async () => {
    const { page } = watched;
    const [left = '', right = ''] = runs;
    await visit(page, `/runs/${left}/compare/${right}`);
    await looksRight(page);
    await page.locator('.compared summary').first().click();
    await looksRight(page);
    await visit(page, `/runs/${left}`);
    await page.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.getByRole('dialog', { name: 'Fork' }).waitFor();
    await looksRight(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.locator('.compare-runs a').first().waitFor();
    await looksRight(page);
    await page.keyboard.press('Escape');
    for (const { approvalId } of await world.axle.approvals.list(left)) {
      await world.axle.approvals.resolve(approvalId, { decision: 'deny', note: hostileTexts[0] ?? '' });
    }
    await world.axle.run(left).result({ until: 'ended' });
    await visit(page, `/runs/${left}/transcript`);
    await page.getByRole('button', { name: /^Why/ }).click();
    await page.locator('.diagnosis-evidence').first().waitFor();
    await looksRight(page);
    await page.getByRole('button', { name: 'Check' }).click();
    await page
      .locator('.run-actions')
      .getByText(/byte-equal|differs/)
      .waitFor();
    await looksRight(page);
    expect(watched.faults).toEqual([]);
  });

  test('in goals and sessions leave the list of runs as it is', async () => {
    const { page } = watched;
    await visit(page, '/runs');
    await looksRight(page);
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.runs-row.grid-row')].map((row) => row.clientHeight)`,
    );
    expect(new Set(heights).size).toBe(1);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('script');
    await looksRight(page);
    await page.keyboard.press('Escape');
    expect(watched.faults).toEqual([]);
  });
});

/** Nothing ran, nothing became an element, nothing hides, nothing is wider than the page. */
async function looksRight(page: Page): Promise<void> {
  expect(await inPage<unknown>(page, inPageLooks, 'looks')).toEqual({
    hacked: false,
    elements: [],
    handlers: 0,
    addresses: [],
    tooWide: undefined,
    longTitle: false,
  });
}
