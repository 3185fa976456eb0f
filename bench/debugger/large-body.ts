/** Opening the result of a tool that is 20 MB of JSON. */
import type { Browser } from 'playwright-core';
import { visit, watchedPage } from '../../test/debugger/chromium.ts';
import { openWorld } from '../../test/debugger/world.ts';
import type { Append } from '../../src/journal/entry.ts';
import type { JsonValue } from '../../src/util/json.ts';
import { seededRun } from '../../test/trace/seeded-run.ts';
import { atMost, type Figure, p95 } from './figure.ts';
import { measured } from './measured.ts';
import { storeRun } from './stored-run.ts';

const rounds = 5;

export async function bodyFigures(browser: Browser, page: string): Promise<readonly Figure[]> {
  const world = await openWorld({}, { page });
  try {
    const { appends, callId } = withLargeOutput(seededRun({ seed: 20, spans: 300 }));
    await storeRun(world.axle.store, appends, 'run_large');
    const found: { readonly firstRowsMs: number; readonly longestTaskMs: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const watched = await watchedPage(browser, `${world.url}/system`);
      await visit(watched.page, `/runs/run_large?span=call.${callId}&pane=output`);
      await watched.page.locator('.span-body .json-chip').waitFor();
      found.push(
        await measured<{ readonly firstRowsMs: number; readonly longestTaskMs: number }>(watched.page, 'openBody'),
      );
      await watched.close();
    }
    return [
      atMost('20 MB of JSON, first rows', p95(found.map((each) => each.firstRowsMs)), { bar: 300, unit: 'ms' }),
      atMost('20 MB of JSON, the longest task', p95(found.map((each) => each.longestTaskMs)), { bar: 200, unit: 'ms' }),
    ];
  } finally {
    await world.close();
  }
}

/** The same run, with rows of 20 MB in the place of the first output. */
function withLargeOutput(appends: readonly Append[]): { readonly appends: readonly Append[]; readonly callId: string } {
  const rows = Array.from({ length: 260_000 }, (_, row) => ({
    row,
    name: `customer ${row % 977}`,
    cents: row * 31,
    open: row % 3 === 0,
  }));
  const output: JsonValue = { rows };
  let callId: string | undefined;
  const changed = appends.map((append) => ({
    ...append,
    entries: append.entries.map((entry) => {
      const isFirst = callId === undefined && entry.type === 'attempt-finished' && entry.result.status === 'succeeded';
      if (!isFirst) return entry;
      ({ callId } = entry);
      // Wrapped, since a value that stands alone is opened at once.
      return { ...entry, result: { status: 'succeeded' as const, output } };
    }),
  }));
  if (callId === undefined) throw new Error('No call of the run has succeeded.');
  return { appends: changed, callId };
}
