import { expect, test } from 'vitest';
import { bindCall } from '../../src/contract/bind.ts';
import { tool } from '../../src/contract/tool.ts';
import { maxOutputBytes, performAttempt } from '../../src/execute/attempt.ts';
import { createHandClock } from '../../src/testing/hand-clock.ts';
import { Abort } from '../../src/util/abort.ts';

/** One attempt of a tool that returns `output`. */
async function attemptOf(output: unknown): ReturnType<typeof performAttempt> {
  const contract = tool({
    name: 'fetch',
    description: 'Fetches.',
    effect: 'read',
    input: { type: 'object' },
    execute: () => output,
  });
  const bound = bindCall(
    { toolCallId: 'a', toolName: 'fetch', argumentsText: '{}' },
    { callId: '1.0', lookup: () => contract, names: ['fetch'], truncated: false },
  );
  if (bound.kind !== 'bound') throw new Error('The call was refused.');
  const context = {
    runId: 'run',
    callId: '1.0',
    attempt: 1,
    idempotencyKey: () => 'key',
    log: () => {},
    progress: () => {},
  };
  return performAttempt({
    contract,
    call: { ...bound.call, toolVersion: contract.version, contractHash: contract.pin.hash, terms: contract.terms },
    context,
    timers: createHandClock(),
    clock: createHandClock(),
    abort: new Abort(),
    onLate: () => {},
  });
}

/** An object whose JSON text is `sizeBytes` long, in a letter of that many bytes. */
function ofSize(sizeBytes: number, letter: string): object {
  const frame = Buffer.byteLength(JSON.stringify({ text: '' }));
  return { text: letter.repeat((sizeBytes - frame) / Buffer.byteLength(letter)) };
}

test('an output of just the limit is kept, and one of a byte more is refused with its size', async () => {
  expect(await attemptOf(ofSize(maxOutputBytes, 'a'))).toMatchObject({ status: 'succeeded' });
  expect(await attemptOf(ofSize(maxOutputBytes + 1, 'a'))).toMatchObject({
    status: 'failed',
    failure: { code: 'limit-exceeded', message: expect.stringContaining(String(maxOutputBytes + 1)) },
  });
});

test('the limit counts bytes and not letters', async () => {
  expect(await attemptOf({ text: '語'.repeat(maxOutputBytes / 2) })).toMatchObject({
    status: 'failed',
    failure: { code: 'limit-exceeded' },
  });
});

test('many small values are counted like one large one', async () => {
  const output = Array.from({ length: 100_000 }, () => ({ key: 1 }));
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(maxOutputBytes);
  expect(await attemptOf(output)).toMatchObject({ status: 'succeeded' });
  expect(await attemptOf([...output, ...output])).toMatchObject({
    status: 'failed',
    failure: { code: 'limit-exceeded' },
  });
});
