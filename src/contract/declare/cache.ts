/** The cache of a declaration: how long results are kept, for whom, and what tells them apart. */
import { type CacheScope, type CacheTerms, cacheScopes } from '../../call/cache-terms.ts';
import type { Effect } from '../../call/effect.ts';
import type { JsonValue } from '../../util/json.ts';
import { type Fields, invalid, oneOf, optionalDurationMs, part, texts } from './fields.ts';

/** How the results of a read are kept. */
export interface CacheDeclaration<In = never> {
  /** How old a result may be: milliseconds or a text such as `5m`; 1 ms to 24 h. */
  readonly ttl: number | string;
  /** What tells two calls apart: names of arguments, or a function of all. @defaultValue all arguments */
  readonly key?: readonly string[] | ((input: In) => unknown);
  /** Who may be given a result that somebody else asked for: the same run, the runs of the same session, or all. @defaultValue 'run' */
  readonly scope?: CacheScope;
}

/** What tells two calls apart, as code. */
export type CacheKey = readonly string[] | ((input: JsonValue) => unknown);

export interface CacheFacts {
  readonly terms: CacheTerms;
  readonly key?: CacheKey;
}

/** @throws AxleError `contract-invalid`; also for a tool that is no read. */
export function readCache(fields: Fields, effect: Effect): CacheFacts | undefined {
  if (fields.values['cache'] === undefined) return undefined;
  if (effect !== 'read') {
    throw invalid(
      fields,
      'cache',
      `left out for a ${effect}: only results of reads are kept, since a hit performs nothing`,
    );
  }
  const cache = part(fields, 'cache', ['ttl', 'key', 'scope']);
  const ttlMs = optionalDurationMs(cache, 'ttl', { fromMs: 1, toMs: 24 * 3_600_000 });
  if (ttlMs === undefined) throw invalid(cache, 'ttl', "milliseconds or a text such as '5m'");
  const terms = Object.freeze({ ttlMs, scope: oneOf(cache, 'scope', cacheScopes) ?? 'run' });
  const { key } = cache.values;
  if (key === undefined) return { terms };
  if (isKeyFunction(key)) return { terms, key };
  if (!Array.isArray(key)) throw invalid(cache, 'key', 'names of arguments, or a function');
  return { terms, key: texts(cache, 'key', 100) };
}

// A function's parameters leave no trace at run time; what it gives is made into JSON.
function isKeyFunction(value: unknown): value is (input: JsonValue) => unknown {
  return typeof value === 'function';
}
