/** Checks what programs without types may hand in, before anything is opened or accepted. */
import {
  type Fields,
  invalid,
  oneOf,
  optionalNumber,
  optionalText,
  refuseUnknown,
} from '../contract/declare/fields.ts';
import { isContextKey } from '../contract/context/context-key.ts';
import { checkUpstreamName, readUpstreamSettings } from '../contract/declare/limits.ts';
import type { DeclaredSettings } from '../contract/upstream-settings.ts';
import { AxleError } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';
import type { AxleOptions } from './options.ts';
import type { StartOptions } from './start-run.ts';

const optionNames = [
  'store',
  'tools',
  'agents',
  'models',
  'role',
  'durability',
  'maxActiveRuns',
  'upstreams',
  'createUpstreams',
  'policy',
  'cache',
  'log',
  'onLive',
  'observers',
  'context',
  'aliases',
  'sandboxes',
  'ports',
];

/** The named upstreams of the options. @throws AxleError `configuration-invalid` */
export function readUpstreams(options: Pick<AxleOptions, 'upstreams'>): Readonly<Record<string, DeclaredSettings>> {
  const { upstreams = {} } = options;
  if (!isRecord(upstreams)) {
    throw new AxleError('configuration-invalid', 'createAxle: upstreams must be an object of upstreams by name.');
  }
  const fields: Fields = { owner: 'createAxle, upstreams', values: upstreams, code: 'configuration-invalid' };
  return Object.fromEntries(
    Object.keys(upstreams).map((name) => {
      checkUpstreamName(fields, name, name);
      return [name, readUpstreamSettings(fields, name)];
    }),
  );
}

/** @throws AxleError `configuration-invalid`, `contract-field-not-enforced` */
export function assertOptions(options: AxleOptions): void {
  const values: unknown = options;
  if (!isRecord(values)) {
    throw new AxleError('configuration-invalid', 'createAxle takes an object with at least a store.');
  }
  const fields: Fields = { owner: 'createAxle', values, code: 'configuration-invalid' };
  refuseUnknown(fields, optionNames);
  if (typeof values['policy'] === 'string') {
    throw new AxleError(
      'contract-field-not-enforced',
      'Policy files are not enforced yet; pass a function, or leave policy out.',
    );
  }
  for (const name of ['policy', 'log', 'onLive']) {
    if (values[name] !== undefined && typeof values[name] !== 'function') throw invalid(fields, name, 'a function');
  }
  assertStore(fields);
  assertCache(fields);
  assertList(fields, 'tools', { isOne: isTool, wanted: 'what tool() gives back, or tool sources such as mcp()' });
  assertList(fields, 'agents', { isOne: isAgent, wanted: 'what agent() gives back' });
  assertList(fields, 'observers', { isOne: isObserver, wanted: 'observers such as createMetrics()' });
  assertList(fields, 'context', { isOne: isContextKey, wanted: 'what contextKey() gives back' });
  assertList(fields, 'sandboxes', { isOne: isSandboxDriver, wanted: 'sandbox drivers such as bubblewrap()' });
  oneOf(fields, 'durability', ['effects', 'strict']);
  optionalNumber(fields, 'maxActiveRuns', { from: 1, to: 100_000, whole: true });
}

function assertStore(fields: Fields): void {
  const { store } = fields.values;
  const role = oneOf(fields, 'role', ['driver', 'client', 'auto']);
  if (typeof store === 'string' && store !== '') {
    if (store === ':memory:' && role === 'client') {
      throw invalid(fields, 'role', 'left out: a store in memory has one process');
    }
    return;
  }
  if (!isRecord(store) || typeof store['append'] !== 'function') {
    throw invalid(fields, 'store', "a path, ':memory:', or a store");
  }
  if (role !== undefined) throw invalid(fields, 'role', 'left out beside a store object, which was opened in its role');
}

function assertCache(fields: Fields): void {
  const { cache } = fields.values;
  if (cache === undefined) return;
  const isCache = isRecord(cache) && ['get', 'put', 'clear'].every((name) => typeof cache[name] === 'function');
  if (!isCache) throw invalid(fields, 'cache', 'an object with get, put and clear');
}

interface Wanted {
  readonly isOne: (item: Readonly<Record<string, unknown>>) => boolean;
  readonly wanted: string;
}

function assertList(fields: Fields, name: string, { isOne, wanted }: Wanted): void {
  const list = fields.values[name];
  if (list === undefined) return;
  if (!Array.isArray(list)) throw invalid(fields, name, `a list of ${wanted}`);
  for (const [index, item] of list.entries()) {
    if (isRecord(item) && isOne(item)) continue;
    throw new AxleError('configuration-invalid', `createAxle: ${name}[${index}] is not ${wanted}.`, {
      details: { field: name },
    });
  }
}

function isTool(item: Readonly<Record<string, unknown>>): boolean {
  return typeof item['connect'] === 'function' || isRecord(item['pin']);
}

function isSandboxDriver(item: Readonly<Record<string, unknown>>): boolean {
  return typeof item['id'] === 'string' && typeof item['probe'] === 'function' && typeof item['run'] === 'function';
}

function isAgent(item: Readonly<Record<string, unknown>>): boolean {
  return isRecord(item['limits']) && Array.isArray(item['tools']) && isRecord(item['model']);
}

/** @throws AxleError `usage-invalid`: a misspelt key would be lost without a word. */
export function assertStartOptions(what: string, options: StartOptions, known: readonly string[] = []): void {
  const values: unknown = options;
  if (!isRecord(values)) throw new AxleError('usage-invalid', `${what} takes an object with its options.`);
  const fields: Fields = { owner: what, values, code: 'usage-invalid' };
  refuseUnknown(fields, ['key', 'session', 'context', ...known]);
  for (const name of ['key', 'session']) optionalText(fields, name);
}

function isObserver(item: Readonly<Record<string, unknown>>): boolean {
  return typeof item['observe'] === 'function';
}
