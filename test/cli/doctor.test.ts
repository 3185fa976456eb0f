import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeCheck } from '../../src/cli/machine-checks.ts';
import { Folder } from './command.ts';

/** A configuration with JavaScript as its one real sandbox, one that cannot be used, and perhaps one that claims too much. */
function config(claims: boolean): string {
  return `import { defineConfig } from '../../src/axle.ts';
import { quickjs, subprocess } from '../../src/sandbox.ts';
const unusable = { ...quickjs(), id: 'elsewhere', probe: async () => ({ kind: 'unusable', reason: 'it is not installed' }) };
export default defineConfig({ store: 'axle.db', sandboxes: [quickjs(), { ...subprocess(), isBoundary: ${claims} }, unusable] });
`;
}

describe('axle doctor --sandbox', () => {
  test(
    'says what each sandbox holds back, and lists the weaker ones as what they are',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder('axle.config.ts', config(false));
      const { code, stdout } = await folder.axle('doctor', '--sandbox');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^in-process +holds nothing back/mu);
      expect(stdout).toMatch(/^quickjs +held +held +held +held +held +held +held +held$/mu);
      expect(stdout).toMatch(/^subprocess +OPEN \(\d+\)/mu);
      expect(stdout).toMatch(/^elsewhere +cannot be used: it is not installed$/mu);
      expect(stdout).toContain('subprocess (no boundary, and not meant as one)');
    },
  );

  test('fails when an attempt gets out of a boundary, and names the attempt', { timeout: 60_000 }, async () => {
    const folder = new Folder('axle.config.ts', config(true));
    const { code, stdout } = await folder.axle('doctor', '--sandbox');
    expect(code).toBe(1);
    expect(stdout).toMatch(/open +files +read a file of the host/u);
  });

  test('gives every attempt as JSON', { timeout: 60_000 }, async () => {
    const folder = new Folder('axle.config.ts', config(false));
    const { value } = await folder.json('doctor', '--sandbox');
    expect(value).toMatchObject({
      sandboxes: [
        { id: 'in-process', properties: [] },
        {
          id: 'quickjs',
          isBoundary: true,
          kind: 'proven',
          probes: expect.arrayContaining([{ probe: 'take memory', property: 'memory', verdict: 'contained' }]),
        },
        {
          id: 'subprocess',
          isBoundary: false,
          probes: expect.arrayContaining([{ probe: 'read a file of the host', property: 'files', verdict: 'open' }]),
        },
        { id: 'elsewhere', kind: 'unusable', reason: 'it is not installed' },
      ],
    });
  });
});

describe('axle doctor', () => {
  test('says whether everything is there that Axle needs, and what only some need', { timeout: 60_000 }, async () => {
    const folder = new Folder('axle.config.ts', config(false));
    const { code, stdout } = await folder.axle('doctor');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +node +2/mu);
    expect(stdout).toMatch(/^ok +sqlite +3\./mu);
    expect(stdout).toMatch(/^ok +configuration +tools: 0, sources: 0, agents: 0$/mu);
    expect(stdout).toMatch(/^ok +store +\S+axle\.db is not there yet, and can be made$/mu);
    expect(stdout).toMatch(/^ok +sandbox quickjs +holds back /mu);
    expect(stdout).toMatch(/^- +sandbox elsewhere +cannot be used: it is not installed$/mu);
  });

  test('fails when something is not as it must be, with the remedy', { timeout: 60_000 }, async () => {
    const folder = new Folder('axle.config.ts', 'export const nothing = 1;');
    writeFileSync(join(folder.path, 'other.db'), 'not a database, and long enough to be read as one'.repeat(40));
    const { code, stdout } = await folder.axle('doctor', '--store', 'other.db', '--config', 'axle.config.ts', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({
          name: 'configuration',
          verdict: 'failed',
          remedy: expect.stringContaining('defineConfig'),
        }),
        expect.objectContaining({ name: 'store', verdict: 'failed' }),
      ]),
    });
  });

  test.each([
    ['20.19.0', 'failed'],
    ['22.22.2', 'failed'],
    ['22.22.3', 'ok'],
    ['23.5.0', 'failed'],
    ['24.14.9', 'failed'],
    ['24.15.0', 'ok'],
    ['26.0.0', 'ok'],
  ])('knows whether Node %s will do: %s', (version, verdict) => {
    expect(nodeCheck(version).verdict).toBe(verdict);
  });
});
