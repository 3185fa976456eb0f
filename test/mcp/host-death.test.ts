import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { lives, until } from './support.ts';

const program = fileURLToPath(new URL('fixtures/host.ts', import.meta.url));

async function startHost(...flags: readonly string[]): Promise<{ host: ChildProcess; processes: readonly number[] }> {
  const host = spawn(process.execPath, ['--conditions=axle-source', program, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  // The first line that the host writes: the ids of its processes.
  const { promise: line, resolve } = Promise.withResolvers<string>();
  createInterface({ input: host.stdout }).once('line', resolve);
  return { host, processes: JSON.parse(await line) as readonly number[] };
}

test('a server that ignores everything, and its child in another session, do not outlive a host that is killed', async () => {
  const { host, processes } = await startHost();
  expect(processes).toHaveLength(3);
  expect(processes.filter(lives)).toEqual(processes);
  host.kill('SIGKILL');
  await until(() => !processes.some(lives), 'nothing of the tree lives');
});

test('they do not outlive a host that exits without closing them', async () => {
  const { host, processes } = await startHost('--exit');
  if (host.exitCode === null) await once(host, 'exit');
  expect(host.exitCode).toBe(0);
  await until(() => !processes.some(lives), 'nothing of the tree lives');
});

test('they do not outlive a host that is terminated and has no handler for it', async () => {
  const { host, processes } = await startHost();
  host.kill('SIGTERM');
  await until(() => !processes.some(lives), 'nothing of the tree lives');
});
