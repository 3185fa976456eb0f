/** A call of a program's own loop, given to an Axle: what comes back is what the model is told, whatever became of the call. */
import { failureOf } from '../call/failure.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import { describeOutcome, type OutcomeText, plainText } from '../brain/outcome-text.ts';
import { isAxleError } from '../error/axle-error.ts';
import type { Entry } from '../journal/entry.ts';
import type { WaitReason } from '../journal/store.ts';
import { isJsonObject, type JsonValue, toJson } from '../util/json.ts';
import type { FormatCall, FormatResult } from './tool-format.ts';

/** What is needed of an Axle. */
export interface CallTaker {
  call(
    toolName: string,
    input: unknown,
    options?: { readonly key?: string; readonly session?: string },
  ): Promise<CallEnd>;
  run(runId: string): { events(): AsyncIterable<{ readonly entry: Entry }> };
}

/** How a call ended, or what it waits for: what an Axle resolves a call with. */
export interface CallEnd {
  readonly status: string;
  readonly runId: string;
  readonly output?: JsonValue;
  readonly failure?: Failure;
  readonly on?: readonly WaitReason[];
}

export interface GiveOptions {
  /**
   * Names the conversation: with the id of the call it is the key of the call, so that the same call, given again after a crash of the program, runs once and gets its
   * first result. Without it every giving is a new call.
   */
  readonly conversation?: string;
}

/**
 * Gives one call to an Axle. Never throws for what a model did wrong: an unknown tool, arguments that do not fit, a denial are results.
 * A call that waits for a person comes back as an error that says so; give it again with the same `conversation` to learn what became of it.
 *
 * @throws AxleError `closed`, `store-unavailable`, `limit-exceeded`, `run-key-reused`
 */
export async function giveCall(
  axle: CallTaker,
  call: FormatCall,
  { conversation }: GiveOptions = {},
): Promise<FormatResult> {
  const { toolCallId, toolName } = call;
  if (call.truncated === true) return toResult(toolCallId, describeOutcome(cutOff));
  const key = conversation === undefined || toolCallId === '' ? {} : { key: `${conversation}/${toolCallId}` };
  try {
    return toResult(toolCallId, await wordsFor(axle, await axle.call(toolName, inputOf(call.argumentsText), key)));
  } catch (error) {
    if (!isAxleError(error, 'tool-unknown')) throw error;
    const failure = failureOf('tool-unknown', error.message, { evidence: 'none', advice: error.remedy });
    return toResult(toolCallId, describeOutcome({ status: 'failed', failure, effectMayHaveHappened: false }));
  }
}

const cutOff: Outcome = {
  status: 'failed',
  effectMayHaveHappened: false,
  failure: failureOf('arguments-truncated', 'The answer was cut off at its output limit, so the call was not made.', {
    evidence: 'none',
    advice: 'Send the call again with shorter arguments, or split the work.',
  }),
};

function toResult(toolCallId: string, described: OutcomeText): FormatResult {
  return { toolCallId, text: plainText(described), isError: described.kind === 'error' || described.kind === 'denied' };
}

/**
 * Plain JSON is handed over as data. Anything else is handed over as it is written, as a text: what a model writes is then read and repaired as in every run. So are
 * long numbers, which `JSON.parse` may round.
 */
function inputOf(argumentsText: string): JsonValue {
  if (/\d{16}/.test(argumentsText)) return argumentsText;
  try {
    const input = toJson(JSON.parse(argumentsText));
    return isJsonObject(input) ? input : argumentsText;
  } catch {
    return argumentsText;
  }
}

async function wordsFor(axle: CallTaker, end: CallEnd): Promise<OutcomeText> {
  if (end.status === 'completed') return describeOutcome({ status: 'succeeded', output: end.output ?? null });
  if (end.status === 'waiting') return { kind: 'error', text: waitText(end.on ?? []) };
  return describeOutcome((await outcomeOf(axle, end.runId)) ?? unknownEnd(end));
}

function waitText(reasons: readonly WaitReason[]): string {
  const isDoubt = reasons.some(({ kind }) => kind === 'doubt');
  return isDoubt
    ? 'It is not known whether this call took effect; a person is asked. Do not send it again: it could happen twice.'
    : 'The call waits for a person and has not been made yet. Do not send it again; tell the user what it waits for.';
}

/** The outcome in full: whether an effect may have happened stands there and not in the result. */
async function outcomeOf(axle: CallTaker, runId: string): Promise<Outcome | undefined> {
  let outcome: Outcome | undefined;
  for await (const { entry } of axle.run(runId).events()) {
    if (entry.type === 'call-settled') outcome = entry.outcome;
    if (entry.type === 'call-refused') {
      outcome = { status: 'failed', failure: entry.failure, effectMayHaveHappened: false };
    }
  }
  return outcome;
}

function unknownEnd({ status, failure }: CallEnd): Outcome {
  if (failure === undefined) return { status: 'cancelled', reason: `The call was ${status}.` };
  return { status: 'failed', failure, effectMayHaveHappened: failure.evidence !== 'none' };
}
