/** Calls a function of `in-page/measure.ts` in the page. */
import type { Page } from 'playwright-core';
import { inPage } from '../../test/debugger/chromium.ts';

const file = new URL('in-page/measure.ts', import.meta.url);

export function measured<Result = void>(page: Page, name: string, ...words: readonly unknown[]): Promise<Result> {
  return inPage<Result>(page, file, name, ...words);
}
