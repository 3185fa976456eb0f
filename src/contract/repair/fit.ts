/**
 * Makes arguments fit their schema where there is exactly one way to.
 *
 * F1 The walk only proposes: what it gives back is checked against the schema again, and refused when it does not fit.
 * F2 What the schema admits is not touched: a text that looks like a number stays a text where a text is admitted.
 * F3 Each change is in the log, with the path that the model's own text has.
 */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { pointerMembers, pointerTo } from '../pointer.ts';
import { fitKeys, keyRulesOf } from './fit-keys.ts';
import { contradicts, type Fitted, fitListed, fitNumber, fitText } from './fit-value.ts';
import type { OddNumber } from './lenient-number.ts';
import type { RepairLog } from './repair-log.ts';
import { ownMember, schemasOf, SchemaView } from '../schema/schema-view.ts';

export interface FittedArguments {
  readonly value: JsonValue;
  /** Numbers that could not be taken as they were written, by path. With one of them the arguments can't be used. */
  readonly unsettled: ReadonlyMap<string, OddNumber>;
}

/** Proposes arguments that fit. */
export function fitArguments(
  value: JsonObject,
  schema: JsonObject,
  reading: { readonly oddNumbers: ReadonlyMap<string, OddNumber>; readonly log: RepairLog },
): FittedArguments {
  const fitter = new Fitter(new SchemaView(schema), reading.log, reading.oddNumbers);
  const fitted = fitter.fit(value, schema, '');
  return { value: fitted, unsettled: fitter.unsettled };
}

/** Schemas inside each other that are followed for one value: members, items and alternatives together. */
const maxSteps = 300;

class Fitter {
  readonly unsettled: Map<string, OddNumber>;
  readonly #view: SchemaView;
  readonly #log: RepairLog;
  readonly #spelled: ReadonlyMap<string, OddNumber>;
  #depth = 0;

  constructor(view: SchemaView, log: RepairLog, oddNumbers: ReadonlyMap<string, OddNumber>) {
    this.#view = view;
    this.#log = log;
    this.#spelled = oddNumbers;
    this.unsettled = new Map([...oddNumbers].filter(([, odd]) => odd.kind !== 'spelled'));
  }

  fit(value: JsonValue, schema: JsonValue | undefined, path: string): JsonValue {
    // A schema may lead back to itself without going deeper into the value.
    if (this.#depth >= maxSteps || this.#log.full) return value;
    this.#depth += 1;
    const fitted = this.#fitAll(value, schema, path);
    this.#depth -= 1;
    return fitted;
  }

  #fitAll(value: JsonValue, schema: JsonValue | undefined, path: string): JsonValue {
    const resolved = this.#view.resolve(schema);
    if (resolved === undefined) return this.#settle(value, undefined, path);
    let fitted = this.#settle(value, resolved, path);
    for (const part of schemasOf(resolved['allOf'])) fitted = this.fit(fitted, part, path);
    const branch = this.#branchFor(fitted, [...schemasOf(resolved['anyOf']), ...schemasOf(resolved['oneOf'])]);
    if (branch !== undefined) fitted = this.fit(fitted, branch, path);
    fitted = this.#fitSelf(fitted, resolved, path);
    if (isJsonObject(fitted)) return this.#fitMembers(fitted, resolved, path);
    return isJsonArray(fitted) ? this.#fitItems(fitted, resolved, path) : fitted;
  }

  /** A number that stands as its text until now: a text where only a text fits; else it stays unsettled. */
  #settle(value: JsonValue, schema: JsonObject | undefined, path: string): JsonValue {
    const odd = this.unsettled.get(path);
    if (odd === undefined || value !== odd.text) return value;
    const admitted = this.#view.admits(schema);
    if (admitted.has('string') && !admitted.has('integer') && !isTime(schema)) {
      this.unsettled.delete(path);
      this.#log.add('number-to-string', path, { before: odd.text, after: odd.text });
      return odd.text;
    }
    if (odd.kind !== 'leading-zero' || !admitted.has('integer') || !this.#log.permits('leading-zero')) return value;
    this.unsettled.delete(path);
    this.#log.add('leading-zero', path, { before: odd.text, after: Number(odd.text) });
    return Number(odd.text);
  }

  #fitSelf(value: JsonValue, schema: JsonObject, path: string): JsonValue {
    // Text that stands for an unsettled number is nobody's text.
    if (this.unsettled.has(path)) return value;
    const admitted = this.#view.admits(schema);
    let fitted = value;
    if (typeof fitted === 'string') fitted = this.#apply(fitText(fitted, admitted, parameterAt(path)), fitted, path);
    // A number that stands for a time has a unit and a beginning that its digits do not say.
    if (typeof fitted === 'number' && !isTime(schema)) {
      fitted = this.#apply(fitNumber(fitted, this.#spelled.get(path), admitted), fitted, path);
    }
    if (typeof fitted === 'string') fitted = this.#apply(fitListed(fitted, schema), fitted, path);
    return fitted;
  }

  #apply(fitted: Fitted | undefined, value: JsonValue, path: string): JsonValue {
    if (fitted === undefined || !this.#log.permits(fitted.rule)) return value;
    this.#log.add(fitted.rule, path, { before: value, after: fitted.value });
    return fitted.value;
  }

  /** The one alternative that the value can be meant for. */
  #branchFor(value: JsonValue, branches: readonly JsonValue[]): JsonObject | undefined {
    const open = branches.flatMap((branch) => {
      const resolved = this.#view.resolve(branch);
      if (resolved === undefined) return [];
      const admitted = this.#view.admits(resolved);
      if (admitted.size === 1 && admitted.has('null')) return [];
      if (isJsonObject(value) && (!admitted.has('object') || contradicts(value, resolved))) return [];
      return [resolved];
    });
    return open.length === 1 ? open[0] : undefined;
  }

  #fitMembers(object: JsonObject, schema: JsonObject, path: string): JsonObject {
    const rules = keyRulesOf(schema);
    const rest = schema['additionalProperties'];
    const fitted: Record<string, JsonValue> = {};
    for (const member of fitKeys(object, { rules, view: this.#view, log: this.#log, path })) {
      const declared = ownMember(rules.declared, member.key);
      fitted[member.key] = this.fit(
        member.value,
        declared ?? (rules.patterns.length === 0 ? rest : undefined),
        member.path,
      );
    }
    return fitted;
  }

  #fitItems(items: readonly JsonValue[], schema: JsonObject, path: string): JsonValue {
    const first = schema['prefixItems'] ?? (isJsonArray(schema['items']) ? schema['items'] : undefined);
    const rest = isJsonArray(schema['items']) ? schema['additionalItems'] : schema['items'];
    return items.map((item, index) =>
      this.fit(item, (isJsonArray(first) ? first[index] : undefined) ?? rest, pointerTo(path, index)),
    );
  }
}

/** The name of the parameter that stands at a path or holds the item that does. */
function parameterAt(path: string): string {
  return pointerMembers(path).findLast((member) => !/^\d+$/.test(member)) ?? '';
}

function isTime(schema: JsonObject | undefined): boolean {
  const format = schema?.['format'];
  return format === 'date' || format === 'date-time' || format === 'time';
}
