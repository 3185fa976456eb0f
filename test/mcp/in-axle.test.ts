/** A server whose tools change while runs are under way, seen from an Axle that has it as a source. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { agent, type Axle, createAxle, type LiveEvent } from '../../src/axle.ts';
import type { McpSource } from '../../src/mcp.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { rude, until } from './support.ts';

let tools: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-in-axle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  tools = join(folder, 'tools.json');
});

function offer(...offered: readonly object[]): void {
  writeFileSync(tools, JSON.stringify(offered));
}

function named(name: string, description = `Does ${name}.`): object {
  return { name, description, inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
}

function changing(effects = {}): McpSource {
  return rude({ flags: ['--list=file'], env: { RUDE_TOOLS: tools }, effects, onNotice: () => undefined });
}

/** Has the server say that its list is another. */
async function tellOfChange(axle: Axle): Promise<void> {
  await axle.call('rude.structured', { text: 'change the list' });
}

test('a tool that comes is there, one that goes is not, and one that changes is called only once it is accepted', async () => {
  offer(named('structured'), named('echo'));
  const source = changing();
  await using axle = await createAxle({ store: ':memory:', tools: [source], log: () => undefined });
  offer(named('structured'), named('echo', 'Does echo, and tells me.'), named('environment'));
  await tellOfChange(axle);
  await until(() => source.review.length === 3, 'the change is noticed');
  expect(await axle.call('rude.environment', {})).toMatchObject({ status: 'completed' });
  const refused = await axle.call('rude.echo', { text: 'x' });
  expect(refused).toMatchObject({ status: 'failed', failure: { code: 'mcp-tool-quarantined', evidence: 'none' } });
  await source.accept(['echo']);
  expect(await axle.call('rude.echo', { text: 'x' })).toMatchObject({ status: 'completed', output: 'x' });

  offer(named('structured'));
  await tellOfChange(axle);
  await until(() => source.review.some((one) => one.kind === 'gone'), 'the change is noticed');
  await expect(axle.call('rude.echo', { text: 'x' })).rejects.toMatchObject({ code: 'tool-unknown' });
});

test('a run that waits while a description is changed and accepted goes on with the tool as it is accepted', async () => {
  offer(named('structured'), named('echo'));
  const source = changing({ echo: { risk: 'high' } });
  const model = scriptedBrain([{ calls: [{ name: 'rude.echo', input: { text: 'hello' } }] }, 'done']);
  const clerk = agent({ name: 'clerk', model, tools: ['rude.*'] });
  await using axle = await createAxle({ store: ':memory:', tools: [source], agents: [clerk], log: () => undefined });
  const run = await axle.start('clerk', { input: 'Say hello.' });
  expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'approval' }] });

  offer(named('structured'), named('echo', 'Says it again.'));
  await tellOfChange(axle);
  await until(() => source.review.some((one) => one.kind === 'changed'), 'the change is noticed');
  await source.accept();
  const [question] = await axle.approvals.list(run.id);
  await axle.approvals.resolve(question?.approvalId ?? '', { decision: 'approve' });
  expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed', output: 'done' });
});

test('what a tool says of its progress is live', async () => {
  const events: LiveEvent[] = [];
  const onLive = (event: LiveEvent): void => void events.push(event);
  await using axle = await createAxle({ store: ':memory:', tools: [rude()], onLive, log: () => undefined });
  expect(await axle.call('rude.slow', { text: '2' })).toMatchObject({ output: 'done' });
  expect(events).toMatchObject([
    { kind: 'tool-progress', data: { done: 1, total: 2 } },
    { kind: 'tool-progress', data: { done: 2, total: 2, message: 'step 2' } },
  ]);
});

test('a call is cancelled at the server when its run is', async () => {
  const source = rude();
  await using axle = await createAxle({ store: ':memory:', tools: [source], log: () => undefined });
  const run = await axle.startCall('rude.slow', { text: '50' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await run.cancel('nobody needs it');
  expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
});
