/**
 * One attempt of a call: run the tool's function once, within its time limit, and say how it ended. Never repeats anything.
 *
 * X1 It settles by its time limit, and within a grace after an abort, even when the tool ignores its signal. (T3)
 * X2 It never throws: every end is an `AttemptResult`.
 * X4 What a tool does to its input changes nothing here: each attempt is handed a copy. (R8, L8)
 * X3 A result that comes after it has settled goes to `onLate`, as evidence. (R14)
 */
import type { Call } from '../call/call.ts';
import { failureOf } from '../call/failure.ts';
import type { AttemptResult, Failure } from '../call/outcome.ts';
import type { Contract, ToolContext } from '../contract/contract.ts';
import { isToolError } from '../contract/tool-error.ts';
import type { Verdict } from '../journal/entry.ts';
import type { Timers } from '../util/clock.ts';
import { isAxleError, messageOf } from '../error/axle-error.ts';
import type { ErrorCode } from '../error/catalogue.ts';
import { copyOf, isRecord, type JsonValue, toJson } from '../util/json.ts';
import { classify } from './classify.ts';

/** After an abort a tool gets this long to say how far it came. */
export const abortGraceMs = 2_000;

/** The largest output that the journal takes: 1 MB of JSON text. */
export const maxOutputBytes = 1_048_576;

export interface AttemptOptions {
  readonly contract: Contract;
  readonly call: Call;
  readonly context: Omit<ToolContext, 'signal'>;
  readonly timers: Timers;
  /** Aborted from outside on cancellation and shut-down, and from here at the time limit: the tool hears both through one signal. */
  readonly controller: AbortController;
  readonly onLate: (result: AttemptResult) => void;
}

/** Runs `execute` once. */
export function performAttempt(options: AttemptOptions): Promise<AttemptResult> {
  const { contract, call } = options;
  return bounded(options, async (context) =>
    checkedOutput(contract, await contract.execute(copyOf(call.input), context)),
  );
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
    const answer: unknown = await verify(copyOf(call.input), context);
    const said = isRecord(answer) ? answer : {};
    happened = said['happened'];
    return happened === true ? checkedOutput(contract, said['output']) : { status: 'succeeded', output: null };
  });
  if (result.status === 'failed') return { verdict: { kind: 'unknown' }, failure: result.failure };
  if (happened === true) return { verdict: { kind: 'happened', output: result.output } };
  if (happened === false) return { verdict: { kind: 'not-happened', then: 'retry' } };
  return { verdict: { kind: 'unknown' } };
}

function bounded(
  options: AttemptOptions,
  run: (context: ToolContext) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const { contract, call, timers, controller } = options;
  const { signal } = controller;
  return new Promise((resolve) => {
    let isSettled = false;
    let cancelGrace = (): void => {};
    const settle = (result: AttemptResult): void => {
      if (isSettled) {
        options.onLate(result);
        return;
      }
      isSettled = true;
      cancelLimit();
      cancelGrace();
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const giveUp = (failure: Failure): void => {
      if (isSettled) return;
      settle({ status: 'failed', failure });
      controller.abort(new Error(failure.message));
    };
    const onAbort = (): void => {
      cancelGrace = timers.after(abortGraceMs, () =>
        giveUp(cancelledFailure(`${contract.name} did not end within ${abortGraceMs} ms after it was cancelled.`)),
      );
    };
    const cancelLimit = timers.after(call.terms.timeoutMs, () => giveUp(timedOut(contract.name, call.terms.timeoutMs)));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      settle({
        status: 'failed',
        failure: { ...cancelledFailure('The call was cancelled before it began.'), evidence: 'none' },
      });
      return;
    }
    start(run, { ...options.context, signal }).then(settle, (error: unknown) => settle(thrown(error, signal)));
  });
}

// A function that throws before it returns its promise is no different from one whose promise rejects.
async function start(
  run: (context: ToolContext) => Promise<AttemptResult>,
  context: ToolContext,
): Promise<AttemptResult> {
  return run(context);
}

function thrown(error: unknown, signal: AbortSignal): AttemptResult {
  const failure = classify(error);
  // A tool that heard the abort and gave up may have been anywhere.
  if (signal.aborted && failure.evidence === 'possible' && !isToolError(error)) {
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
function checkedOutput(contract: Contract, output: unknown): AttemptResult {
  let json: JsonValue;
  try {
    json = toJson(output);
  } catch (error) {
    return failed('value-not-storable', isAxleError(error) ? error.message : messageOf(error));
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
  const issues = checked.issues
    .slice(0, 5)
    .map((issue) => `${issue.path === '' ? 'the result' : issue.path} ${issue.message}`)
    .join('; ');
  return failed('output-invalid', `${contract.name} answered in another form than it declares: ${issues}.`);
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
