/** What a declaration says in plain data: name, effect, risk, limits, and the terms of its calls. */
import type { CallTerms } from '../../call/call.ts';
import { effects, risks } from '../../call/effect.ts';
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
import type { Contract } from '../contract.ts';
import { defined } from '../../util/defined.ts';

const dayMs = 24 * 3_600_000;

/** Everything of a contract that is plain data, apart from its schemas and examples. */
export type Facts = Omit<Contract, 'examples' | 'input' | 'output' | 'pin' | 'execute' | 'verify'>;

/** Reads and checks all of them. `canVerify` says whether the tool brings a `verify`. */
export function readFacts(fields: Fields, canVerify: boolean): Facts {
  const name = requiredText(fields, 'name');
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(name)) {
    throw invalid(fields, 'name', '1 to 128 letters, digits, _, - or ., beginning with no . or -');
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
  const terms = readTerms(fields, { effect, risk, irreversible, canVerify });
  return {
    name,
    version: optionalNumber(fields, 'version', { from: 1, to: 1_000_000, whole: true }) ?? 1,
    description: requiredText(fields, 'description'),
    ...defined({ whenToUse, limitations, category, expectedDurationMs, cost }),
    tags: texts(fields, 'tags', 50),
    effect,
    risk,
    irreversible,
    terms,
  };
}

function readTerms(
  fields: Fields,
  known: Pick<CallTerms, 'effect' | 'risk' | 'irreversible' | 'canVerify'>,
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
  });
}

function readCost(fields: Fields): { readonly usd: number } | undefined {
  if (fields.values['cost'] === undefined) return undefined;
  const cost = part(fields, 'cost', ['usd']);
  const usd = optionalNumber(cost, 'usd', { from: 0, to: 1_000_000 });
  if (usd === undefined) throw invalid(cost, 'usd', 'a number from 0 to 1000000');
  return Object.freeze({ usd });
}
