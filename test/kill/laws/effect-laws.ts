/**
 * The laws between journals and the ledger of what really happened.
 *
 * E1 Each effect has its `attempt-started`. (R2)
 * E2 A `write` has at most one effect for each call, since no attempt follows one that may have had it. (R9)
 * E3 An `idempotent` call has one key, its own; under the key the world changed once. (R8)
 * E4 A call that succeeded has its effect, and the output that it was given for it.
 * E5 A call of which it is said that nothing happened has none.
 */
import type { Outcome } from '../../../src/call/outcome.ts';
import { isJsonObject } from '../../../src/util/json.ts';
import type { LedgerLine } from '../programs/ledger-lines.ts';
import { entriesOfType, type RunJournal } from './run-journal.ts';
import { writeTools } from '../programs/tool-names.ts';
import type { Find } from './verdict.ts';

export interface Doubts {
  readonly inDoubt: number;
  /** How many of them had had their effect. */
  readonly hadHappened: number;
}

export function checkEffects(journals: readonly RunJournal[], ledger: readonly LedgerLine[], find: Find): Doubts {
  const linesOfCall = Map.groupBy(ledger, ({ runId, callId }) => `${runId}/${callId}`);
  const begun = new Set<string>();
  const doubts = { inDoubt: 0, hadHappened: 0 };
  for (const journal of journals) {
    const { runId } = journal.summary;
    for (const { callId, attempt } of entriesOfType(journal, 'attempt-started')) {
      begun.add(`${runId}/${callId}#${attempt}`);
    }
    for (const { callId, attempt } of entriesOfType(journal, 'call-doubted')) {
      doubts.inDoubt += 1;
      if (linesOfCall.get(`${runId}/${callId}`)?.some((line) => line.attempt === attempt) === true) {
        doubts.hadHappened += 1;
      }
    }
    for (const [callId, outcome] of outcomesOf(journal)) {
      checkOutcome({ name: `${runId}/${callId}`, outcome, lines: linesOfCall.get(`${runId}/${callId}`) ?? [] }, find);
    }
  }
  for (const { runId, callId, attempt, tool, receipt } of ledger) {
    if (!begun.has(`${runId}/${callId}#${attempt}`)) {
      find('journal', `${runId}/${callId}: receipt ${receipt} (${tool}, attempt ${attempt}) has no attempt-started.`);
    }
  }
  for (const [name, lines] of linesOfCall) checkLines(name, lines, find);
  checkKeys(ledger, find);
  return doubts;
}

function checkLines(name: string, lines: readonly LedgerLine[], find: Find): void {
  const [first] = lines;
  if (first?.kind === 'write' && lines.length > 1) {
    const attempts = lines.map(
      ({ receipt, attempt, pid }) => `receipt ${receipt} by attempt ${attempt} of process ${pid}`,
    );
    find('doubled', `${name}: ${first.tool} had its effect ${lines.length} times: ${attempts.join(', ')}.`);
  }
  if (new Set(lines.map((line) => line.key)).size > 1) {
    find('doubled', `${name}: its attempts carried different idempotency keys.`);
  }
}

function checkKeys(ledger: readonly LedgerLine[], find: Find): void {
  for (const [key, lines] of Map.groupBy(ledger, (line) => line.key)) {
    const calls = new Set(lines.map(({ runId, callId }) => `${runId}/${callId}`));
    if (calls.size > 1) {
      find(
        'lost',
        `The key ${key} was used by ${[...calls].join(' and ')}, so one of them was taken for a repetition.`,
      );
    }
  }
}

/** How each call ended, from the conversation that the model saw and, for single calls, the same. */
function outcomesOf({ state }: RunJournal): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const item of state.transcript.items()) {
    if (item.kind !== 'results') continue;
    for (const { callId, outcome } of item.results) outcomes.set(callId, outcome);
  }
  return outcomes;
}

interface Ended {
  readonly name: string;
  readonly outcome: Outcome;
  readonly lines: readonly LedgerLine[];
}

function checkOutcome({ name, outcome, lines }: Ended, find: Find): void {
  const tool = lines[0]?.tool ?? '';
  switch (outcome.status) {
    case 'succeeded': {
      const told = isJsonObject(outcome.output) ? outcome.output['receipt'] : undefined;
      if (!lines.some(({ receipt }) => receipt === told)) {
        find('lost', `${name} succeeded with receipt ${JSON.stringify(told)}, which the ledger does not have for it.`);
      }
      return;
    }
    case 'failed':
      if (!outcome.effectMayHaveHappened && lines.length > 0 && lines[0]?.kind !== 'read') {
        find('lost', `${name} failed as if nothing had happened; the ledger has ${lines.length} effects.`);
      }
      return;
    case 'denied':
      if (lines.length > 0) find('doubled', `${name} was denied and had its effect.`);
      return;
    case 'cancelled':
      if (lines.length > 0 && writeTools.includes(tool)) {
        find('lost', `${name} was recorded as cancelled and had its effect.`);
      }
      return;
    case 'in-doubt':
      find('journal', `${name} was told to the model in doubt, which no policy here asks for.`);
  }
}
