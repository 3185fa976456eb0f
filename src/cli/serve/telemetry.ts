/** What a serving process tells of its runs: metrics at `/metrics`, and both metrics and traces to a collector where the environment names one. */
import process from 'node:process';
import { messageOf } from '../../error/axle-error.ts';
import type { Observer } from '../../facade/options.ts';
import type { AxleMetrics } from '../../metrics/create-metrics.ts';
import type { Terminal } from '../terminal.ts';
import { otelSettings } from './otel-environment.ts';

export interface Telemetry {
  readonly metrics: AxleMetrics;
  /** For each Axle that the process opens, one after another. */
  readonly observers: readonly Observer[];
  /** Sends what there is. After the last Axle is closed. */
  close(): Promise<void>;
}

/** @throws AxleError `configuration-invalid` */
export async function startTelemetry({ note }: Pick<Terminal, 'note'>): Promise<Telemetry> {
  const { createMetrics } = await import('../../metrics/create-metrics.ts');
  const settings = otelSettings(process.env);
  const { readVersion } = await import('../../server/read-version.ts');
  const metrics = createMetrics({ version: readVersion() });
  if (settings === undefined) return { metrics, observers: [metrics], close: async () => {} };
  const { createMetricsSender } = await import('../../otel/create-metrics-sender.ts');
  const { createTraces } = await import('../../otel/create-traces.ts');
  const { traces: tracesTo, metrics: metricsTo, ...resource } = settings;
  const options = (what: string) => ({ ...resource, onDropped: onceNoted(what, note) });
  const traces = tracesTo === undefined ? undefined : createTraces({ ...tracesTo, ...options('Traces') });
  const sender =
    metricsTo === undefined ? undefined : createMetricsSender(metrics, { ...metricsTo, ...options('Metrics') });
  return {
    metrics,
    observers: [metrics, ...(traces === undefined ? [] : [traces])],
    close: async () => {
      await Promise.all([traces?.close(), sender?.close()]);
    },
  };
}

/** A collector that is away is told of once, and not each second. */
function onceNoted(what: string, note: (line: string) => void): (count: number, reason: unknown) => void {
  let isNoted = false;
  return (_, reason) => {
    if (isNoted) return;
    isNoted = true;
    note(`${what} cannot be sent: ${messageOf(reason)} Runs go on; this is said once.`);
  };
}
