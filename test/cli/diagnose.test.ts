import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const config = `import { agent, defineConfig, tool } from '../../src/axle.ts';
import { scriptedBrain } from '../../src/testing.ts';
const status = tool({
  name: 'get_status', description: 'Says how far a build is.', effect: 'read',
  input: { type: 'object', properties: { build: { type: 'integer' } } }, execute: () => ({ done: false }),
});
const asks = () => ({ calls: [{ name: 'get_status', input: { build: 7 } }] });
const watcher = agent({ name: 'watcher', model: scriptedBrain(asks), tools: ['get_status'], budget: { steps: 5 } });
const greeter = agent({ name: 'greeter', model: scriptedBrain(['Hello.']), tools: ['get_status'] });
const down = tool({
  name: 'get_stock', description: 'Looks up how many are left.', effect: 'read',
  input: { type: 'object' }, execute: () => { throw new Error('The stock service is away.'); },
});
const ship = tool({ name: 'ship', description: 'Ships a parcel.', risk: 'high', input: { type: 'object' }, execute: () => 'sent' });
const lines = [{ calls: [{ name: 'get_stock', input: {} }, { name: 'ship', input: {} }] }, 'Sent.'];
const shipper = agent({ name: 'shipper', model: scriptedBrain(lines), tools: ['get_stock', 'ship'] });
const faulty = agent({ name: 'faulty', modelAttempts: 1, model: { id: 'mine', generate: (request) => request.nothing.there } });
export default defineConfig({ store: 'axle.db', tools: [status, down, ship], agents: [watcher, greeter, shipper, faulty] });
`;

test('names the fault first, with its entries and the remedy', { timeout: 90_000 }, async () => {
  const folder = new Folder('axle.config.ts', config);
  await folder.axle('run', 'watcher', '--input', 'Is build 7 done?');
  const { code, stdout } = await folder.axle('diagnose', 'last');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^1\. loop \(0\.95\): The model called get_status 5 times with the same arguments/u);
  expect(stdout).toMatch(/entry \d+: get_status \{"build":7\} in step 1/u);
  expect(stdout).toContain('Remedy: Let the result say');
  const { value } = await folder.json('diagnose', 'last');
  expect(value).toMatchObject({ isOpen: false, faults: [{ code: 'loop', confidence: 0.95 }] });

  await folder.axle('run', 'greeter', '--input', 'Say hello.');
  const healthy = (await folder.axle('diagnose', 'last')).stdout;
  expect(healthy).toMatch(/^Nothing that looks like a fault/u);
  expect(healthy).not.toContain('What failed');
  expect(healthy).not.toContain('It waits');

  await folder.axle('run', 'shipper', '--input', 'Ship it.');
  const waiting = (await folder.axle('diagnose', 'last')).stdout;
  expect(waiting).toMatch(/What failed in it: .*show run_\S+ --filter status:error/u);
  expect(waiting).toMatch(/It waits: a person decides about call 1\.1.*\n {2}.*approve run_\S+\/1\.1/u);
});

test('a model object that throws is told apart from a provider that is away', { timeout: 60_000 }, async () => {
  const folder = new Folder('axle.config.ts', config);
  const { stderr } = await folder.axle('run', 'faulty', '--input', 'x');
  expect(stderr).toMatch(/run_\S+ failed: model-threw: The model object threw TypeError: Cannot read properties/u);
  expect((await folder.axle('diagnose', 'last')).stdout).toContain('Remedy: The model object itself threw');
});
