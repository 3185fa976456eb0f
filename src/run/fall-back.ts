/**
 * Fallback: the same call goes on with the next tool of its chain when the one that has it is down.
 *
 *   answered (failed for good) ──call-fell-back──► bound, with the next tool ──► decided ──► attempts of its own ──► settled, as the asked tool would have
 *
 * Y1 A side effect falls back only when it is proved that nothing happened: no attempt of it ended without that proof. (L2)
 * Y2 Only a tool that is down is fallen back from: after invalid arguments, a denial, a cancellation or a doubt nobody else is asked.
 * Y3 The functions of a chain run before their entry is written and what they give is in it: the fold never calls them.
 * Y4 What the next tool gets was admitted by its own schema, and what the model gets by the schema of the tool it asked for.
 * Y5 A chain is walked once, forwards.
 * Y6 What the next tool needs of the context must be there, and what it is filled from there is no model's, as for a call of its own. (T15)
 */
import { failureOf } from '../call/failure.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import type { BoundCall } from '../call/call.ts';
import { bindInput } from '../contract/bind.ts';
import { askedByProgram } from '../contract/context/asked-contract.ts';
import type { Contract, FallbackStep } from '../contract/contract.ts';
import { isAxleError, messageOf } from '../error/axle-error.ts';
import type { CallSettled, Entry, SkippedLink } from '../journal/entry.ts';
import { cutText } from '../util/cut-text.ts';
import { copyOf, isJsonObject, type JsonValue, toJson } from '../util/json.ts';
import { chainOf, isDown } from './chain-links.ts';
import { fillFromContext } from './fill-call.ts';
import type { RunCode } from './run-code.ts';
import type { CallState, RunState } from './state.ts';

/** The failure of a call that is about to be settled as failed although it certainly changed nothing; undefined for every other end. (Y1) */
function failureOfEnd([end]: readonly Entry[]): Failure | undefined {
  if (end?.type !== 'call-settled' || end.outcome?.status !== 'failed') return undefined;
  return end.outcome.effectMayHaveHappened ? undefined : end.outcome.failure;
}

/** What an upstream says that lets nothing through: whoever has somebody else to ask does not wait for it. */
const refusals: ReadonlySet<string> = new Set(['upstream-open', 'upstream-queue-full', 'upstream-wait-too-long']);

/** The refusal of an attempt that did not begin and would be tried again later. (Y1) */
function refusalOf([end]: readonly Entry[], { phase, mayHaveHappened, call }: CallState): Failure | undefined {
  if (end?.type !== 'retry-scheduled' || phase.kind !== 'answered' || phase.result.status !== 'failed') {
    return undefined;
  }
  const { failure } = phase.result;
  return refusals.has(failure.code) && (call?.terms.effect === 'read' || !mayHaveHappened) ? failure : undefined;
}

/** The end of a call, or the next tool of its chain in its place. */
export function orFallBack(
  end: readonly Entry[],
  { state, callState, code }: { readonly state: RunState; readonly callState: CallState; readonly code: RunCode },
): readonly Entry[] {
  const final = failureOfEnd(end);
  const failure = final ?? refusalOf(end, callState);
  if (failure === undefined || state.cancel !== undefined) return end;
  const { callId, toolCallId, toolName, call } = callState;
  const input = callState.asked ?? call?.input ?? callState.input;
  const skipped: SkippedLink[] = [];
  const chain = chainOf(state, callState);
  for (const [index, link] of chain.entries()) {
    const place = index + 1;
    if (place <= (callState.call?.link ?? 0) || !isDown(failure, link)) continue;
    const contract = code.contracts.get(link.tool);
    const step = code.contracts.get(toolName)?.fallback[index];
    const bound =
      contract === undefined
        ? undefined
        : bindStandIn(contract, step, { ids: { callId, toolCallId }, input, state, code });
    if (bound?.kind === 'filled') {
      return [
        {
          type: 'call-fell-back',
          callId,
          link: place,
          call: bound.call,
          ...(skipped.length === 0 ? {} : { skipped }),
        },
      ];
    }
    skipped.push({ tool: link.tool, reason: bound?.reason ?? 'It is not registered here.' });
  }
  return skipped.length === 0 || final === undefined ? end : [withSkipped(callState.callId, final, skipped)];
}

