/** What the environment says of where telemetry goes, in the variables that OpenTelemetry defines for every program. Pure. */
import { AxleError } from '../../error/axle-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where one kind of telemetry goes. */
export interface Destination {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds between two requests, where the environment says. */
  readonly sendEveryMs?: number;
}

export interface OtelSettings {
  readonly traces?: Destination;
  readonly metrics?: Destination;
  readonly serviceName: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** We speak JSON; a collector takes it where it takes protobuf over HTTP. */
const protocols: ReadonlySet<string> = new Set(['http/json', 'http/protobuf']);

/**
 * Undefined when nothing is to be sent: no endpoint is named, or `OTEL_SDK_DISABLED` says so.
 * @throws AxleError `configuration-invalid` for an address that is none, a list that cannot be read, or a protocol that is not spoken here
 */
export function otelSettings(environment: Environment): OtelSettings | undefined {
  if (valueOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const traces = destination(environment, {
    signal: 'TRACES',
    every: 'OTEL_BSP_SCHEDULE_DELAY',
    bounds: [10, 600_000],
  });
  const metrics = destination(environment, {
    signal: 'METRICS',
    every: 'OTEL_METRIC_EXPORT_INTERVAL',
    bounds: [10, 3_600_000],
  });
  if (traces === undefined && metrics === undefined) return undefined;
  const { 'service.name': named, ...attributes } = pairs(environment, 'OTEL_RESOURCE_ATTRIBUTES');
  return {
    ...(traces === undefined ? {} : { traces }),
    ...(metrics === undefined ? {} : { metrics }),
    serviceName: valueOf(environment, 'OTEL_SERVICE_NAME') ?? named ?? 'axle',
    attributes,
  };
}

interface Signal {
  readonly signal: 'TRACES' | 'METRICS';
  /** The variable with the interval, and what it may be. */
  readonly every: string;
  readonly bounds: readonly [from: number, to: number];
}

function destination(environment: Environment, { signal, every, bounds }: Signal): Destination | undefined {
  if (valueOf(environment, `OTEL_${signal}_EXPORTER`) === 'none') return undefined;
  const own = valueOf(environment, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const base = valueOf(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const name = own === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  // The address of one kind is taken as it is; to that of all its path is added.
  const url = own ?? (base === undefined ? undefined : `${base.replace(/\/+$/u, '')}/v1/${signal.toLowerCase()}`);
  if (url === undefined) return undefined;
  if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) {
    throw invalid(`${name} is no address that begins with http:// or https://: ${url}`);
  }
  const protocol =
    valueOf(environment, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ??
    valueOf(environment, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== undefined && !protocols.has(protocol)) {
    throw invalid(`OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, and what is sent here is http/json.`);
  }
  const interval = valueOf(environment, every);
  const sendEveryMs = Number(interval);
  if (interval !== undefined && !(sendEveryMs >= bounds[0] && sendEveryMs <= bounds[1])) {
    throw invalid(`${every} is a number of milliseconds from ${bounds.join(' to ')}, and not ${interval}.`);
  }
  const headers = {
    ...pairs(environment, 'OTEL_EXPORTER_OTLP_HEADERS'),
    ...pairs(environment, `OTEL_EXPORTER_OTLP_${signal}_HEADERS`),
  };
  return { url, headers, ...(interval === undefined ? {} : { sendEveryMs }) };
}

/** A list such as `key=value,other=value`, its values written as in an address. What is wrong in it may be a secret and is not repeated. */
function pairs(environment: Environment, name: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const item of (valueOf(environment, name) ?? '').split(',')) {
    if (item.trim() === '') continue;
    const at = item.indexOf('=');
    const key = item.slice(0, at).trim();
    try {
      if (at < 1 || key === '' || key === '__proto__') throw new Error('no name');
      found[key] = decodeURIComponent(item.slice(at + 1).trim());
    } catch (cause) {
      throw invalid(`${name} is a list such as name=value,other=value, and one of its items is not.`, cause);
    }
  }
  return found;
}

/** An empty variable is one that is not set. */
function valueOf(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}

function invalid(message: string, cause?: unknown): AxleError {
  return new AxleError('configuration-invalid', message, {
    ...(cause === undefined ? {} : { cause }),
    remedy: 'Correct the variable, or set OTEL_SDK_DISABLED=true to send nothing.',
  });
}
