import { expect, test } from 'vitest';
import { Abort } from '../../src/util/abort.ts';

test('those who listen hear an abort once, with the first reason, before those who listen to the signal', () => {
  const abort = new Abort();
  const heard: string[] = [];
  abort.onAbort(() => heard.push('first'));
  abort.onAbort(() => heard.push('second'));
  abort.signal.addEventListener('abort', () => heard.push('signal'));
  abort.abort(new Error('enough'));
  abort.abort(new Error('more than enough'));
  expect(heard).toEqual(['first', 'second', 'signal']);
  expect(abort.signal.reason).toEqual(new Error('enough'));
});

test('a signal that is asked for after the abort is aborted', () => {
  const abort = new Abort();
  expect(abort.isAborted).toBe(false);
  abort.abort(new Error('enough'));
  expect(abort.isAborted).toBe(true);
  expect(abort.signal.aborted).toBe(true);
  expect(abort.signal.reason).toEqual(new Error('enough'));
});

test('who has stopped listening hears nothing', () => {
  const abort = new Abort();
  const heard: string[] = [];
  const listener = (): void => void heard.push('late');
  abort.onAbort(listener);
  abort.onAbort(() => heard.push('there'));
  abort.stopListening(listener);
  abort.abort(new Error('enough'));
  expect(heard).toEqual(['there']);
});
