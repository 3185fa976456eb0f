/** What a declaration says in plain data: name, effect, risk, limits, and the terms of its calls. */
import type { CallTerms } from '../../call/call.ts';
import { effects, risks } from '../../call/effect.ts';
import { toolOfUndo, undoName } from '../../call/undo.ts';
import { readCache } from './cache.ts';
import { chainTerms } from './fallback.ts';
import {
  type Fields,
  flag,
  invalid,
  oneOf,
  optionalDurationMs,
  optionalNumber,
  optionalText,
  part,
  requiredText,
  texts,
} from './fields.ts';
import { readUpstream } from './limits.ts';
import { readLocks } from './locks.ts';
import type { Contract } from '../contract.ts';
import { defined } from '../../util/defined.ts';

const legalName = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_./:@+~$# -]*[\p{L}\p{M}\p{N}_./:@+~$#-])?$/u;
const maxNameLength = 256;
const dayMs = 24 * 3_600_000;
const authorizations = ['ask', 'fail'] as const;

/** Everything of a contract that is plain data, apart from its schemas and examples. */
export type Facts = Omit<
  Contract,
  | 'examples'
  | 'input'
  | 'output'
  | 'pin'
  | 'declaration'
  | 'migrations'
  | 'execute'
  | 'verify'
  | 'fallback'
  | 'undo'
  | 'publishes'
  | 'inputs'
  | 'requires'
  | 'program'
  | 'sandbox'
>;

/** What the code of a tool says about its calls: whether it brings a `verify`, who stands in for it, and what the sandbox of its program must hold back. */
export interface CodeFacts {
  readonly canVerify: boolean;
  readonly fallback: Contract['fallback'];
  readonly sandbox: CallTerms['sandbox'];
}

/** Reads and checks all of them. */
export function readFacts(fields: Fields, { canVerify, fallback, sandbox }: CodeFacts): Facts {
  const name = requiredText(fields, 'name');
  if (!legalName.test(name) || name.length > maxNameLength) {
    throw invalid(
      fields,
      'name',
      `1 to ${maxNameLength} letters, digits, inner spaces or _-./:@+~$#, beginning with a letter, a digit or _`,
    );
  }
  if (toolOfUndo(name) !== name) {
    throw invalid(fields, 'name', `one that does not end in ${undoName('')}, which names undos`);
  }
  const effect = oneOf(fields, 'effect', effects) ?? 'write';
  const risk = oneOf(fields, 'risk', risks) ?? (effect === 'read' ? 'low' : 'medium');
  const irreversible = flag(fields, 'irreversible');
  if (irreversible && effect === 'read') {
    throw invalid(fields, 'irreversible', 'false for a read, which changes nothing');
  }
  const whenToUse = optionalText(fields, 'whenToUse');
  const limitations = optionalText(fields, 'limitations');
  const category = optionalText(fields, 'category');
  const expectedDurationMs = optionalDurationMs(fields, 'expectedDuration', { fromMs: 0, toMs: dayMs });
  const cost = readCost(fields);
  const cache = readCache(fields, effect);
  const limits = readUpstream(fields, name);
  const upstream = limits?.upstream;
  // Failing is what absence means, so it is not written down.
  const authorization = oneOf(fields, 'authorization', authorizations) === 'ask' ? ('ask' as const) : undefined;
  const code = defined({
    fallback: chainTerms(fallback),
    cache: cache?.terms,
    sandbox,
    upstream,
    authorization,
    locks: readLocks(fields, effect),
  });
  const terms = readTerms(fields, { effect, risk, irreversible, canVerify, ...code });
  return {
    name,
    version: optionalNumber(fields, 'version', { from: 1, to: 1_000_000, whole: true }) ?? 1,
    description: requiredText(fields, 'description'),
    ...defined({ whenToUse, limitations, category, expectedDurationMs, cost, cacheKey: cache?.key, limits }),
    tags: texts(fields, 'tags', 50),
    effect,
    risk,
    irreversible,
    terms,
  };
}

/** What the machine needs of a contract. */
export function readTerms(
  fields: Fields,
  known: Pick<
    CallTerms,
    | 'effect'
    | 'risk'
    | 'irreversible'
    | 'canVerify'
    | 'fallback'
    | 'cache'
    | 'sandbox'
    | 'upstream'
    | 'authorization'
    | 'locks'
  >,
): CallTerms {
  const retry = part(fields, 'retry', ['attempts', 'baseMs', 'capMs']);
  const backoffBaseMs = optionalNumber(retry, 'baseMs', { from: 0, to: 3_600_000 }) ?? 1000;
  const backoffCapMs = optionalNumber(retry, 'capMs', { from: 0, to: dayMs }) ?? Math.max(10_000, backoffBaseMs);
  if (backoffCapMs < backoffBaseMs) throw invalid(retry, 'capMs', `at least baseMs, which is ${backoffBaseMs}`);
  const parallel = flag(fields, 'parallel');
  if (parallel && known.effect !== 'idempotent') {
    throw invalid(fields, 'parallel', `left out for a ${known.effect}: reads always overlap, and writes never do`);
  }
  if (fields.values['settle'] !== undefined && !known.canVerify) {
    throw invalid(fields, 'settle', 'left out where there is no verify');
  }
  return Object.freeze({
    ...known,
    maxAttempts: optionalNumber(retry, 'attempts', { from: 1, to: 20, whole: true }) ?? 4,
    backoffBaseMs,
    backoffCapMs,
    timeoutMs: optionalDurationMs(fields, 'timeout', { fromMs: 1, toMs: dayMs }) ?? 10_000,
    settleMs: optionalDurationMs(fields, 'settle', { fromMs: 0, toMs: dayMs }) ?? 0,
    parallel,
    ...defined({ maxInvalidCalls: optionalNumber(fields, 'maxInvalidCalls', { from: 1, to: 20, whole: true }) }),
  });
}

function readCost(fields: Fields): { readonly usd: number } | undefined {
  if (fields.values['cost'] === undefined) return undefined;
  const cost = part(fields, 'cost', ['usd']);
  const usd = optionalNumber(cost, 'usd', { from: 0, to: 1_000_000 });
  if (usd === undefined) throw invalid(cost, 'usd', 'a number from 0 to 1000000');
  return Object.freeze({ usd });
}
