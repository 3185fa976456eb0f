import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runKills } from './harness.ts';
import { heldTo } from './kill-report.ts';
import { listPoints, withCalls } from './list-points.ts';

describe('crash points', () => {
  const points = listPoints(fileURLToPath(new URL('../../src', import.meta.url)));

  it('are at least 25 in the source, in pairs round append, sync and effect', () => {
    const names = points.map((point) => point.name);
    expect(names.length).toBeGreaterThanOrEqual(25);
    const pairs = [
      'sqlite-append',
      'sqlite-commit',
      'sqlite-sync',
      'sqlite-create',
      'sqlite-claim',
      'sqlite-post',
      'sqlite-snapshot',
      'verify',
      'model',
    ];
    expect(names).toEqual(expect.arrayContaining(pairs.flatMap((pair) => [`${pair}-before`, `${pair}-after`])));
    expect(names).toEqual(
      expect.arrayContaining([
        'effect-before-sync',
        'effect-after-sync',
        'attempt-before-effect',
        'attempt-after-effect',
      ]),
    );
  });

  it('become calls on their own line, and nothing else of the source changes', () => {
    const source = 'one();\n  /* @crashpoint some-point */\ntwo();';
    expect(withCalls(source)).toBe("one();\n  globalThis.__axleCrashpoint('some-point');\ntwo();");
    expect(withCalls('one(); // no point')).toBe('one(); // no point');
  });

  it('are refused when a name occurs twice or a comment only resembles one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'axle-points-'));
    try {
      const list = (text: string) => () => {
        writeFileSync(join(folder, 'a.ts'), text);
        return listPoints(folder);
      };
      expect(list('/* @crashpoint here */\n')()).toEqual([{ name: 'here', file: 'a.ts', line: 1 }]);
      expect(list('/* @crashpoint here */\n/* @crashpoint here */\n')).toThrow('a.ts:1 and at a.ts:2');
      expect(list('call(); /* @crashpoint here */\n')).toThrow('a.ts:1 mentions a crash point');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('a driver killed at every named point and at random (L1-L7)', () => {
  it('loses nothing that was accepted and does nothing twice', { timeout: 240_000 }, async () => {
    const seen = await runKills({ seconds: 120, seed: 1, enough: { kills: 30 }, onProgress: () => {} });
    expect(heldTo({ kills: 30, effects: 50, points: 25 }, seen)).toMatchObject({
      lost: 0,
      doubled: 0,
      violations: [],
      points: { unhit: [] },
    });
  });
});
