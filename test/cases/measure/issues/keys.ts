/** Idempotency keys: the same for every attempt of one call, in every process, and another for the next call. The model never sees one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, type BrainRequest, createAxle, tool, ToolError } from 'axle';
import { scriptedBrain } from 'axle/testing';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

export async function idempotencyCases({ input }: Issue): Promise<Verdict> {
  const words = JSON.stringify(input);
  if (!/retry/.test(words) || !/again/.test(words)) return notCovered('no retry and no second call');
  const folder = mkdtempSync(join(tmpdir(), 'axle-keys-'));
  try {
    return await keysOf(join(folder, 'axle.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timedOut(): ToolError {
  return new ToolError({ message: 'It timed out.', effect: 'unknown', class: 'retryable' });
}

/** The first attempt fails, the second is cut off by the end of the process, the third is made by the next; then the model calls again. */
async function keysOf(store: string): Promise<Verdict> {
  const keys: string[] = [];
  const requests: BrainRequest[] = [];
  let began = (): void => {};
  const isSecond = new Promise<void>((resolve) => {
    began = resolve;
  });
  const options = (): Parameters<typeof createAxle>[0] => {
    const pay = tool({
      name: 'pay',
      description: 'A tool of a case.',
      effect: 'idempotent',
      retry: { attempts: 4, baseMs: 1, capMs: 2 },
      input: { type: 'object' },
      execute: async (_given, { idempotencyKey, signal }) => {
        keys.push(idempotencyKey);
        if (keys.length === 1) throw timedOut();
        if (keys.length > 2) return 'paid';
        began();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(timedOut()), { once: true });
        });
      },
    });
    const model = scriptedBrain((request, turn) => {
      requests.push(request);
      return turn < 2 ? { calls: [{ id: `call_${turn}`, name: 'pay', input: { amount: 1 } }] } : 'end';
    });
    return { store, tools: [pay], agents: [agent({ name: 'subject', model, tools: ['pay'] })], log: () => {} };
  };
  const first = await createAxle(options());
  const { id } = await first.start('subject', { input: 'Pay.' });
  await isSecond;
  await first.close();
  await using second = await createAxle(options());
  const { status } = await second.run(id).result();
  if (status !== 'completed') return wrong(`the run ended as ${status}`);
  const ofFirst = keys.slice(0, -1);
  if (keys.length < 4 || new Set(ofFirst).size !== 1) return wrong(`the keys of one call are ${ofFirst.join(', ')}`);
  if (keys.at(-1) === ofFirst[0]) return wrong('the next call has the key of the first', { unsafe: true });
  return keys.some((key) => JSON.stringify(requests).includes(key)) ? wrong('the model was shown a key') : right;
}
