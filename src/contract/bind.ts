/**
 * Binds an intent to a contract: the step from what a model wrote to a call that can be decided about.
 *
 * B1 A call that leaves here has input that its contract's schema admits.
 * B2 Arguments that were cut off, or can be read in two ways, become no call, for any tool.
 * B3 Every difference between what the model wrote and the call's input is a repair of the call, or was made by the contract's own schema.
 * B4 A refusal is a value, with one message from which the model can do better.
 */
import { argsHashOf } from '../call/args-hash.ts';
import type { BoundCall, Repair } from '../call/call.ts';
import type { Intent } from '../call/intent.ts';
import type { Failure } from '../call/outcome.ts';
import { isAxleError } from '../error/axle-error.ts';
import { type ErrorCode, errorCatalogue } from '../error/catalogue.ts';
import { withinPatternLimit } from '../util/bounded-pattern.ts';
import { cutText } from '../util/cut-text.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { argumentLimits, isTooLarge } from './repair/argument-limits.ts';
import { readArguments } from './repair/arguments-text.ts';
import type { Checked, Contract } from './contract.ts';
import { explainIssues, fieldName, messageFor, unknownKeyText } from './explain.ts';
import { nearMisses } from './near-miss.ts';
import { unwrapCall } from './repair/call-object.ts';
import { droppedKeys } from './repair/dropped-keys.ts';
import { readArgumentsLeniently, type ReadArguments, type ReadingContext } from './repair/envelope.ts';
import { asksForDates, fitDates } from './repair/fit-dates.ts';
import { fitArguments } from './repair/fit.ts';
import { RepairLog } from './repair/repair-log.ts';
import { resolveName, unknownToolText } from './resolve-name.ts';

export type Binding =
  | { readonly kind: 'bound'; readonly call: BoundCall }
  | {
      readonly kind: 'refused';
      readonly failure: Failure;
      /** The contract that the arguments do not fit; absent where the name means none. */
      readonly contract?: Contract;
    };

export interface BindOptions {
  readonly callId: string;
  /** Finds a contract by its exact name. */
  readonly lookup: (name: string) => Contract | undefined;
  /** The tools that the brain may use, for names that are only nearly right. */
  readonly names: readonly string[];
  /** True when the brain's answer was cut off at its output limit. */
  readonly truncated: boolean;
}

/** Binds what a model wrote, repaired where that is certain. */
export function bindCall(intent: Intent, options: BindOptions): Binding {
  const resolved =
    options.lookup(intent.toolName) === undefined ? resolveName(intent.toolName, options.names) : intent.toolName;
  const contract = resolved === undefined ? undefined : options.lookup(resolved);
  if (contract === undefined) return refused('tool-unknown', unknownToolText(intent.toolName, options.names));
  const binding = withinPatternLimit(() => bindTo(contract, intent, options));
  return binding.kind === 'refused' ? { ...binding, contract } : binding;
}

function bindTo(contract: Contract, intent: Intent, { callId, truncated }: BindOptions): Binding {
  if (truncated) {
    return refused('arguments-truncated', messageFor(contract, 'the output limit was reached while they were written'));
  }
  const log = new RepairLog(contract.effect !== 'read');
  if (intent.written !== undefined) {
    const rule = intent.written.besideText ? 'text-call-beside-text' : 'text-call';
    if (!log.permits(rule)) {
      return refused(
        'call-in-text',
        `A call of ${contract.name} stands beside other words in your text, or in what the user sent, and may be an example, so it was not run. Send it in the tool-call format if it is meant.`,
      );
    }
    log.add(rule, '', { before: intent.written.text, after: intent.argumentsText });
  }
  if (contract.name !== intent.toolName) log.add('tool-name', '', { before: intent.toolName, after: contract.name });
  return guarded(() =>
    bindText(intent.argumentsText, contract, { log, ids: { callId, toolCallId: intent.toolCallId } }),
  );
}

export interface BindInputOptions {
  readonly callId: string;
  readonly toolCallId: string;
}

/** Binds a value that a person or a program gives. Nothing is repaired: they can be asked. */
export function bindInput(contract: Contract, input: JsonValue, options: BindInputOptions): Binding {
  return guarded(() => {
    if (isTooLarge(canonicalJson(input))) {
      return refused(
        'arguments-too-large',
        messageFor(contract, `they are larger than ${argumentLimits.sizeBytes} bytes`),
      );
    }
    const checked = contract.input.check(input);
    if (!checked.ok) return refused('arguments-invalid', explainIssues(contract, input, checked.issues));
    const [stray] = droppedKeys(input, checked.value, contract.input.json);
    if (stray !== undefined) {
      return refused('arguments-invalid', messageFor(contract, unknownKeyText(stray.path, stray.known)));
    }
    return bound(contract, checked.value, { ids: options, repairs: [] });
  });
}

interface Reading {
  readonly log: RepairLog;
  readonly ids: BindInputOptions;
}

function bindText(text: string, contract: Contract, reading: Reading): Binding {
  const context = contextOf(contract);
  const read = readArguments(text, context, reading.log);
  if (read.kind === 'refused') return refused(read.code, messageFor(contract, read.what));
  if (![...read.oddNumbers.values()].some((odd) => odd.kind !== 'spelled')) {
    const { given, checked } = checkDated(contract, read.value, { context, log: reading.log });
    if (checked.ok) return settleKeys(contract, given, { checked, reading });
  }
  const exact = exactReading(text, read, { context, reading });
  const unwrapped = unwrapCall(exact, contract.input.json, { context, log: reading.log });
  if (unwrapped.kind === 'refused') return refused(unwrapped.code, messageFor(contract, unwrapped.what));
  return bindFitted(contract, unwrapped, { ...reading, context });
}