type StandInBinding =
  | { readonly kind: 'filled'; readonly call: BoundCall }
  | { readonly kind: 'skipped'; readonly reason: string };

function bindStandIn(
  contract: Contract,
  step: FallbackStep | undefined,
  {
    ids,
    input,
    state,
    code,
  }: {
    readonly ids: { readonly callId: string; readonly toolCallId: string };
    readonly input: JsonValue;
    readonly state: RunState;
    readonly code: RunCode;
  },
): StandInBinding {
  const mapped = mapping(step?.input, input);
  if (!mapped.ok) return { kind: 'skipped', reason: `The function that makes its arguments failed: ${mapped.reason}` };
  const isModels = state.task?.kind !== 'call';
  const bound = bindInput(
    askedByProgram(contract),
    isModels ? withoutFilled(contract, mapped.value) : mapped.value,
    ids,
  );
  const filling = bound.kind === 'bound' ? fillFromContext(state, contract, { call: bound.call, code }) : bound;
  return filling.kind === 'filled' ? filling : { kind: 'skipped', reason: filling.failure.message };
}

/** Without what the contract has filled from the context. (Y6) */
function withoutFilled({ inputs }: Contract, input: JsonValue): JsonValue {
  if (inputs === undefined || !isJsonObject(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !inputs.some(({ field }) => field === name)));
}

type Mapped = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly reason: string };

function mapping(map: ((value: JsonValue) => unknown) | undefined, value: JsonValue): Mapped {
  if (map === undefined) return { ok: true, value };
  try {
    return { ok: true, value: toJson(map(copyOf(value))) };
  } catch (error) {
    return { ok: false, reason: cutText(isAxleError(error) ? error.message : messageOf(error), 500) };
  }
}

function withSkipped(callId: string, failure: Failure, skipped: readonly SkippedLink[]): CallSettled {
  const others = skipped.map(({ tool, reason }) => `${tool} could not stand in: ${reason}`).join(' ');
  const outcome: Outcome = {
    status: 'failed',
    failure: { ...failure, message: `${failure.message} ${others}` },
    effectMayHaveHappened: false,
  };
  return { type: 'call-settled', callId, status: 'failed', outcome };
}

/**
 * The outcome of a call that a stand-in has answered, as the tool that was asked for would have given it. Undefined when it is the answer itself.
 * A result that does not fit is a failure; what a side effect did has happened all the same.
 */
export function standInOutcome(callState: CallState, output: JsonValue, code: RunCode): Outcome | undefined {
  const { call, toolName } = callState;
  const asked = code.contracts.get(toolName);
  const step = call?.link === undefined ? undefined : asked?.fallback[call.link - 1];
  const mapped = mapping(step?.output, output);
  if (!mapped.ok) {
    return unfit(callState, `The function that makes the result of ${toolName} failed: ${mapped.reason}`);
  }
  const checked = asked?.output?.check(mapped.value);
  if (checked?.ok === false) {
    const [issue] = checked.issues;
    const where = issue === undefined || issue.path === '' ? 'the result' : issue.path;
    return unfit(
      callState,
      `What ${call?.tool} answered does not fit what ${toolName} declares: ${where} ${issue?.message ?? 'is not admitted'}.`,
    );
  }
  if (step?.output === undefined) return undefined;
  return { status: 'succeeded', output: checked?.value ?? mapped.value };
}

function unfit({ call }: CallState, message: string): Outcome {
  const failure = failureOf('output-invalid', message, { evidence: 'possible' });
  return { status: 'failed', failure, effectMayHaveHappened: call?.terms.effect !== 'read' };
}
