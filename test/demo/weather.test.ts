import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLedger } from '../../demo/ledger.ts';
import { weatherTool } from '../../demo/weather-tool.ts';
import type { JsonValue } from '../../src/util/json.ts';
import { contextOf, rejectionOf, startService, testFolder, until } from './support.ts';

const input = { city: 'Beijing', days: 1 };

function reactions(ledger: string): readonly unknown[] {
  return readLedger(ledger).map((row) => (row as { reaction: string }).reaction);
}

test('the weather service stumbles four times in its life, each time in another way, and the tool knows what each means', async () => {
  const ledger = join(testFolder(), 'weather.jsonl');
  const service = await startService('weather-service', '--ledger', ledger);
  const weather = weatherTool(service.ready.url);

  const unavailable = await rejectionOf(weather.execute(input, contextOf('key')));
  expect(unavailable).toMatchObject({ code: 'upstream-unavailable', class: 'retryable', retryAfterMs: 1000 });

  const abort = new AbortController();
  const hanging = rejectionOf(weather.execute(input, contextOf('key', abort.signal)));
  await until(() => readLedger(ledger).length === 2, 'the second request has arrived');
  abort.abort();
  await hanging;

  const changed = (await weather.execute(input, contextOf('key'))) as JsonValue;
  expect(weather.output?.check(changed)).toMatchObject({ ok: false });

  const late = (await weather.execute(input, contextOf('key'))) as JsonValue;
  expect(weather.output?.check(late)).toMatchObject({ ok: true });

  const right = (await weather.execute(input, contextOf('key'))) as JsonValue;
  expect(weather.output?.check(right)).toMatchObject({ ok: true, value: { city: 'Beijing', highC: 3, lowC: -6 } });
  expect(reactions(ledger)).toEqual(['unavailable', 'silent', 'changed-format', 'slow', 'right']);
});

test('the service counts on after a restart, and counts nothing that was no request for a forecast', async () => {
  const ledger = join(testFolder(), 'weather.jsonl');
  const first = await startService('weather-service', '--ledger', ledger);
  expect((await fetch(`${first.ready.url}/`)).status).toBe(404);
  expect((await fetch(`${first.ready.url}/forecast?city=`)).status).toBe(400);
  expect((await fetch(`${first.ready.url}/forecast?city=Beijing`)).status).toBe(503);
  await first.stop();
  await startService('weather-service', '--ledger', ledger).then(async ({ ready }) => {
    const request = rejectionOf(fetch(`${ready.url}/forecast?city=Beijing`, { signal: AbortSignal.timeout(100) }));
    await request;
  });
  expect(reactions(ledger)).toEqual(['unavailable', 'silent']);
});

test('a weather service that is not there is a fault that time may mend', async () => {
  const service = await startService('weather-service', '--ledger', join(testFolder(), 'weather.jsonl'));
  await service.stop();
  const failure = await rejectionOf(weatherTool(service.ready.url).execute(input, contextOf('key')));
  expect(failure).toMatchObject({ code: 'upstream-unavailable', class: 'retryable', effect: 'none' });
});
