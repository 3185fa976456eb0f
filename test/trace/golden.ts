import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { expect } from 'vitest';

/** Compares a text with `test/trace/golden/NAME.txt`. `AXLE_UPDATE_GOLDEN=1` writes the file anew instead. */
export function expectGolden(name: string, text: string): void {
  const path = new URL(`golden/${name}.txt`, import.meta.url);
  if (process.env['AXLE_UPDATE_GOLDEN'] === '1') writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}
