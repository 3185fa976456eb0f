/** `axle/metrics`: counters, gauges and histograms of runs, as text for Prometheus. */
export { type AxleMetrics, createMetrics, metricsContentType, type MetricsOptions } from './metrics/create-metrics.ts';
