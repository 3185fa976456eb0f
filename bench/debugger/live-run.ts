/** Following a run that writes some 200 entries a second. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { watchedPage } from '../../test/debugger/chromium.ts';
import { openWorld } from '../../test/debugger/world.ts';
import { atMost, type Figure, p95 } from './figure.ts';
import { measured } from './measured.ts';
import { heapMegabytes } from './memory.ts';

export interface LiveOptions {
  readonly page: string;
  readonly seconds: number;
}

/** Turns of five entries; as many runs as it takes would not be one page. */
const turnMs = 22;

export async function liveFigures(browser: Browser, { page, seconds }: LiveOptions): Promise<readonly Figure[]> {
  const world = await openWorld({}, { page });
  try {
    const run = await world.axle.start('worker', { input: `9000 x ${turnMs}ms` });
    const seqNow = async (): Promise<number> => (await world.axle.store.run(run.id))?.seq ?? 0;
    const watched = await watchedPage(browser, `${world.url}/runs/${run.id}`);
    await watched.page.locator('.live').getByText('live').waitFor();
    await measured(watched.page, 'watchFrames');
    const startedMs = performance.now();
    const first = await seqNow();
    const lags: number[] = [];
    let early = 0;
    while (performance.now() - startedMs < seconds * 1_000) {
      lags.push(await measured<number>(watched.page, 'lagTo', await seqNow()));
      await sleep(400);
      const isThird = performance.now() - startedMs > (seconds * 1_000) / 3;
      if (early === 0 && isThird) early = await heapMegabytes(watched.page);
    }
    const perSecond = ((await seqNow()) - first) / ((performance.now() - startedMs) / 1_000);
    const frames = await measured<readonly number[]>(watched.page, 'noticedFrames');
    const late = await heapMegabytes(watched.page);
    await run.cancel('measured');
    await watched.close();
    const name = `live, ${Math.round(perSecond)} entries a second for ${seconds} s`;
    return [
      atMost(`${name}: from the journal to the page (p95)`, p95(lags), { bar: 500, unit: 'ms' }),
      atMost(`${name}: a frame (p95)`, p95(frames), { bar: 34, unit: 'ms' }),
      atMost(`${name}: growth of the heap in the last two thirds`, late - early, { bar: 10, unit: 'MB' }),
    ];
  } finally {
    await world.close();
  }
}
