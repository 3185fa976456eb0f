import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { readLedger } from '../../demo/ledger.ts';
import { chooseModel, realModel } from '../../demo/model.ts';
import { brainFromModel } from '../../src/ai-sdk.ts';
import type { Brain, BrainRequest } from '../../src/brain/brain.ts';
import type { TranscriptItem } from '../../src/call/message.ts';
import { isRecord } from '../../src/util/json.ts';

interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly ledger: string;
}

async function startModelServer(): Promise<ModelServer> {
  const folder = await mkdtemp(join(tmpdir(), 'axle-model-'));
  const ledger = join(folder, 'model.jsonl');
  const child = spawn(process.execPath, ['demo/model-server.ts', '--port', '0', '--ledger', ledger], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    url: await firstUrl(child),
    ledger,
    async [Symbol.asyncDispose]() {
      // The server ends when its parent lets go of its standard input.
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

async function firstUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The server has no standard output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const ready: unknown = JSON.parse(line);
    if (isRecord(ready) && typeof ready['url'] === 'string') return ready['url'];
  }
  throw new Error('The server ended before it was ready.');
}

const request: BrainRequest = {
  instructions: 'You are a travel agent.',
  items: [{ kind: 'user', text: "Look up tomorrow's weather in Beijing and e-mail a memo to ada@example.com." }],
  tools: ['get_weather', 'files.write_file', 'send_email'].map((name) => ({
    name,
    description: name,
    inputSchema: { type: 'object' },
  })),
  settings: {},
  signal: new AbortController().signal,
};

const outputs = new Map<string, TranscriptOutput>([
  ['get_weather', { city: 'Beijing', highC: 3, lowC: -6, conditions: 'clear' }],
  ['files.write_file', 'Successfully wrote to beijing-memo.md'],
  ['send_email', { accepted: true }],
]);
type TranscriptOutput = string | Readonly<Record<string, string | number | boolean>>;

/** Drives the model until it makes no more calls: the tools it called, and its last words. */
async function converse(brain: Brain): Promise<{ readonly called: readonly string[]; readonly words: string }> {
  const items: TranscriptItem[] = [...request.items];
  const called: string[] = [];
  for (let step = 0; step < 10; step += 1) {
    const answer = await brain.generate({ ...request, items: [...items] });
    if (answer.status === 'failed') throw new Error(answer.failure.message);
    expect(answer.usage.inputTokens).toBeGreaterThan(0);
    const call = answer.parts.find((part) => part.kind === 'call');
    if (call === undefined) {
      return { called, words: answer.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') };
    }
    called.push(call.toolName);
    const named = { callId: `${step}.0`, toolCallId: call.toolCallId, toolName: call.toolName };
    items.push(
      { kind: 'assistant', parts: answer.parts, calls: [{ ...named, input: {} }] },
      {
        kind: 'results',
        results: [{ ...named, outcome: { status: 'succeeded', output: outputs.get(call.toolName) ?? null } }],
      },
    );
  }
  throw new Error('The model did not come to an end.');
}

describe('the model server', () => {
  test('does the whole job through the real provider, and keeps every request in its ledger', async () => {
    await using server = await startModelServer();
    const { called, words } = await converse(brainFromModel(chooseModel(server.url, {})));
    expect(called).toEqual(['get_weather', 'files.write_file', 'send_email']);
    expect(words).toContain('I mailed it to ada@example.com');
    const rows = readLedger(server.ledger);
    expect(rows).toHaveLength(4);
    expect(rows[3]).toMatchObject({ request: 4, body: { model: 'travel-memo' }, answer: { content: words } });
  });

  test('refuses what is not its format, and goes on', async () => {
    await using server = await startModelServer();
    for (const body of ['no JSON', '{}', '{"model":"m","messages":"x"}', '{"model":"m","messages":[],"stream":true}']) {
      const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', body });
      expect(response.status).toBe(400);
      await response.body?.cancel();
    }
    expect((await fetch(`${server.url}/models`)).status).toBe(404);
    const { words } = await converse(brainFromModel(chooseModel(server.url, {})));
    expect(words).not.toBe('');
  });
});

describe('the choice of a model', () => {
  const loopback = 'http://127.0.0.1:1/v1';
  const idFor = (environment: Readonly<Record<string, string>>): string =>
    brainFromModel(chooseModel(loopback, environment)).id;

  test.each([
    ['without a key, the scripted one', {}, 'scripted/travel-memo'],
    ['with an OpenAI key, one of OpenAI', { OPENAI_API_KEY: 'k' }, 'openai/gpt-5'],
    ['with an Anthropic key, one of Anthropic', { ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-4-5'],
    ['the one that AXLE_MODEL names', { AXLE_MODEL: 'anthropic/claude-x', OPENAI_API_KEY: 'k' }, 'anthropic/claude-x'],
    ['an empty variable counts as none', { AXLE_MODEL: ' ', OPENAI_API_KEY: '' }, 'scripted/travel-memo'],
  ])('%s', (_, environment, id) => {
    expect(idFor(environment)).toBe(id);
  });

  test('a name that the demo cannot use is refused in words', () => {
    expect(() => realModel({ AXLE_MODEL: 'gpt-5' })).toThrow('openai/<model>');
  });
});
