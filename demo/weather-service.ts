/**
 * A weather service that stumbles, always in the same way: its ledger counts the requests over its whole life, and the count says
 * how it answers. Run it as a process of its own: `node demo/weather-service.ts --ledger FILE`.
 *
 *     GET /forecast?city=Beijing&days=1
 *
 * 1st request: 503 with `Retry-After: 1`. 2nd: no answer at all. 3rd: the right numbers in a format that nobody agreed on. 4th: as documented,
 * but a second late. From then on: as documented.
 */
import { createServer, type ServerResponse } from 'node:http';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Ledger } from './ledger.ts';
import { announce, endWithParent, listenOnLoopback } from './service-life.ts';

type Reaction = 'unavailable' | 'silent' | 'changed-format' | 'slow' | 'right';

/** A row of the ledger: one request, and how it was met. */
interface WeatherRow {
  readonly request: number;
  readonly atMs: number;
  readonly city: string;
  readonly days: number;
  readonly reaction: Reaction;
}

interface Forecast {
  readonly city: string;
  readonly date: string;
  readonly highC: number;
  readonly lowC: number;
  readonly conditions: string;
}

const stumbles: readonly Reaction[] = ['unavailable', 'silent', 'changed-format', 'slow'];
const slowMs = 1_000;
const dayMs = 86_400_000;
const maxDays = 7;

function forecast(city: string, days: number): Forecast {
  const date = new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
  return { city, date, highC: 3, lowC: -6, conditions: 'clear, dry, strong north-westerly wind' };
}

function react(response: ServerResponse, reaction: Reaction, found: Forecast): void {
  switch (reaction) {
    case 'unavailable':
      sendJson(response, 503, { error: 'The forecast is being computed.' }, { 'retry-after': '1' });
      break;
    case 'silent':
      // The connection stays open until the caller loses patience.
      break;
    case 'changed-format':
      sendJson(response, 200, { data: { temperature: `${found.lowC}..${found.highC} C`, summary: found.conditions } });
      break;
    case 'slow':
      setTimeout(() => sendJson(response, 200, found), slowMs);
      break;
    case 'right':
      sendJson(response, 200, found);
      break;
  }
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

const { values } = parseArgs({ options: { ledger: { type: 'string' }, port: { type: 'string', default: '0' } } });
if (values.ledger === undefined) {
  process.stderr.write('usage: weather-service --ledger FILE [--port N]\n');
  process.exit(2);
}
const ledger = new Ledger<WeatherRow>(values.ledger);

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const city = url.searchParams.get('city') ?? '';
  const days = Number(url.searchParams.get('days') ?? '1');
  if (request.method !== 'GET' || url.pathname !== '/forecast') {
    sendJson(response, 404, { error: 'Only GET /forecast is served.' });
    return;
  }
  if (city === '' || !Number.isInteger(days) || days < 0 || days > maxDays) {
    sendJson(response, 400, { error: `city must be given, and days be a whole number from 0 to ${maxDays}.` });
    return;
  }
  const reaction = stumbles[ledger.size] ?? 'right';
  ledger.append({ request: ledger.size + 1, atMs: Date.now(), city, days, reaction });
  react(response, reaction, forecast(city, days));
});

const port = await listenOnLoopback(server, Number(values.port));
endWithParent(() => {
  server.closeAllConnections();
  ledger.close();
});
announce({ url: `http://127.0.0.1:${port}`, port });
