import { describe, expect, test } from 'vitest';
import { quickjs, sandboxProperties } from '../../src/sandbox.ts';
import { openProbes, proofOf } from './available.ts';
import { limits, never, sourceJob } from './jobs.ts';

describe('the sandbox driver quickjs', () => {
  const driver = quickjs();

  test('contains every attempt to break out', async () => {
    const proof = await proofOf(driver, true);
    if (proof === undefined) throw new Error('quickjs is a development dependency, so it must be here.');
    expect(openProbes(proof)).toEqual([]);
    expect(proof.properties).toEqual(sandboxProperties);
    expect(proof.probes.every(({ verdict }) => verdict === 'contained')).toBe(true);
  }, 60_000);

  test.each([
    ['a function', 'export default ({ a, b }) => a + b', '3'],
    ['one that waits', 'export default async ({ a }) => { await null; return [a] }', '[1]'],
    ['nothing', 'export default () => undefined', 'null'],
  ])('gives back what the source returns: %s', async (_, source, output) => {
    const result = await driver.run(sourceJob(source, { stdin: '{"a":1,"b":2}' }), never);
    expect(result).toMatchObject({ end: { kind: 'ok' }, stdout: output });
  });

  test.each([
    [
      'throws',
      "export default () => { console.log('so far'); throw new RangeError('too far') }",
      'so far\nRangeError: too far',
    ],
    ['cannot be read', 'export default (', 'SyntaxError'],
    ['exports nothing', 'export const other = 1', 'default'],
    ['waits for ever', 'export default () => new Promise(() => {})', 'can never happen'],
    ['imports', "import fs from 'node:fs'; export default () => 1", 'There is no module node:fs here'],
  ])('says what went wrong with a source that %s', async (_, source, said) => {
    const result = await driver.run(sourceJob(source), never);
    expect(result.end).toEqual({ kind: 'exit', code: 1 });
    expect(result.stderr).toContain(said);
    // A stack shows places in the source and none of this machine.
    expect(result.stderr).not.toContain('node_modules');
  });

  test('ends a source by time, by memory, by output and by its caller, and each job begins anew', async () => {
    const ended = new AbortController();
    setTimeout(() => ended.abort(), 300);
    const memory = { ...limits, memoryBytes: 8 * 1024 * 1024 };
    const results = await Promise.all([
      driver.run(sourceJob('export default () => { for (;;) ; }', { wallMs: 300 }), never),
      driver.run(
        sourceJob('export default () => { const all = []; for (;;) all.push({}) }', { limits: memory }),
        never,
      ),
      driver.run(sourceJob("export default () => 'x'.repeat(200000)"), never),
      driver.run(sourceJob('export default () => { for (;;) ; }'), ended.signal),
    ]);
    expect(results.map(({ end }) => end.kind)).toEqual(['timeout', 'memory', 'output-limit', 'killed']);
    const source = 'export default () => { globalThis.count = (globalThis.count ?? 0) + 1; return count }';
    for (let round = 0; round < 2; round += 1) expect((await driver.run(sourceJob(source), never)).stdout).toBe('1');
  }, 30_000);

  test('counts what is logged in bytes, like every output', async () => {
    const source = "export default () => { console.log('\u00e4'.repeat(60)); return 'done' }";
    const of = (outputBytes: number) => driver.run(sourceJob(source, { limits: { ...limits, outputBytes } }), never);
    expect((await of(130)).end.kind).toBe('ok');
    expect((await of(100)).end.kind).toBe('output-limit');
  });

  test('ends what runs when it is closed', async () => {
    const own = quickjs();
    const job = own.run(sourceJob('export default () => { for (;;) ; }'), never);
    await own.close();
    expect((await job).end.kind).toBe('killed');
  });
});
