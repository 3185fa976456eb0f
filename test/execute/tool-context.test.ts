import { expect, test } from 'vitest';
import { type LazyToolContext, toolContextOf } from '../../src/execute/tool-context.ts';

function given(): LazyToolContext & { readonly asked: string[] } {
  const asked: string[] = [];
  const controller = new AbortController();
  return {
    asked,
    runId: 'run',
    callId: '1.0',
    attempt: 2,
    idempotencyKey: () => {
      asked.push('key');
      return 'key of the call';
    },
    signal: () => {
      asked.push('signal');
      return controller.signal;
    },
    log: () => {},
    progress: () => {},
    real: async (alias) => `real ${alias}`,
    conceal: (text) => text,
  };
}

test('the signal and the key are made when a tool asks for them, not before', () => {
  const parts = given();
  const context = toolContextOf(parts);
  expect(context).toMatchObject({ runId: 'run', callId: '1.0', attempt: 2 });
  expect(parts.asked).toEqual([]);
  expect(context.idempotencyKey).toBe('key of the call');
  expect(context.signal).toBe(parts.signal());
});

test('a tool can hand on its context: a copy with something more, an object made from it, a proxy', () => {
  const context = toolContextOf(given());
  const copy = { ...context, more: 1 };
  expect(copy.idempotencyKey).toBe('key of the call');
  expect(copy.signal).toBe(context.signal);
  const derived: unknown = Object.create(context);
  expect(derived).toMatchObject({ idempotencyKey: 'key of the call', signal: context.signal });
  const proxied = new Proxy(context, {});
  expect(proxied.signal).toBe(context.signal);
  expect(proxied.idempotencyKey).toBe('key of the call');
});

test('each context has its own signal and key', () => {
  const [left, right] = [toolContextOf(given()), toolContextOf({ ...given(), idempotencyKey: () => 'another' })];
  expect(left.signal).not.toBe(right.signal);
  expect([left.idempotencyKey, right.idempotencyKey]).toEqual(['key of the call', 'another']);
});
