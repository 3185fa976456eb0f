import { expect, onTestFinished, test } from 'vitest';
import { otelSettings } from '../../src/cli/serve/otel-environment.ts';
import { startReceiver } from '../otel/receiver.ts';
import { Folder } from './command.ts';

test.each(['serve', 'dev'])(
  'axle %s shows metrics, and sends them and traces to the collector that the environment names',
  { timeout: 60_000 },
  async (command) => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const folder = new Folder();
    Object.assign(folder.environment, {
      OTEL_EXPORTER_OTLP_ENDPOINT: new URL('/', receiver.url).href,
      OTEL_SERVICE_NAME: 'shop',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20bench',
    });
    const server = folder.start(command, '--port', '0', '--json');
    let said = '';
    server.child.stdout?.on('data', (piece: string) => (said += piece));
    await server.says('\n');
    const { url } = JSON.parse(said) as { readonly url: string };
    const begun = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ agent: 'broken', input: 'x' }),
    });
    const { runId } = (await begun.json()) as { readonly runId: string };
    await (await fetch(`${url}/v1/runs/${runId}/result?wait=20`)).json();
    const scraped = await (await fetch(`${url}/metrics`)).text();
    expect(scraped).toContain('axle_runs_total{kind="agent",outcome="failed"} 1');
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);

    expect(receiver.faults).toEqual([]);
    expect(receiver.spans.map(({ name }) => name)).toContain('invoke_agent broken');
    const metrics = receiver.metrics.flatMap((batch) => batch.metrics.map(({ name }) => name));
    expect(metrics).toContain('gen_ai.invoke_agent.duration');
    for (const resource of [...receiver.resources, ...receiver.metrics.map((batch) => batch.resource)]) {
      expect(resource).toMatchObject({ 'service.name': 'shop', 'deployment.environment.name': 'test bench' });
    }
  },
);

test('a collector that is away holds nothing up, and is told of once', { timeout: 60_000 }, async () => {
  const receiver = await startReceiver();
  await receiver.close();
  const folder = new Folder();
  folder.environment['OTEL_EXPORTER_OTLP_ENDPOINT'] = new URL('/', receiver.url).href;
  folder.environment['OTEL_METRICS_EXPORTER'] = 'none';
  const server = folder.start('serve', '--port', '0', '--json');
  let said = '';
  server.child.stdout?.on('data', (piece: string) => (said += piece));
  await server.says('\n');
  const { url } = JSON.parse(said) as { readonly url: string };
  await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
    body: JSON.stringify({ agent: 'broken', input: 'x' }),
  });
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  expect(code).toBe(0);
  expect(stderr.split('Traces cannot be sent')).toHaveLength(2);
});

test.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, undefined],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=shop, team=pay',
      OTEL_METRIC_EXPORT_INTERVAL: '5000',
    },
    {
      traces: { url: 'http://c:4318/v1/traces', headers: { authorization: 'Bearer x' } },
      metrics: { url: 'http://c:4318/v1/metrics', headers: { authorization: 'Bearer x' }, sendEveryMs: 5_000 },
      serviceName: 'shop',
      attributes: { team: 'pay' },
    },
  ],
  [
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t/in',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
      OTEL_METRICS_EXPORTER: 'none',
    },
    { traces: { url: 'https://t/in', headers: {} }, serviceName: 'axle', attributes: {} },
  ],
])('of the variables %j it reads %j', (environment, settings) => {
  expect(otelSettings(environment)).toEqual(settings);
});

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'secret' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_METRIC_EXPORT_INTERVAL: 'often' },
])('the variables %j are refused, and no secret is repeated', (environment) => {
  expect(() => otelSettings(environment)).toThrow(expect.objectContaining({ code: 'configuration-invalid' }));
  expect(() => otelSettings(environment)).not.toThrow(/secret/u);
});
