import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, noBrowser, openPage, startBrowser, textOf } from './browser.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { visit, type WatchedPage, watchedPage } from './chromium.ts';
import { openWorld, rested, type World } from './world.ts';

const browser = await startBrowser();

afterAll(async () => {
  await browser?.close();
});

/** An address, and what whoever opens it sees. */
interface Link {
  readonly path: string;
  readonly sees: (page: Page) => Promise<void>;
}

const seesText = (selector: string, text: string | RegExp) => async (page: Page) => {
  await eventually(() => textOf(page, selector)).toMatch(text);
};

describe('a link', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  let world: World;
  let watched: WatchedPage;
  let run: string;

  beforeAll(async () => {
    if (browser === undefined) return;
    world = await openWorld({}, { page: await builtPage() });
    run = await rested(world, 'traveller', 'Plan the journey.', 'user-42');
    await rested(world, 'banker', 'Send the money.');
    await rested(world, 'worker', '2 x 1ms');
    watched = await watchedPage(browser, `${world.url}/system`);
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await watched.close();
    await world.close();
  });

  const links: readonly (Link & { readonly name: string })[] = [
    {
      name: 'narrows the runs by state',
      path: '/runs?state=ended',
      sees: async (page) => {
        expect(await page.locator('#state').inputValue()).toBe('ended');
        await eventually(() => page.locator('.runs-row.grid-row').count()).toBe(1);
      },
    },
    {
      name: 'narrows the runs by session',
      path: '/runs?session=user-42',
      sees: seesText('.narrowing .chip', 'session: user-42'),
    },
    {
      name: 'narrows the runs by agent',
      path: '/runs?subject=banker',
      sees: async (page) => eventually(() => page.locator('.runs-row.grid-row').count()).toBe(1),
    },
    {
      name: 'selects a span',
      path: '/runs/RUN?span=call.1.0',
      sees: async (page) => {
        await seesText('.span-head h2', 'get_weather')(page);
        expect(await page.locator('.wf-row[aria-selected=true]').getAttribute('id')).toBe(
          await page.locator('.wf-row.cursor').getAttribute('id'),
        );
      },
    },
    {
      name: 'selects a span inside of a closed one',
      path: '/runs/RUN?span=call.1.0%232',
      sees: seesText('.span-head h2', 'attempt 2'),
    },
    {
      name: 'opens a pane of it',
      path: '/runs/RUN?span=call.2.0&pane=input',
      sees: seesText('#pane', /As it ran.*enum-typo.*"tomorow" → "tomorrow"/),
    },
    {
      name: 'filters',
      path: '/runs/RUN?filter=kind:call%20-is:error',
      sees: async (page) => {
        expect(await page.locator('#filter').inputValue()).toBe('kind:call -is:error');
        await seesText('.toolbar-count', /^5 of \d+$/)(page);
      },
    },
    {
      name: 'says what is wrong with a filter',
      path: '/runs/RUN?filter=bogus:1',
      sees: seesText('#filter-fault', /There is no field bogus/),
    },
    {
      name: 'zooms',
      path: '/runs/RUN?zoom=1..2',
      sees: async (page) => {
        await page.getByRole('button', { name: 'whole run' }).waitFor();
        await seesText('.lane-head', /\+1\.?\d* ms/)(page);
      },
    },
    {
      name: 'leaves idle time out',
      path: '/runs/RUN?gaps=out',
      sees: seesText('.toolbar .chip[aria-pressed=true]', 'idle time left out'),
    },
    { name: 'shows times of day', path: '/runs/RUN?clock=day', sees: seesText('.lane-head', /\d\d:\d\d:\d\d\.\d\d\d/) },
    {
      name: 'sorts',
      path: '/runs/RUN?sort=-name',
      sees: async (page) => {
        const words = await page.locator('.grid-row .wf-words').allInnerTexts();
        expect(words).toEqual(words.toSorted((a, b) => b.localeCompare(a)));
        expect(await page.locator('[role=columnheader].wf-name').getAttribute('aria-sort')).toBe('descending');
      },
    },
    {
      name: 'opens the transcript at a call',
      path: '/runs/RUN/transcript?span=call.3.0',
      sees: seesText('.line.selected', /write_memo/),
    },
    {
      name: 'opens what the model saw in a call',
      path: '/runs/RUN/context?seq=2',
      sees: seesText('.context', /the first call/),
    },
    {
      name: 'opens what the model saw in the step of a span',
      path: '/runs/RUN/context?span=call.2.0',
      sees: seesText('.view-tools', /step 2/),
    },
    {
      name: 'opens the state after an entry',
      path: '/runs/RUN/state?seq=1',
      sees: seesText('.view-tools', /entry 1 of \d+ run-accepted/),
    },
    {
      name: 'opens the decisions at a call',
      path: '/runs/RUN/decisions?span=call.2.1',
      sees: seesText('.decided.selected', /refused: No tool has the name/),
    },
    { name: 'opens the log', path: '/runs/RUN/logs', sees: seesText('.log-lines', /An attempt failed\..*callId=1\.0/) },
    { name: 'opens an entry', path: '/runs/RUN/raw?seq=5', sees: seesText('.entry-line.selected', /1\.5 call-bound/) },
    { name: 'opens a question of the inbox', path: '/inbox?item=RUN/4.0', sees: seesText('.card-head', /send_mail/) },
    {
      name: 'says that a question is over',
      path: '/inbox?item=RUN/9.9',
      sees: seesText('.notice', /not open any more/),
    },
    { name: 'opens a tool', path: '/tools?tool=transfer', sees: seesText('.card-head', /transfer version 1/) },
    { name: 'opens an upstream', path: '/tools?upstream=bank', sees: seesText('.card-head', /bank breaker closed/) },
    { name: 'to a run that is gone says so', path: '/runs/run_gone', sees: seesText('[role=alert]', /Not found/) },
    { name: 'to nowhere says so', path: '/nowhere', sees: seesText('.notice', /no such screen/) },
  ];

  test.each(links)('$name', async ({ path, sees }) => {
    watched.faults.length = 0;
    await visit(watched.page, path.replace('RUN', run));
    await sees(watched.page);
    expect(watched.faults).toEqual([]);
  });

  test('that is opened anew shows the same', async () => {
    if (browser === undefined) return;
    const page = await openPage(browser, `${world.url}/runs/${run}?span=call.1.0&pane=raw&filter=kind:call`);
    await seesText('#pane', /call-bound/)(page);
    expect(await page.locator('#filter').inputValue()).toBe('kind:call');
  });
});

