import process from 'node:process';
import { expect, test } from 'vitest';

test('the tests run on a Node whose SQLite is new enough, whatever Node the machine has', () => {
  const [major = 0, minor = 0, patch = 0] = process.versions.node.split('.').map(Number);
  const atLeast = (wanted: readonly [number, number, number]): boolean =>
    minor > wanted[1] || (minor === wanted[1] && patch >= wanted[2]);
  expect(major === 22 ? atLeast([22, 22, 3]) : major === 24 ? atLeast([24, 15, 0]) : major > 24).toBe(true);
});
