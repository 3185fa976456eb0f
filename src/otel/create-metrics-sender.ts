/**
 * Sends what metrics have counted to a collector, over OTLP/HTTP in JSON, every now and then.
 *
 *   resting ──(the interval is over, or flush)──► reading ──► sending ──► resting
 *                                                                ├─ refused for good, or three times in vain: its points are given up and counted
 *                                                                └─ what came meanwhile is in the next reading, since counters are cumulative
 *
 * One reading is under way at a time, and none is kept: nothing grows while the collector is away, and nothing that was counted is lost when it is back.
 */
import { optionalNumber } from '../contract/declare/fields.ts';
import type { AxleMetrics } from '../metrics/create-metrics.ts';
import { Collector } from './collector.ts';
import { instanceId } from './instance-id.ts';
import { Losses, type OnDropped } from './losses.ts';
import { metricsRequest, type OtlpMetric, otlpMetrics } from './metrics-json.ts';
import type { OtelResource } from './otlp-json.ts';

export interface MetricsSenderOptions extends OtelResource {
  /** Where the collector takes metrics. @defaultValue `http://127.0.0.1:4318/v1/metrics` */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds between two requests, 10 to 3,600,000. @defaultValue 60,000 */
  readonly sendEveryMs?: number;
  /** Told when points could not be sent, with how many. @defaultValue nobody */
  readonly onDropped?: OnDropped;
}

export interface AxleMetricsSender {
  /** Points that were given up. What they counted is in those that come later. */
  readonly dropped: number;
  /** Resolves when where everything stands now is sent or given up. */
  flush(): Promise<void>;
  /** Sends counters and histograms once more, without gauges, within 5 s, and nothing is sent by itself afterwards. */
  close(): Promise<void>;
}

/** Points of one request. */
const batchPoints = 2_000;
const closeWithinMs = 5_000;

/**
 * Sends what `createMetrics` counts, under the names of the GenAI conventions where they have one.
 * @throws AxleError `configuration-invalid`
 * @example
 * ```ts
 * const metrics = createMetrics();
 * const sender = createMetricsSender(metrics, { url: 'http://127.0.0.1:4318/v1/metrics', serviceName: 'shop' });
 * const axle = await createAxle({ store: 'axle.db', observers: [metrics] });
 * // At the end:
 * await axle.close();
 * await sender.close();
 * ```
 */
export function createMetricsSender(
  metrics: Pick<AxleMetrics, 'read'>,
  options: MetricsSenderOptions = {},
): AxleMetricsSender {
  const sender = new MetricsSender(metrics, options);
  return {
    get dropped() {
      return sender.dropped;
    },
    flush: () => sender.flush(),
    close: () => sender.close(),
  };
}

class MetricsSender {
  readonly #metrics: Pick<AxleMetrics, 'read'>;
  readonly #losses: Losses;
  readonly #resource: OtelResource;
  readonly #collector: Collector;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> = Promise.resolve();
  #isSending = false;

  constructor(metrics: Pick<AxleMetrics, 'read'>, options: MetricsSenderOptions) {
    const fields = { owner: 'createMetricsSender', values: { ...options }, code: 'configuration-invalid' } as const;
    const sendEveryMs = optionalNumber(fields, 'sendEveryMs', { from: 10, to: 3_600_000 }) ?? 60_000;
    const { url = 'http://127.0.0.1:4318/v1/metrics', attributes } = options;
    this.#metrics = metrics;
    this.#losses = new Losses(options.onDropped);
    this.#resource = { ...options, attributes: { ...instanceId(), ...attributes } };
    this.#collector = new Collector({ ...options, url });
    this.#timer = setInterval(() => {
      if (!this.#isSending) void this.flush();
    }, sendEveryMs);
    this.#timer.unref();
  }

  get dropped(): number {
    return this.#losses.count;
  }

  flush(): Promise<void> {
    return this.#send({ gauges: true });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const stop = this.#collector.endWithin(closeWithinMs);
    await this.#send({ gauges: false });
    stop();
  }

  #send(read: { readonly gauges: boolean }): Promise<void> {
    this.#sending = this.#sending.then(async () => {
      this.#isSending = true;
      const metrics = otlpMetrics(await this.#metrics.read(read), Date.now());
      for (const batch of batchesOf(metrics)) await this.#sendBatch(batch);
      this.#isSending = false;
    });
    return this.#sending;
  }

  async #sendBatch(batch: readonly OtlpMetric[]): Promise<void> {
    try {
      const body = Buffer.from(JSON.stringify(metricsRequest(batch, this.#resource)));
      const refused = await this.#collector.send(body, 'rejectedDataPoints');
      this.#losses.addRefused(refused);
    } catch (error) {
      this.#losses.add(
        batch.reduce((sum, { points }) => sum + points, 0),
        error,
      );
    }
  }
}

/** A metric is not cut: it has 2,001 points at most. */
function batchesOf(metrics: readonly OtlpMetric[]): readonly (readonly OtlpMetric[])[] {
  const batches: OtlpMetric[][] = [];
  let room = 0;
  for (const metric of metrics) {
    if (metric.points > room) {
      batches.push([]);
      room = batchPoints;
    }
    batches.at(-1)?.push(metric);
    room -= metric.points;
  }
  return batches;
}
