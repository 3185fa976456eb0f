/** How metrics are declared in the tables; the name is the key there. */
import type { MetricDeclaration } from './registry.ts';

export type Declared = Omit<MetricDeclaration, 'name'>;

export function counter(help: string, ...labels: readonly string[]): Declared {
  return { type: 'counter', help, labels };
}

export function gauge(help: string, ...labels: readonly string[]): Declared {
  return { type: 'gauge', help, labels };
}

/** `buckets` are their upper bounds, ascending. */
export function histogram(help: string, buckets: readonly number[], ...labels: readonly string[]): Declared {
  return { type: 'histogram', help, labels, buckets };
}
