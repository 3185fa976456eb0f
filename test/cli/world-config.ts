/** The configuration that the tests of the command line run with: it notes what really happened in `ledger.txt` beside itself. */
import { appendFileSync, existsSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, type AxleConfig, defineConfig, tool, ToolError } from '../../src/axle.ts';
import { scriptedBrain } from '../../src/testing.ts';

function note(line: string): void {
  appendFileSync('ledger.txt', `${line}\n`);
}

const anything = { type: 'object', additionalProperties: true } as const;

const weather = tool({
  name: 'get_weather',
  description: 'Says how the weather is.',
  effect: 'read',
  input: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] },
  execute: (input) => {
    // What a tool prints must not get between a script and the answer.
    console.log('a tool prints');
    return { city: input['city'] ?? null, celsius: -4 };
  },
});

const refund = tool({
  name: 'refund',
  description: 'Refunds a charge.',
  effect: 'write',
  risk: 'high',
  input: { type: 'object', properties: { cents: { type: 'integer', maximum: 100 } }, required: ['cents'] },
  execute: (input) => {
    note(`refund ${JSON.stringify(input)}`);
    return { refundId: 'r1' };
  },
});

const transfer = tool({
  name: 'transfer',
  description: 'Sends money and never hears back.',
  effect: 'write',
  input: anything,
  execute: () => {
    note('transfer');
    throw new ToolError({ message: 'The connection was reset after sending.', effect: 'unknown' });
  },
});

/** Works until somebody writes a file named `go`. */
const patient = tool({
  name: 'patient',
  description: 'Waits.',
  effect: 'read',
  input: anything,
  timeout: '60s',
  execute: async (_, { signal }) => {
    note('patient begins');
    while (!existsSync('go')) await sleep(20, undefined, { signal });
    note('patient ends');
    return 'went';
  },
});

/** Ends the process that it runs in. */
const exits = tool({
  name: 'exits',
  description: 'Ends the process.',
  effect: 'read',
  input: anything,
  execute: () => process.exit(0),
});

/** Lets go of a promise that fails while it is still at work. */
const floats = tool({
  name: 'floats',
  description: 'Forgets a promise.',
  effect: 'read',
  input: anything,
  execute: async (_, { signal }) => {
    note('floats');
    void Promise.reject(new Error('nobody caught this'));
    await sleep(60_000, undefined, { signal });
  },
});

const forbidden = tool({
  name: 'forbidden',
  description: 'Is denied by policy.',
  effect: 'read',
  input: anything,
  execute: () => 'never',
});

export const worldConfig: AxleConfig = defineConfig({
  tools: [weather, refund, transfer, patient, exits, floats, forbidden],
  policy: (facts) => {
    if (facts.call.tool === 'forbidden') return { kind: 'deny', rule: 'test', reason: 'It is forbidden.' };
    if (facts.call.tool === 'refund') {
      return { kind: 'ask', rule: 'test', reason: 'Money leaves.', expiresAfterMs: 3_600_000 };
    }
    return { kind: 'allow', rule: 'test' };
  },
  agents: [
    agent({
      name: 'clerk',
      tools: ['get_weather', 'refund'],
      model: scriptedBrain([
        { calls: [{ name: 'get_weather', input: { city: 'Beijing', days: '1' } }] },
        { text: 'I refund.', calls: [{ name: 'refund', input: { cents: 5 } }] },
        'Refunded.',
      ]),
    }),
    agent({
      name: 'sender',
      tools: ['transfer'],
      model: scriptedBrain([{ calls: [{ name: 'transfer', input: {} }] }, 'Sent.']),
    }),
    agent({
      name: 'looper',
      tools: ['get_weather'],
      budget: { steps: 2 },
      model: scriptedBrain(() => ({ calls: [{ name: 'get_weather', input: { city: 'Rome' } }] })),
    }),
    agent({
      name: 'waiter',
      tools: ['patient'],
      model: scriptedBrain([{ calls: [{ name: 'patient', input: {} }] }, 'Done waiting.']),
    }),
    agent({
      name: 'rebel',
      tools: ['forbidden'],
      model: scriptedBrain([{ calls: [{ name: 'forbidden', input: {} }] }, 'I may not.']),
    }),
    agent({
      name: 'broken',
      model: scriptedBrain(() => ({
        status: 'failed',
        failure: { code: 'model-refused', class: 'fatal', message: 'No such model.', evidence: 'none' },
      })),
    }),
    agent({
      name: 'speaker',
      model: scriptedBrain(['I say it\nbit by bit.\u001b[2J'], { pieceChars: 3, beforePiece: () => sleep(30) }),
    }),
    agent({
      name: 'friend',
      onAnswer: 'wait',
      model: scriptedBrain((request) => `You said: ${request.items.filter((item) => item.kind === 'user').length}`),
    }),
  ],
});
