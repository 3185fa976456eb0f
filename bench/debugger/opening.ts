/** Opening, scrolling and filtering runs of 10,000, 50,000 and 100,000 spans. */
import type { Browser, Page } from 'playwright-core';
import { watchedPage } from '../../test/debugger/chromium.ts';
import { openWorld } from '../../test/debugger/world.ts';
import { seededRun } from '../../test/trace/seeded-run.ts';
import { atMost, type Figure, p95 } from './figure.ts';
import { measured } from './measured.ts';
import { heapMegabytes } from './memory.ts';
import { storeRun } from './stored-run.ts';

const sizes = [
  { spans: 10_000, bar: 700 },
  { spans: 50_000, bar: 1_200 },
  { spans: 100_000, bar: 2_500 },
] as const;
const rounds = 5;
const scrollSeconds = 4;

export async function openFigures(browser: Browser, page: string): Promise<readonly Figure[]> {
  const world = await openWorld({}, { page });
  try {
    for (const { spans } of sizes) {
      await storeRun(world.axle.store, seededRun({ seed: spans, spans, width: 5 }), `run_${spans}`);
    }
    const figures: Figure[] = [await firstPaint(browser, world.url)];
    const watched = await watchedPage(browser, `${world.url}/system`);
    for (const { spans, bar } of sizes) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        times.push(await measured<number>(watched.page, 'openAndPaint', `/runs/run_${spans}`));
      }
      figures.push(atMost(`open ${spans.toLocaleString('en')} spans`, p95(times), { bar, unit: 'ms' }));
      if (spans <= 50_000) figures.push(...(await scrolling(watched.page, spans)));
      if (spans === 50_000) figures.push(...(await filtering(watched.page)), ...(await holding(watched.page)));
      if (spans === 100_000) {
        const nodes = await watched.page.evaluate<number>(`document.querySelectorAll('*').length`);
        figures.push(atMost('elements, 100,000 spans', nodes, { bar: 3_000, unit: '' }));
      }
    }
    return figures;
  } finally {
    await world.close();
  }
}

async function firstPaint(browser: Browser, url: string): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { page, close } = await watchedPage(browser, `${url}/runs`);
    await page.locator('.runs-row.grid-row').first().waitFor();
    times.push(await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
    await close();
  }
  return atMost('first contentful paint of the list of runs, cold', p95(times), { bar: 600, unit: 'ms' });
}

async function scrolling(page: Page, spans: number): Promise<readonly Figure[]> {
  const frames = await measured<readonly number[]>(page, 'scrollFrames', scrollSeconds);
  const name = `scrolling ${spans.toLocaleString('en')} spans`;
  const slow = (frames.filter((frame) => frame > 34).length / frames.length) * 100;
  return spans === 10_000
    ? [
        atMost(`${name}, a frame (p95)`, p95(frames), { bar: 20, unit: 'ms' }),
        atMost(`${name}, frames over 34 ms`, slow, { bar: 1, unit: '%' }),
      ]
    : [atMost(`${name}, a frame (p95)`, p95(frames), { bar: 34, unit: 'ms' })];
}

async function filtering(page: Page): Promise<readonly Figure[]> {
  await measured(page, 'watchFilter');
  await page.locator('#filter').focus();
  for (const letter of 'kind:call dur:>900ms -status:ok') {
    await page.keyboard.type(letter);
    await page.waitForTimeout(250);
  }
  const times = await measured<readonly number[]>(page, 'filterTimes');
  await page.locator('#filter').fill('');
  return [atMost('a letter in the filter, 50,000 spans (p95)', p95(times), { bar: 150, unit: 'ms' })];
}

async function holding(page: Page): Promise<readonly Figure[]> {
  await page.locator('.wf-row.grid-row').nth(5).click();
  await page.locator('.span-body .pairs').waitFor();
  return [atMost('heap with 50,000 spans and a panel open', await heapMegabytes(page), { bar: 80, unit: 'MB' })];
}
