/** `axle/otel`: traces and metrics of runs for OpenTelemetry, sent over OTLP/HTTP, in the GenAI conventions; log lines that are joined with them. */
export {
  type AxleMetricsSender,
  createMetricsSender,
  type MetricsSenderOptions,
} from './otel/create-metrics-sender.ts';
export { type AxleTraces, createTraces, type TracesOptions } from './otel/create-traces.ts';
export { type PinoLogger, pinoLog } from './otel/pino-log.ts';
export type { OtelResource } from './otel/otlp-json.ts';
export type { AttributeValue } from './otel/spans-of.ts';
