/**
 * One attempt of a call: run the tool's function once, within its time limit, and say how it ended. Never repeats anything.
 *
 * X1 It settles by its time limit, and within a grace after an abort, even when the tool ignores its signal. (T3)
 * X2 It never throws: every end is an `AttemptResult`.
 * X4 What a tool does to its input changes nothing here: each attempt is handed a copy. (R8, L8)
 * X5 What it hands on has aliases in the place of real values: the output before it is measured and checked, an error before it is cut. (L12)
 * X3 A result that comes after it has settled goes to `onLate`, as evidence. (R14)
 */
import type { Call } from '../call/call.ts';
import { failureOf } from '../call/failure.ts';
import type { AttemptResult, Failure } from '../call/outcome.ts';
import type { Contract, ToolContext } from '../contract/contract.ts';
import { valueAt } from '../contract/pointer.ts';
import { isToolError } from '../contract/tool-error.ts';
import type { Verdict } from '../journal/entry.ts';
import type { Abort } from '../util/abort.ts';
import type { Clock, Timers } from '../util/clock.ts';
import { messageOf } from '../error/axle-error.ts';
import type { ErrorCode } from '../error/catalogue.ts';
import { copyOf, isRecord, type JsonValue, toJson } from '../util/json.ts';
import type { AliasPort } from './aliases/aliases.ts';
import { concealIn } from './aliases/conceal-in.ts';
import { noAliases } from './aliases/no-aliases.ts';
import { realInput } from './aliases/real-input.ts';
import { classify } from './classify.ts';
import { driftResult } from './output-drift.ts';
import { type LazyToolContext, toolContextOf } from './tool-context.ts';

/** After an abort a tool gets this long to say how far it came. */
export const abortGraceMs = 2_000;

/** The largest output that the journal takes: 1 MB of JSON text. */
export const maxOutputBytes = 1_048_576;

export interface AttemptOptions {
  readonly contract: Contract;
  readonly call: Call;
  readonly context: Omit<LazyToolContext, 'signal' | keyof AliasPort>;
  /** @defaultValue none */
  readonly aliases?: AliasPort | undefined;
  readonly timers: Timers;
  readonly clock: Clock;
  /** Aborted from outside on cancellation and shut-down, and from here at the time limit: the tool hears both through one signal. */
  readonly abort: Abort;
  readonly onLate: (result: AttemptResult) => void;
  /** Stands in for `execute` of a contract whose body is a program. @defaultValue the contract's */
  readonly execute?: Contract['execute'] | undefined;
}

/** Runs the body of a tool once. */
export function performAttempt(options: AttemptOptions): Promise<AttemptResult> {
  const { contract, call, execute = contract.execute } = options;
  return bounded(options, async (context) => {
    const copy = copyOf(call.input);
    const input = contract.aliases === undefined ? copy : await realInput(contract, copy, context);
    return publishable(contract, checkedOutput(contract, await execute(input, context), context.conceal));
  });
}

/** Asks `verify` once whether the effect of a call in doubt happened. */
export async function performVerify(
  options: Omit<AttemptOptions, 'onLate'>,
): Promise<{ readonly verdict: Verdict; readonly failure?: Failure }> {
  const { contract, call } = options;
  const { verify } = contract;
  if (verify === undefined) return { verdict: { kind: 'unknown' } };
  let happened: unknown;
  const result = await bounded({ ...options, onLate: () => {} }, async (context) => {
    // Programs without types may answer anything; what is neither yes nor no is not known.
    const answer: unknown = await verify(await realInput(contract, copyOf(call.input), context), context);
    const said = isRecord(answer) ? answer : {};
    happened = said['happened'];
    return happened === true
      ? publishable(contract, checkedOutput(contract, said['output'], context.conceal))
      : { status: 'succeeded', output: null };
  });
  if (result.status === 'failed') return { verdict: { kind: 'unknown' }, failure: result.failure };
  if (happened === true) return { verdict: { kind: 'happened', output: result.output } };
  if (happened === false) return { verdict: { kind: 'not-happened', then: 'retry' } };
  return { verdict: { kind: 'unknown' } };
}

