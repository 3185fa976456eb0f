/** `locks` of a declaration, as it is written and read. */
import type { Effect } from '../../call/effect.ts';
import { type LockMode, lockModes, type LockTerms } from '../../call/lock-terms.ts';
import { isJsonObject, isRecord, type JsonObject } from '../../util/json.ts';
import { argumentsIn, maxLockNameLength } from '../lock-names.ts';
import { type Fields, flag, invalid, oneOf, optionalDurationMs, refuseUnknown, requiredText } from './fields.ts';

/** A lock that each attempt of a call takes before it begins, and gives back when it has ended. */
export interface LockDeclaration {
  /** At most 200 characters; `{orderId}` stands for an argument, `{/order/id}` for a place in the input. */
  readonly name: string;
  /** `shared` for calls that may overlap with each other, and not with an exclusive one. @defaultValue 'exclusive' */
  readonly mode?: LockMode;
  /** How long a call may wait, 0 to 1 h. Beyond it: `lock-wait-too-long`. @defaultValue '1m' */
  readonly maxWait?: number | string;
  /** True when a call in doubt keeps the lock until the doubt is settled, over restarts too. Exclusive locks of writes only. @defaultValue false */
  readonly keepInDoubt?: boolean;
}

/** Of one contract. */
const maxLocks = 8;
const defaultMaxWaitMs = 60_000;
const hourMs = 3_600_000;
const lockText = /^(?:[^{}\p{C}]|\{[^{}\p{C}]+\})+$/u;

/** @throws AxleError `contract-invalid` */
export function readLocks(fields: Fields, effect: Effect): readonly LockTerms[] | undefined {
  const { locks } = fields.values;
  if (locks === undefined) return undefined;
  if (!Array.isArray(locks) || locks.length > maxLocks) {
    throw invalid(fields, 'locks', `a list of at most ${maxLocks} names or objects, such as ['order:{orderId}']`);
  }
  return locks.length === 0
    ? undefined
    : Object.freeze(locks.map((said: unknown, index) => readLock(fields, said, { index, effect })));
}

function readLock(
  fields: Fields,
  said: unknown,
  { index, effect }: { readonly index: number; readonly effect: Effect },
): LockTerms {
  const values = typeof said === 'string' ? { name: said } : said;
  if (!isRecord(values)) throw invalid(fields, 'locks', 'a list of names, or of objects with a name');
  const own: Fields = { ...fields, owner: `${fields.owner}, locks[${index}]`, values };
  refuseUnknown(own, ['name', 'mode', 'maxWait', 'keepInDoubt']);
  const name = requiredText(own, 'name');
  if (!lockText.test(name) || name.length > maxLockNameLength) {
    throw invalid(
      own,
      'name',
      `at most ${maxLockNameLength} characters with arguments in braces, such as 'order:{orderId}'`,
    );
  }
  const mode = oneOf(own, 'mode', lockModes) ?? 'exclusive';
  const keepsInDoubt = flag(own, 'keepInDoubt');
  if (keepsInDoubt && (effect !== 'write' || mode === 'shared')) {
    throw invalid(own, 'keepInDoubt', 'left out but for exclusive locks of a write: nothing else is ever in doubt');
  }
  return Object.freeze({
    name,
    mode,
    maxWaitMs: optionalDurationMs(own, 'maxWait', { fromMs: 0, toMs: hourMs }) ?? defaultMaxWaitMs,
    ...(keepsInDoubt ? { keptInDoubt: true as const } : {}),
  });
}

/** A name that is made from an argument needs the argument. @throws AxleError `contract-invalid` */
export function checkLockNames(fields: Fields, locks: readonly LockTerms[], input: JsonObject): void {
  const properties = isJsonObject(input['properties']) ? input['properties'] : {};
  const required: unknown = input['required'];
  for (const { name } of locks) {
    for (const argument of argumentsIn(name)) {
      if (Object.hasOwn(properties, argument) && Array.isArray(required) && required.includes(argument)) continue;
      throw invalid(fields, 'locks', `made from required arguments, and ${argument} of ${name} is none`);
    }
  }
}
