/**
 * The agent loop: model, tools, model, until an answer.
 *
 *   open turn? ──yes──► decide-turn
 *      │ no
 *   cancelled? failed? limits? ──yes──► finish, with the reason and the partial result
 *      │ no
 *   answered? ──yes──► finish, or wait for the next message
 *      │ no
 *   ask the model ──► (attempts, back-off) ──► turn or answer
 */
import { failureOf } from '../call/failure.ts';
import type { Failure } from '../call/outcome.ts';
import type { ErrorCode } from '../error/catalogue.ts';
import type { AgentPin, RunEnding } from '../journal/entry.ts';
import { decideTurn } from './decide-turn.ts';
import { exhausted, exhaustedTool, turnsPermitted } from './invalid-calls.ts';
import type { Next } from './next.ts';
import type { RunState } from './state.ts';
import type { Transcript } from './transcript.ts';

/** Turns in a row that bring nothing (unreadable output, only refused calls) before the run stops. */
export const maxFruitlessTurns = 5;

/** Attempts of one model call that crashes may cut off, on top of its retries. */
export const maxLostModelAttempts = 20;

export function decideAgent(state: RunState): Next {
  if (state.task?.kind !== 'agent' || state.stage === 'ended') return { kind: 'over' };
  if (state.turn !== undefined) return decideTurn(state, state.turn);
  const { agent } = state.task;
  switch (state.model.kind) {
    case 'asking':
      return decideAsking(state, state.model);
    case 'backing-off':
      if (state.cancel !== undefined) return finish(state, 'cancelled');
      if (state.workMs >= agent.limits.workMs) return outOfTime(state, agent);
      if (state.model.dueAtMs > state.nowMs) {
        return {
          kind: 'rest',
          work: [],
          waitingOn: [{ kind: 'timer', dueAtMs: state.model.dueAtMs }],
          wakeAtMs: state.model.dueAtMs,
        };
      }
      return prepare(state.step, state.model.attempt);
    case 'failed':
      if (state.cancel !== undefined) return finish(state, 'cancelled');
      return state.workMs >= agent.limits.workMs
        ? outOfTime(state, agent)
        : finish(state, 'failed', state.model.failure);
    case 'idle':
      return decideIdle(state, agent);
  }
}

function decideAsking(state: RunState, model: Extract<RunState['model'], { kind: 'asking' }>): Next {
  if (model.epoch === state.epoch) {
    return {
      kind: 'rest',
      work: [
        { kind: 'ask-model', key: `model#${state.step}.${model.attempt}`, step: state.step, attempt: model.attempt },
      ],
      waitingOn: [],
    };
  }
  // The process that asked is gone. Asking again repeats no effect; the provider may bill twice.
  if (state.cancel !== undefined) return finish(state, 'cancelled');
  const lost = model.attempt - model.failures;
  if (lost <= maxLostModelAttempts) return prepare(state.step, model.attempt + 1);
  const message = `The model call of step ${state.step} was cut off ${lost} times by the end of its process.`;
  return finish(state, 'failed', reasonOf('retries-exhausted', message));
}

function decideIdle(state: RunState, agent: AgentPin): Next {
  if (state.cancel !== undefined) return finish(state, 'cancelled');
  const last = state.transcript.last();
  if (last?.kind === 'assistant') {
    return agent.onAnswer === 'finish'
      ? finish(state, 'completed')
      : { kind: 'rest', work: [], waitingOn: [{ kind: 'message' }] };
  }
  const invalid = exhaustedTool(state);
  if (invalid !== undefined) return finish(state, 'stopped', exhausted(invalid));
  if (state.fruitlessTurns >= Math.max(maxFruitlessTurns, turnsPermitted(state))) {
    const message = `The model brought ${state.fruitlessTurns} turns in a row that could not be used.`;
    return finish(state, 'stopped', reasonOf('model-output-unreadable', message));
  }
  if (state.step >= agent.limits.steps) {
    const message = `The run used its ${agent.limits.steps} steps without reaching an answer.`;
    return finish(state, 'stopped', reasonOf('run-steps-exhausted', message));
  }
  if (state.workMs >= agent.limits.workMs) return outOfTime(state, agent);
  return prepare(state.step + 1, 1);
}

function outOfTime(state: RunState, agent: AgentPin): Next {
  const message = `The run worked for ${state.workMs} ms; its limit is ${agent.limits.workMs} ms.`;
  return finish(state, 'stopped', reasonOf('run-time-exhausted', message));
}

function prepare(step: number, attempt: number): Next {
  return { kind: 'advance', moves: [{ kind: 'prepare-model', step, attempt }] };
}

function finish(state: RunState, ending: RunEnding, failure?: Failure): Next {
  const output = lastText(state.transcript);
  return {
    kind: 'advance',
    moves: [
      {
        kind: 'record',
        entries: [{ type: 'run-finished', ending, output, ...(failure === undefined ? {} : { failure }) }],
      },
    ],
  };
}

/** Nobody but a person can let an ended run go on. */
function reasonOf(code: ErrorCode, message: string): Failure {
  return failureOf(code, message, { class: 'fatal', evidence: 'none' });
}

/** The last words of the model: the answer of a run that completed, the partial result of one that did not. Null when it never said anything. */
function lastText(transcript: Transcript): string | null {
  for (let place = transcript.length - 1; place >= 0; place -= 1) {
    const item = transcript.at(place);
    if (item?.kind !== 'assistant') continue;
    const text = item.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    if (text !== '') return text;
  }
  return null;
}