describe('a server', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  test('that wants a token gets it out of the address, which forgets it; without one the page asks', async () => {
    if (browser === undefined) return;
    const token = 'a-token-that-is-long-enough-to-be-one';
    const world = await openWorld({}, { page: await builtPage(), tokens: [{ name: 'me', token, scopes: ['read'] }] });
    try {
      const page = await openPage(browser, `${world.url}/runs#token=${token}`);
      await page.getByText('No runs yet').waitFor();
      expect(page.url()).toBe(`${world.url}/runs`);
      const stranger = await openPage(browser, `${world.url}/runs`);
      await stranger.getByText('This server asks for a token').waitFor();
      await stranger.getByLabel('Token').fill(token);
      await stranger.getByRole('button', { name: 'Use it' }).click();
      await stranger.getByText('No runs yet').waitFor();
    } finally {
      await world.close();
    }
  });

  test('that is read-only answers no question, and the page says why', async () => {
    if (browser === undefined) return;
    const world = await openWorld({}, { page: await builtPage(), readOnly: true });
    try {
      const run = await rested(world, 'traveller', 'Plan the journey.');
      const page = await openPage(browser, `${world.url}/inbox?item=${run}/4.0`);
      await page.getByText('This server is read-only.').waitFor();
      expect(await page.getByRole('button', { name: 'Approve once' }).isDisabled()).toBe(true);
      expect(await page.getByRole('button', { name: 'Deny' }).isDisabled()).toBe(true);
    } finally {
      await world.close();
    }
  });
});
