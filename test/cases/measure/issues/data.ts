/** Results of every kind: the run goes on, what is stored is what is read back, and what a model is shown is well formed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { agent, createAxle, type Entry, tool } from 'axle';
import { isFields, listOf, textOf } from '../fields.ts';
import { isSame } from '../same-values.ts';
import { callOf, keepingModel, type Prompt, resultsIn } from '../shown-prompt.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

export async function dataCases({ input }: Issue): Promise<Verdict> {
  if (typeof input['output'] === 'string') return cutSafely(input['output']);
  if (input['outputs'] !== undefined) {
    const outputs = listOf(input['outputs'], 'outputs');
    return allRight(outputs, (output) => kept({ make: () => output, exactly: output }));
  }
  if (input['results'] === undefined) return notCovered('no result to try');
  const results = listOf(input['results'], 'results').map((result) => textOf(result, 'results'));
  return allRight(results, (result) => kept({ make: () => valueOf(result) }));
}

async function allRight<Item>(items: readonly Item[], measure: (item: Item) => Promise<Verdict>): Promise<Verdict> {
  for (const item of items) {
    const verdict = await measure(item);
    if (verdict.kind !== 'right') return wrong(`${JSON.stringify(item)}: ${verdict.why ?? ''}`);
  }
  return right;
}

/** What an expression of JavaScript makes; words about getters and `toJSON` stand for an object that throws. */
function valueOf(expression: string): unknown {
  if (/getter|toJSON/.test(expression)) {
    return Object.defineProperty({}, 'value', {
      enumerable: true,
      get: () => {
        throw new Error('a getter that throws');
      },
    });
  }
  return runInThisContext(`(() => { const o = {}; return (${expression}); })()`) as unknown;
}

interface Output {
  readonly make: () => unknown;
  /** What must be stored, letter by letter. */
  readonly exactly?: unknown;
}

interface Played {
  readonly entries: readonly Entry[];
  readonly prompts: readonly Prompt[];
  readonly status: string;
}

/** A result is stored in a file and read back by another Axle; the run ends well whatever it is. */
async function kept({ make, exactly }: Output): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'axle-data-'));
  try {
    const store = join(folder, 'axle.db');
    const { entries, prompts, status } = await play(make, store);
    if (status !== 'completed') return wrong(`the run ended as ${status}`);
    const settled = entries.filter((entry) => entry.type === 'call-settled');
    if (settled.length !== 1) return wrong('the call was not settled');
    if (!isSame(entries, await readAgain(store))) return wrong('another process reads something else');
    const shown = resultsIn(prompts.at(-1));
    if (shown.length !== 1 || !isClean(shown) || JSON.stringify(shown).includes('\\u0000')) {
      return wrong(`the model was shown ${JSON.stringify(shown)}`);
    }
    if (exactly === undefined) return right;
    const finished = entries.find((entry) => entry.type === 'attempt-finished');
    const output =
      finished?.type === 'attempt-finished' && finished.result.status === 'succeeded'
        ? finished.result.output
        : undefined;
    return isSame(output, exactly) ? right : wrong(`${JSON.stringify(output)} was stored`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(make: () => unknown, store: string): Promise<Played> {
  const produce = tool({
    name: 'produce',
    description: 'A tool of a case.',
    effect: 'idempotent',
    input: { type: 'object' },
    execute: () => make(),
  });
  const { model, prompts } = keepingModel([callOf('produce')]);
  const subject = agent({ name: 'subject', model, tools: ['produce'] });
  await using axle = await createAxle({ store, tools: [produce], agents: [subject], log: () => {} });
  const run = await axle.start('subject', { input: 'Produce it.', key: 'case' });
  const { status } = await run.result();
  const entries: Entry[] = [];
  for await (const event of run.events()) entries.push(event.entry);
  return { entries, prompts, status };
}

async function readAgain(store: string): Promise<readonly Entry[]> {
  await using axle = await createAxle({ store, role: 'client', log: () => {} });
  const [summary] = await axle.runs();
  const entries: Entry[] = [];
  for await (const event of axle.run(summary?.runId ?? '').events()) entries.push(event.entry);
  return entries;
}

/** Whole characters in every text. */
function isClean(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isClean);
  return !isFields(value) || Object.entries(value).every(([key, each]) => key.isWellFormed() && isClean(each));
}

/** Wherever a text is cut on its way to model and store, no half of a character is left: the text is tried at every distance from its limits. */
async function cutSafely(output: string): Promise<Verdict> {
  for (const limit of [0, 40, 200, 2_000, 4_000, 32_000]) {
    for (let before = 0; before < output.length + 2; before += 1) {
      const text = 'x'.repeat(Math.max(0, limit - before)) + output;
      const failing = await play(() => {
        throw new Error(text);
      }, ':memory:');
      const giving = await play(() => text, ':memory:');
      for (const { entries, prompts } of [failing, giving]) {
        if (!isClean(entries) || !isClean(prompts)) return wrong(`cut at ${limit - before}`);
      }
    }
  }
  return right;
}
