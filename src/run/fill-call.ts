/**
 * The last step of binding for a contract that uses the context: arguments are filled from it, and what must be there is looked for.
 *
 * F1 A call whose needs are not there does not start: it is refused, with what is missing and which of the tools would bring it. (T15)
 * F2 What was filled in is checked by the contract's own schema, and stands in the call's entry with who brought it forth. (S8)
 * F3 An argument that is filled is never a model's: it is not shown, and is refused where it is written all the same. A program may write it.
 */
import { argsHashOf } from '../call/args-hash.ts';
import type { BoundCall } from '../call/call.ts';
import { failureOf } from '../call/failure.ts';
import type { Failure } from '../call/outcome.ts';
import type { FilledArgument } from '../call/publication.ts';
import { type Selector, selectorText } from '../call/selector.ts';
import { valueUnder } from '../contract/context/context-key.ts';
import type { Contract, MappedInput } from '../contract/contract.ts';
import { explainIssues } from '../contract/explain.ts';
import { pointerTo } from '../contract/pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { lookUp } from './data-bus.ts';
import type { RunCode } from './run-code.ts';
import type { RunState } from './state.ts';

export type Filling =
  | { readonly kind: 'filled'; readonly call: BoundCall }
  | { readonly kind: 'refused'; readonly failure: Failure };

interface Missing {
  readonly need: Selector;
  /** Why it is not there, when that is more than that nobody has brought it. */
  readonly reason?: string;
}

/** The call with what the context has for it, or why it does not start. Nearly every contract says nothing of the context. */
export function fillFromContext(
  state: RunState,
  contract: Contract,
  about: { readonly call: BoundCall; readonly code: RunCode },
): Filling {
  const usesContext = contract.inputs !== undefined || contract.requires !== undefined;
  return usesContext ? fillCall(state, contract, about) : { kind: 'filled', call: about.call };
}

function fillCall(
  state: RunState,
  contract: Contract,
  { call, code }: { readonly call: BoundCall; readonly code: RunCode },
): Filling {
  const missing: Missing[] = [];
  for (const need of contract.requires ?? []) {
    if (lookUp(state, need) === undefined) missing.push({ need });
  }
  const filled: FilledArgument[] = [];
  const input: Record<string, JsonValue> = { ...(isJsonObject(call.input) ? call.input : {}) };
  for (const mapped of contract.inputs ?? []) {
    if (Object.hasOwn(input, mapped.field)) {
      if (state.task?.kind === 'call') continue;
      return { kind: 'refused', failure: writtenByModel(contract, mapped) };
    }
    const found = valueFor(state, mapped);
    if (found.kind === 'found') {
      input[mapped.field] = found.value;
      filled.push({ path: pointerTo('', mapped.field), from: selectorText(mapped.from), by: found.by });
    } else if (mapped.isRequired || found.reason !== undefined) {
      missing.push({ need: mapped.from, ...(found.reason === undefined ? {} : { reason: found.reason }) });
    }
  }
  if (missing.length > 0) return { kind: 'refused', failure: lacking(state, contract, { missing, code }) };
  return filled.length === 0 ? { kind: 'filled', call } : checked(contract, call, { input, filled });
}

function checked(
  contract: Contract,
  call: BoundCall,
  { input, filled }: { readonly input: JsonObject; readonly filled: readonly FilledArgument[] },
): Filling {
  const result = contract.input.check(input);
  if (!result.ok) {
    const from = filled.map(({ path, from: selector }) => `${path.slice(1)} from ${selector}`).join(', ');
    const message = `${explainIssues(contract, input, result.issues)} Filled in: ${from}.`;
    return { kind: 'refused', failure: failureOf('arguments-invalid', message, { evidence: 'none' }) };
  }
  const { name, version } = contract;
  const argsHash = argsHashOf({ tool: name, toolVersion: version, input: result.value });
  return { kind: 'filled', call: { ...call, input: result.value, argsHash, filled } };
}

type Value =
  | { readonly kind: 'found'; readonly value: JsonValue; readonly by: string }
  | { readonly kind: 'absent'; readonly reason?: string };

function valueFor(state: RunState, { from, key }: MappedInput): Value {
  const found = lookUp(state, from);
  if (found === undefined) {
    const isFull = from.kind === 'key' && state.bus?.full.includes(from.key) === true;
    return isFull
      ? { kind: 'absent', reason: 'its value is larger than the context of a run takes' }
      : { kind: 'absent' };
  }
  if (key === undefined || found.version === undefined) return { kind: 'found', value: found.value, by: found.by };
  const wanted = valueUnder(key, { value: found.value, version: found.version });
  return wanted.ok ? { kind: 'found', value: wanted.value, by: found.by } : { kind: 'absent', reason: wanted.reason };
}

function writtenByModel({ name }: Contract, { field, from }: MappedInput): Failure {
  const message = `${name} was not run: ${field} is filled in from ${selectorText(from)}. Send the call again without it.`;
  return failureOf('arguments-invalid', message, { evidence: 'none' });
}

function lacking(
  state: RunState,
  { name }: Contract,
  { missing, code }: { readonly missing: readonly Missing[]; readonly code: RunCode },
): Failure {
  const needs = missing.map(({ need, reason }) => {
    const providers = providersOf(need, code);
    return { need: selectorText(need), providers, ...(reason === undefined ? {} : { reason }) };
  });
  const isFull = missing.every(({ need }) => need.kind === 'key' && state.bus?.full.includes(need.key) === true);
  const said = needs.map(({ need, providers, reason }) => {
    if (reason !== undefined) return `${need}: ${reason}`;
    return providers.length === 0
      ? `${need}, which none of your tools brings`
      : `${need}, which ${providers.join(' or ')} brings`;
  });
  const message = `${name} was not run: it needs ${said.join('; ')}.`;
  const errorCode = isFull ? 'context-full' : 'requirements-missing';
  return failureOf(errorCode, message, { evidence: 'none', details: { missing: needs } });
}

/** The tools that would bring it. */
function providersOf(need: Selector, code: RunCode): readonly string[] {
  if (need.kind !== 'key') return code.granted.has(need.tool) ? [need.tool] : [];
  return [...code.granted.values()]
    .filter(({ publishes }) => publishes?.some(({ key }) => key === need.key) === true)
    .map((contract) => contract.name)
    .slice(0, 5);
}