/** `run` is an async function: a tool that throws before it returns its promise is no different from one whose promise rejects. */
function bounded(
  options: AttemptOptions,
  run: (context: ToolContext) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const { contract, call, timers, abort, aliases = noAliases } = options;
  const real = (alias: string): Promise<string> => aliases.real(alias);
  const conceal = (text: string): string => aliases.conceal(text);
  return new Promise((resolve) => {
    let isSettled = false;
    let cancelGrace = (): void => {};
    const settle = (ended: AttemptResult): void => {
      const result = ended.status === 'failed' ? concealIn(ended, conceal) : ended;
      if (isSettled) {
        options.onLate(result);
        return;
      }
      isSettled = true;
      cancelLimit();
      cancelGrace();
      abort.stopListening(onAbort);
      resolve(result);
    };
    const giveUp = (failure: Failure): void => {
      if (isSettled) return;
      settle({ status: 'failed', failure });
      abort.abort(new Error(failure.message));
    };
    const onAbort = (): void => {
      cancelGrace = timers.after(abortGraceMs, () =>
        giveUp(cancelledFailure(`${contract.name} did not end within ${abortGraceMs} ms after it was cancelled.`)),
      );
    };
    const cancelLimit = timers.after(call.terms.timeoutMs, () => giveUp(timedOut(contract.name, call.terms.timeoutMs)));
    if (abort.isAborted) {
      settle({
        status: 'failed',
        failure: { ...cancelledFailure('The call was cancelled before it began.'), evidence: 'none' },
      });
      return;
    }
    abort.onAbort(onAbort);
    // What a tool says after its attempt has ended is about nothing that anybody is shown.
    const { runId, callId, attempt, idempotencyKey, log, progress } = options.context;
    const context = toolContextOf({
      runId,
      callId,
      attempt,
      idempotencyKey,
      real,
      conceal,
      signal: () => abort.signal,
      log: (message, data) => (isSettled ? undefined : log(message, data)),
      progress: (update) => (isSettled ? undefined : progress(update)),
    });
    run(context).then(settle, (error: unknown) =>
      settle(thrown(error, abort, { nowMs: options.clock.nowMs(), conceal })),
    );
  });
}

function thrown(
  error: unknown,
  { isAborted }: Abort,
  { nowMs, conceal }: { readonly nowMs: number } & Pick<ToolContext, 'conceal'>,
): AttemptResult {
  const failure = classify(error, nowMs, conceal);
  // A tool that heard the abort and gave up may have been anywhere.
  if (isAborted && failure.evidence === 'possible' && !isToolError(error)) {
    return { status: 'failed', failure: cancelledFailure(failure.message) };
  }
  return { status: 'failed', failure };
}

function cancelledFailure(message: string): Failure {
  return failureOf('call-cancelled', message, { evidence: 'unknown' });
}

function timedOut(name: string, timeoutMs: number): Failure {
  return failureOf('tool-timed-out', `${name} did not answer within ${timeoutMs} ms.`, { evidence: 'unknown' });
}

/** The effect has happened by now, so a bad output is a failure with evidence `possible`. */
function checkedOutput(contract: Contract, output: unknown, conceal: (text: string) => string): AttemptResult {
  let json: JsonValue;
  try {
    json = concealIn(toJson(output), conceal);
  } catch (error) {
    return failed('value-not-storable', conceal(messageOf(error)));
  }
  const sizeBytes = sizeOf(json);
  if (sizeBytes > maxOutputBytes) {
    return failed(
      'limit-exceeded',
      `${contract.name} returned ${sizeBytes} bytes; at most ${maxOutputBytes} are kept. Ask for less.`,
    );
  }
  if (contract.output === undefined) return { status: 'succeeded', output: json };
  const checked = contract.output.check(json);
  if (checked.ok) return { status: 'succeeded', output: checked.value };
  return driftResult(contract, contract.output.json, { output: json, issues: checked.issues });
}

/** A result that is to be published has the values that the contract promises, and they fit their keys. */
function publishable(contract: Contract, result: AttemptResult): AttemptResult {
  if (contract.publishes === undefined || result.status !== 'succeeded') return result;
  for (const { key, at, schema } of contract.publishes) {
    const value = valueAt(result.output, at);
    const place = at === '' ? 'The result' : at;
    if (value === undefined) {
      return failed('output-invalid', `${contract.name} answered without ${place}, which is published as ${key}.`);
    }
    const checked = schema?.check(value);
    if (checked?.ok !== false) continue;
    const [issue] = checked.issues;
    const what = `${issue?.path ?? ''} ${issue?.message ?? 'does not fit'}`.trim();
    return failed(
      'output-invalid',
      `${contract.name} answered with a value for ${key} (${place}) that does not fit: ${what}.`,
    );
  }
  return result;
}

/** The model can ask for less, or for something else. */
function failed(code: ErrorCode, message: string): AttemptResult {
  return { status: 'failed', failure: failureOf(code, message, { class: 'recoverable', evidence: 'possible' }) };
}

/** Bytes of JSON text; where an upper bound is within the limit, the bound: a value is not serialised only to be measured. */
function sizeOf(value: JsonValue): number {
  const bound = boundOf(value);
  return bound <= maxOutputBytes ? bound : Buffer.byteLength(JSON.stringify(value));
}

/** No JSON text of the value is longer: a UTF-16 unit takes six bytes at most, as an escape. */
function boundOf(value: JsonValue): number {
  if (typeof value === 'string') return 6 * value.length + 2;
  if (typeof value !== 'object' || value === null) return 32;
  let bound = 2;
  if (Array.isArray(value)) {
    // By index: a hole is written as null.
    for (let index = 0; index < value.length; index += 1) bound += boundOf(itemOf(value, index)) + 1;
    return bound;
  }
  for (const [key, item] of Object.entries(value)) bound += 6 * key.length + 3 + boundOf(item) + 1;
  return bound;
}

// `Array.isArray` widens the items to `any`.
function itemOf(list: readonly JsonValue[], index: number): JsonValue {
  return list[index] ?? null;
}
