import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const config = `import { defineConfig, tool } from '../../src/axle.ts';
const input = { type: 'object', properties: {} };
const geo = tool({
  name: 'geo',
  description: 'Finds a place.',
  effect: 'read',
  input,
  output: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
  cache: { ttl: '5m', scope: 'session' },
  fallback: ['maps'],
  execute: () => ({ latitude: 1 }),
});
const maps = tool({ name: 'maps', description: 'Finds a place elsewhere.', effect: 'read', input, execute: () => ({}) });
const book = tool({
  name: 'book',
  description: 'Books.',
  input,
  limits: { upstream: 'hotel', rate: '5/s' },
  execute: () => ({}),
  undo: () => undefined,
});
const run = { command: ['true'] };
const words = tool({ name: 'words', description: 'Counts.', input, run, sandbox: { needs: ['network', 'files'] } });
const date = tool({ name: 'date', description: 'Tells the day.', effect: 'read', input, run, sandbox: 'none' });
export default defineConfig({ store: 'axle.db', tools: [geo, maps, words, date, book] });
`;

test('axle tools lists terms and drifts, before there is a store and after', { timeout: 60_000 }, async () => {
  const folder = new Folder('axle.config.ts', config);
  const before = await folder.axle('tools');
  expect(before.code).toBe(0);
  expect(before.stdout).toMatch(
    /geo +read, low risk, cache 5 m 00 s \(session\), falls back to maps, runs in process/u,
  );
  expect(before.stdout).toMatch(/words +write, medium risk, runs where files, network are held back/u);
  expect(before.stdout).toMatch(/date +read, low risk, runs in a process of its own/u);
  expect(before.stdout).toMatch(/book +write, medium risk, upstream hotel, can be undone, runs in process/u);
  expect((await folder.axle('tools', '--drifted')).stdout).toContain('No answer has drifted.');

  expect((await folder.axle('call', 'geo', '--input', '{}')).code).not.toBe(0);
  const after = await folder.axle('tools', '--drifted');
  expect(after.stdout).toContain('DRIFT 1 times');
  expect(after.stdout).toContain('missing: /lat');
  expect(after.stdout).toContain('new: /latitude');
  expect(after.stdout).not.toContain('maps ');

  const { value } = await folder.json('tools');
  expect(value).toMatchObject([
    { name: 'geo', version: 1, terms: { effect: 'read' }, drifts: [{ count: 1, difference: { missing: ['/lat'] } }] },
    { name: 'maps', drifts: [] },
    { name: 'words', terms: { sandbox: ['files', 'network'] } },
    { name: 'date', terms: { sandbox: [] }, hasUndo: false },
    { name: 'book', terms: { upstream: 'hotel' }, hasUndo: true },
  ]);
  expect((await folder.axle('show', 'last')).stdout).toContain('DRIFT missing: /lat');
});
