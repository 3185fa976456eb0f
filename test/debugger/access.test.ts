import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, noBrowser, startBrowser } from './browser.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { inPage, inPageLooks, visit, type WatchedPage, watchedPage } from './chromium.ts';
import { openWorld, rested, type World } from './world.ts';

const browser = await startBrowser();

/** What axe finds wrong in the page as it stands, in every theme: all rules in one, those about colours in the others. */
async function violations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  const found: string[] = [];
  for (const [theme, what] of [
    ['light', 'all'],
    ['dark', 'colours'],
    ['light+', 'high-contrast'],
    ['dark+', 'high-contrast'],
  ] as const) {
    await inPage(page, inPageLooks, 'dress', theme);
    const wrong = await inPage<readonly string[]>(page, inPageLooks, 'violations', what);
    found.push(...wrong.map((each) => `${theme}: ${each}`));
  }
  return found;
}

/** What is wider than a window of this width, with text of this size, in one font or another. */
async function tooWide(page: Page, width: number, fontSize: string): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: 900 });
  return inPage<readonly string[]>(page, inPageLooks, 'widestInFonts', fontSize);
}

describe('the page', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  const worlds: World[] = [];
  let run: string;
  let looping: string;
  let report: string;
  let writing: string;
  const pages = new Map<Place, WatchedPage>();

  /** Where a screen is looked at: a server with runs, one with none, one that asks who is there. */
  type Place = 'filled' | 'empty' | 'guarded';

  beforeAll(async () => {
    if (browser === undefined) return;
    const page = await builtPage();
    const tokens = [{ name: 'me', token: 'a-token-that-is-long-enough-to-be-one', scopes: ['read' as const] }];
    const filled = await openWorld({}, { page });
    const empty = await openWorld({ tools: [], agents: [] }, { page });
    const guarded = await openWorld({}, { page, tokens });
    worlds.push(filled, empty, guarded);
    run = await rested(filled, 'traveller', 'Plan the journey.', 'user-42');
    looping = await rested(filled, 'worker', '12 x 1ms');
    report = await rested(filled, 'reporter', 'Report.');
    await rested(filled, 'banker', 'Send the money.');
    await rested(filled, 'guide', 'Who is it?');
    ({ id: writing } = await filled.axle.start('writer', { input: 'Write.' }));
    for (const [place, { url }] of [
      ['filled', filled],
      ['empty', empty],
      ['guarded', guarded],
    ] as const) {
      pages.set(place, await watchedPage(browser, `${url}/system`));
    }
    filled.pen.write('Once upon a time.');
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    worlds[0]?.pen.finish();
    for (const world of worlds) await world.close();
  });

  const pageOf = (place: Place): WatchedPage => {
    const watched = pages.get(place);
    if (watched === undefined) throw new Error('There is no page.');
    return watched;
  };

  interface Screen {
    readonly name: string;
    readonly place?: Place;
    readonly path: () => string;
    readonly prepare?: (page: Page) => Promise<void>;
  }
  const pressing = (key: string, dialog: string) => async (page: Page) => {
    await page.keyboard.press(key);
    await page.getByRole('dialog', { name: dialog }).waitFor();
  };
  const screens: readonly Screen[] = [
    { name: 'the list of runs', path: () => '/runs' },
    { name: 'the list of runs that nothing fits', path: () => '/runs?state=held' },
    { name: 'the list of no runs', place: 'empty', path: () => '/runs' },
    { name: 'the waterfall', path: () => `/runs/${run}` },
    { name: 'the waterfall of a run that goes on', path: () => `/runs/${writing}` },
    { name: 'the waterfall with a filter that is wrong', path: () => `/runs/${run}?filter=bogus:1` },
    { name: 'the panel of a call', path: () => `/runs/${run}?span=call.1.0` },
    { name: 'the panel of a model', path: () => `/runs/${run}?span=model.1` },
    { name: 'the input of a call', path: () => `/runs/${run}?span=call.2.0&pane=input` },
    { name: 'the output of a call', path: () => `/runs/${run}?span=call.1.0&pane=output` },
    { name: 'the log of a call', path: () => `/runs/${run}?span=call.1.0&pane=logs` },
    { name: 'the raw entries of a call', path: () => `/runs/${run}?span=call.1.0&pane=raw` },
    {
      name: 'a large value that is opened',
      path: () => `/runs/${report}?span=call.1.0&pane=output`,
      prepare: async (page) => {
        await page.getByRole('button', { name: /^large value/ }).click();
        await page.locator('.dialog-body .json-row').first().waitFor();
      },
    },
    {
      name: 'a text that is opened',
      path: () => `/runs/${run}?span=call.3.0&pane=input`,
      prepare: async (page) => {
        await page.locator('.json-chip').first().click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'the transcript', path: () => `/runs/${run}/transcript` },
    { name: 'a transcript that is being written', path: () => `/runs/${writing}/transcript` },
    { name: 'the context', path: () => `/runs/${run}/context` },
    { name: 'the state', path: () => `/runs/${run}/state?seq=12` },
    { name: 'the decisions', path: () => `/runs/${run}/decisions` },
    { name: 'the log', path: () => `/runs/${run}/logs` },
    { name: 'the raw entries', path: () => `/runs/${run}/raw?seq=5` },
    { name: 'a doubt in the inbox', path: () => '/inbox' },
    { name: 'an approval in the inbox', path: () => `/inbox?item=${run}/4.0` },
    {
      name: 'an approval with other arguments',
      path: () => `/inbox?item=${run}/4.0`,
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Change them' }).click();
        await page.getByLabel(/^copies/).fill('two');
      },
    },
    { name: 'a question that is over', path: () => '/inbox?item=run_gone/1.0' },
    { name: 'an inbox with nothing in it', place: 'empty', path: () => '/inbox' },
    { name: 'a run compared with itself', path: () => `/runs/${run}/compare/${run}` },
    { name: 'two runs compared', path: () => `/runs/${run}/compare/${looping}` },
    { name: 'a comparison with a run that is not there', path: () => `/runs/${run}/compare/run_gone` },
    {
      name: 'the dialog of a fork',
      path: () => `/runs/${run}`,
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Fork', exact: true }).click();
        await page.getByRole('dialog', { name: 'Fork' }).waitFor();
      },
    },
    {
      name: 'the dialog of a comparison',
      path: () => `/runs/${run}`,
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Compare', exact: true }).click();
        await page.locator('.compare-runs a').first().waitFor();
      },
    },
    {
      name: 'a diagnosis',
      path: () => `/runs/${looping}`,
      prepare: async (page) => {
        await page.getByRole('button', { name: /^Why/ }).click();
        await page.locator('.diagnosis-evidence').first().waitFor();
      },
    },
    {
      name: 'a recording that was checked',
      path: () => `/runs/${looping}`,
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Check' }).click();
        await page
          .locator('.run-actions')
          .getByText(/byte-equal/)
          .waitFor();
      },
    },
    { name: 'a tool', path: () => '/tools?tool=send_mail' },
    { name: 'an upstream', path: () => '/tools?upstream=weather' },
    { name: 'no tools', place: 'empty', path: () => '/tools' },
    { name: 'the system', path: () => '/system' },
    { name: 'a run that is not there', path: () => '/runs/run_gone' },
    { name: 'a screen that is not there', path: () => '/nowhere' },
    { name: 'a server that asks for a token', place: 'guarded', path: () => '/runs' },
    { name: 'the help sheet', path: () => '/runs', prepare: pressing('?', 'Keys') },
    {
      name: 'the palette',
      path: () => '/runs',
      prepare: async (page) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: /command/ }).waitFor();
      },
    },
    {
      name: 'the filter with what can be written next',
      path: () => `/runs/${run}`,
      prepare: async (page) => page.locator('#filter').pressSequentially('st'),
    },
  ];

  /** Shows a screen, and gives the page. */
  const show = async ({ place = 'filled', path, prepare }: Screen): Promise<Page> => {
    const { page } = pageOf(place);
    await page.keyboard.press('Escape');
    await visit(page, path());
    await prepare?.(page);
    return page;
  };

  // One visit for all three: going there takes longer than looking.
  test.each(screens)(
    '$name breaks no rule of axe in any theme, fits a phone, and twice as large a text',
    async (screen) => {
      const page = await show(screen);
      expect.soft(await violations(page)).toEqual([]);
      expect.soft(await tooWide(page, 390, ''), 'on a phone').toEqual([]);
      expect.soft(await tooWide(page, 1_280, '200%'), 'with large text').toEqual([]);
      await tooWide(page, 1_440, '');
      expect(pageOf(screen.place ?? 'filled').faults).toEqual([]);
    },
  );

  test('the menu of looks dresses the page', async () => {
    const { page } = pageOf('filled');
    const worn = (): Promise<unknown> => page.evaluate('({ ...document.documentElement.dataset })');
    await page.locator('#theme').selectOption('dark+');
    await eventually(worn).toEqual({ theme: 'dark', contrast: 'more' });
    await page.locator('#theme').selectOption('light');
    await eventually(worn).toEqual({ theme: 'light' });
    await page.locator('#theme').selectOption('system');
    await eventually(worn).toEqual({});
  });

  test('has one tab stop for the rows of the waterfall, and says which row is current', async () => {
    const { page } = pageOf('filled');
    await visit(page, `/runs/${run}`);
    await page.locator('[role=treegrid]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const grid = page.locator('[role=treegrid]');
    const active = (await grid.getAttribute('aria-activedescendant')) ?? '';
    expect(await page.locator(`#${active} .wf-words`).innerText()).toBe('script/one');
    expect(await page.locator(`#${active}`).getAttribute('aria-level')).toBe('3');
    expect(await page.locator('[role=treegrid] [tabindex="0"]').count()).toBe(0);
    expect(Number(await grid.getAttribute('aria-rowcount'))).toBe(await page.locator('[role=row]').count());
  });
});
