/** Runs as files, and metrics as text. */
import { ReadableStream } from 'node:stream/web';
import { AxleError } from '../../error/axle-error.ts';
import { exportFormats, exportRun } from '../../export/export-run.ts';
import { metricsContentType } from '../../metrics/create-metrics.ts';
import { oneOf } from '../schema/json-schema.ts';
import { param, type Route, textIn } from './route.ts';
import { summaryOf } from './run-routes.ts';

export const exportRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/runs/{runId}/export',
    id: 'exportRun',
    about: 'The run as a file: whole as axle, as a trajectory (atif), an example for training (chat), or spans (otel).',
    scope: 'read',
    query: { format: { about: 'The format; axle when nothing is said.', schema: oneOf([...exportFormats]) } },
    answers: { 200: { about: 'Lines of JSON.', media: 'application/x-ndjson' } },
    handle: async (asked) => {
      const runId = param(asked, 'runId');
      await summaryOf(asked, runId);
      const wanted = textIn(asked.query, 'format');
      const format = exportFormats.find((each) => each === wanted) ?? 'axle';
      const lines = exportRun(asked.parts.axle.store, runId, format);
      return new Response(ReadableStream.from(encoded(lines)), {
        headers: {
          'content-type': 'application/x-ndjson; charset=utf-8',
          'cache-control': 'no-store',
          'content-disposition': `attachment; filename="${runId.replaceAll(/[^\w.-]/g, '_')}.${format}.jsonl"`,
        },
      });
    },
  },
  {
    method: 'GET',
    path: '/metrics',
    id: 'getMetrics',
    about:
      'What the runs of the process add up to, for Prometheus (text format 0.0.4). Only where the server was made with metrics.',
    scope: 'read',
    answers: { 200: { about: 'The metrics.', media: 'text/plain' } },
    handle: async ({ parts }) => {
      if (parts.metrics === undefined) {
        throw new AxleError('route-unknown', 'This server was made without metrics.', {
          remedy:
            '`axle serve` has them. In a program, hand what createMetrics() gives to createAxle, as an observer, and to createServer.',
        });
      }
      const headers = { 'content-type': metricsContentType, 'cache-control': 'no-store' };
      return new Response(await parts.metrics.text(), { headers });
    },
  },
];

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
