/**
 * Calls of one tool, one after another, that could not become a call because of their arguments. Each is answered with what was wrong; when that does
 * not help, the strategy changes, and at last the run stops. With the limit n of a contract (`maxInvalidCalls`):
 *
 *   1 .. n-1    the message says what was wrong
 *   n           the message brings the whole schema and every example, once
 *   n+1         the tool is withdrawn: it is not offered any more, and the model is told to go on without it
 *   n+2         the run stops with `regenerations-exhausted`
 *
 * I1 Calls of one turn count once: the model has not seen what was wrong with the first when it writes the second.
 * I2 A call that fits, and a message of the user, begin anew. A tool that was withdrawn still takes a call that fits, and is offered again after it.
 * I3 All of it follows from the entries: nothing is remembered outside of the state, and a run that never gets arguments wrong carries nothing.
 */
import { failureOf } from '../call/failure.ts';
import type { ContractPin } from '../call/pin.ts';
import type { Failure } from '../call/outcome.ts';
import type { Contract } from '../contract/contract.ts';
import { describeInFull } from '../contract/describe.ts';
import type { InvalidCalls, RunState } from './state.ts';

/** Invalid calls in a row after which the whole schema is sent, for a contract that declares no number. */
export const usualMaxInvalidCalls = 3;

type Counts = readonly InvalidCalls[];

/** The counts after an invalid call of a tool in a step. */
export function countInvalid(before: Counts | undefined, tool: string, step: number): Counts {
  const others = (before ?? []).filter((each) => each.tool !== tool);
  return [...others, { tool, count: countAfter(before, tool, step), step }];
}

function countAfter(before: Counts | undefined, tool: string, step: number): number {
  const known = before?.find((each) => each.tool === tool);
  if (known === undefined) return 1;
  return known.count > 0 && known.step === step ? known.count : known.count + 1;
}

/** The counts after a call that fitted, or, without a tool, after a message of the user. They stay as zeros: something was invalid once. */
export function beginAnew(before: Counts, tool?: string): Counts {
  return before.map((each) => (tool === undefined || each.tool === tool ? { ...each, count: 0 } : each));
}

/** The tools that are not offered any more. */
export function withdrawnTools({ invalidCalls, contracts }: RunState): readonly string[] {
  if (invalidCalls === undefined) return [];
  return invalidCalls.filter((each) => each.count > limitOf(each.tool, contracts)).map(({ tool }) => tool);
}

/** The tool because of which the run stops, with how often it was called wrongly. */
export function exhaustedTool({ invalidCalls, contracts }: RunState): InvalidCalls | undefined {
  return invalidCalls?.find((each) => each.count > limitOf(each.tool, contracts) + 1);
}

/** The greatest number of turns that the tools called wrongly may take, one after another. */
export function turnsPermitted({ invalidCalls = [], contracts }: RunState): number {
  return Math.max(0, ...invalidCalls.map(({ tool }) => limitOf(tool, contracts) + 2));
}

function limitOf(tool: string, contracts: readonly ContractPin[]): number {
  return contracts.find(({ name }) => name === tool)?.terms.maxInvalidCalls ?? usualMaxInvalidCalls;
}

/** The failure of an invalid call as the model is told it: with what changes now, when it is one too many. */
export function toldFailure(state: RunState, contract: Contract, failure: Failure): Failure {
  const { name } = contract;
  const known = state.invalidCalls?.find((each) => each.tool === name);
  const step = state.turn?.step ?? state.step;
  const count = countAfter(state.invalidCalls, name, step);
  const limit = limitOf(name, state.contracts);
  if (count < limit) return failure;
  if (count > limit) return { ...failure, ...withdrawal(name, count) };
  // The whole schema once: other calls of the turn are answered shortly.
  if (count === known?.count) return failure;
  return { ...failure, message: `${failure.message}\n${describeInFull(contract)}`, advice: lastAdvice(name, count) };
}

function lastAdvice(name: string, count: number): string {
  return `This was call ${count} of ${name} in a row with arguments that cannot be used. Compare with the schema and send it once more only if you know every required value; else use another tool, or answer without it.`;
}

function withdrawal(name: string, count: number): Pick<Failure, 'advice'> {
  return {
    advice: `${name} was called ${count} times in a row with arguments that cannot be used, so it is withdrawn. Do not call it again: use another tool, or answer without it and say what could not be done.`,
  };
}

/** Why a run stops. */
export function exhausted({ tool, count }: InvalidCalls): Failure {
  const message = `The model called ${tool} ${count} times in a row with arguments that could not be used.`;
  return failureOf('regenerations-exhausted', message, { class: 'fatal', evidence: 'none' });
}