type ReadText = ReadArguments & { readonly kind: 'read' };

/** `JSON.parse` forgets how a number was written; where a schema wants its text, that matters. */
function exactReading(
  text: string,
  read: ReadText,
  { context, reading }: { readonly context: ReadingContext; readonly reading: Reading },
): ReadText {
  if (read.oddNumbers.size > 0) return read;
  const again = readArgumentsLeniently(text, context, new RepairLog(reading.log.sideEffect));
  return again.kind === 'read' ? again : read;
}

function bindFitted(
  contract: Contract,
  read: ReadText,
  reading: Reading & { readonly context: ReadingContext },
): Binding {
  const { value, unsettled } = fitArguments(read.value, contract.input.json, {
    oddNumbers: read.oddNumbers,
    log: reading.log,
  });
  if (reading.log.full) {
    return refused('arguments-invalid', messageFor(contract, 'they need more corrections than can be believed'));
  }
  const [odd] = unsettled;
  if (odd !== undefined) {
    const [path, number] = odd;
    const reason =
      number.kind === 'inexact' ? 'cannot be held exactly as a number' : 'has zeros before it, so it may be a code';
    return refused(
      'arguments-invalid',
      messageFor(
        contract,
        `${fieldName(path)} is ${cutText(number.text, 80)}, which ${reason}; send it as a string where the tool takes one`,
      ),
    );
  }
  const { given, checked } = checkDated(contract, value, reading);
  if (!checked.ok) return refused('arguments-invalid', explainIssues(contract, given, checked.issues));
  return settleKeys(contract, given, { checked, reading });
}

/** Checks the arguments with their dates in the form that the schema asks for, or as they are, where that does not make them fit. */
function checkDated(
  contract: Contract,
  value: JsonValue,
  { context, log }: { readonly context: ReadingContext; readonly log: RepairLog },
): { readonly given: JsonValue; readonly checked: Checked } {
  const { input } = contract;
  const dated = context.asksForDates ? fitDates(value, input.json) : undefined;
  if (dated !== undefined && dated.repairs.length > 0 && log.hasRoomFor(dated.repairs.length)) {
    const checked = input.check(dated.value);
    if (checked.ok) {
      for (const { rule, path, before, after } of dated.repairs) log.add(rule, path, { before, after });
      return { given: dated.value, checked };
    }
  }
  return { given: value, checked: input.check(value) };
}

/** What the contract's own schema took away must be seen: recorded for a read, refused for a side effect or when it is nearly a parameter. */
function settleKeys(
  contract: Contract,
  given: JsonValue,
  { checked, reading }: { readonly checked: Checked & { ok: true }; readonly reading: Reading },
): Binding {
  for (const dropped of droppedKeys(given, checked.value, contract.input.json)) {
    const rule = dropped.value === null ? 'unknown-null-key' : 'unknown-key';
    const nearly = dropped.value !== null && nearMisses(dropped.key, dropped.known).length > 0;
    if (nearly || reading.log.full || !reading.log.permits(rule)) {
      return refused('arguments-invalid', messageFor(contract, unknownKeyText(dropped.path, dropped.known)));
    }
    reading.log.add(rule, dropped.path, { before: dropped.value });
  }
  return bound(contract, checked.value, { ids: reading.ids, repairs: reading.log.repairs });
}

function bound(
  contract: Contract,
  input: JsonValue,
  { ids, repairs }: { readonly ids: BindInputOptions; readonly repairs: readonly Repair[] },
): Binding {
  const { name, version } = contract;
  return {
    kind: 'bound',
    call: {
      callId: ids.callId,
      toolCallId: ids.toolCallId,
      tool: name,
      input,
      ...(isBinding(contract) ? { argsHash: argsHashOf({ tool: name, toolVersion: version, input }) } : {}),
      ...(repairs.length === 0 ? {} : { repairs }),
    },
  };
}

/** True when something may be bound to the exact arguments of a call. */
function isBinding({ effect, risk, irreversible }: Contract): boolean {
  return effect !== 'read' || risk === 'high' || irreversible;
}

function refused(code: ErrorCode, message: string): Binding {
  const { class: errorClass, remedy } = errorCatalogue[code];
  return { kind: 'refused', failure: { code, class: errorClass, message, advice: remedy, evidence: 'none' } };
}

/** A schema that is itself at fault refuses the call, and not the run. */
function guarded(bind: () => Binding): Binding {
  try {
    return bind();
  } catch (error) {
    if (isAxleError(error)) return refused(error.code, error.message);
    throw error;
  }
}

const contexts = new WeakMap<Contract, ReadingContext>();

function contextOf(contract: Contract): ReadingContext {
  const known = contexts.get(contract);
  if (known !== undefined) return known;
  const { json } = contract.input;
  const requiresNothing = isOpenToNothing(json);
  const declared = json['properties'];
  const takesNothing = requiresNothing && (!isJsonObject(declared) || Object.keys(declared).length === 0);
  const context = {
    tool: contract.name,
    requiresNothing,
    takesNothing,
    asksForDates: asksForDates(canonicalJson(json)),
  };
  contexts.set(contract, context);
  return context;
}

/** Whether a schema plainly admits an empty object; one that composes others is not looked through. */
function isOpenToNothing(schema: JsonObject): boolean {
  const { required } = schema;
  const requires = Array.isArray(required) && required.length > 0;
  return (
    !requires &&
    !['allOf', 'anyOf', 'oneOf', '$ref', 'not', 'if', 'minProperties'].some((keyword) => Object.hasOwn(schema, keyword))
  );
}
