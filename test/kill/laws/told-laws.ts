/**
 * The laws between what was told to callers and what the journals say in the end.
 *
 * T1 An accepted run is there, under its key and its id, and has ended. (R1, R31)
 * T2 A result that was told is the result. (L7)
 * T3 An answer, a resolution, a message and a cancellation that were acknowledged became entries, or were refused in words by one. (R17)
 * T4 A run that completed did all that it was to do.
 */
import { canonicalJson, toJson } from '../../../src/util/json.ts';
import { scenarioOf, turnsOf } from '../programs/scenario.ts';
import { entriesOf, entriesOfType, type RunJournal } from './run-journal.ts';
import type { Told } from './told.ts';
import type { Find } from './verdict.ts';

export function checkTold(journals: readonly RunJournal[], told: Told, find: Find): void {
  const byId = new Map(journals.map((journal) => [journal.summary.runId, journal]));
  const journalOf = (runId: string): RunJournal | undefined => {
    const journal = byId.get(runId);
    if (journal === undefined) find('lost', `The run ${runId} was told of and is not in the store.`);
    return journal;
  };
  for (const [key, runId] of told.accepted) {
    const journal = journalOf(runId);
    if (journal !== undefined && journal.summary.key !== key) {
      find('lost', `The run ${runId} was accepted under ${key} and has the key ${journal.summary.key}.`);
    }
  }
  for (const [key, same] of Map.groupBy(journals, (journal) => journal.summary.key)) {
    if (key !== undefined && same.length > 1) find('doubled', `The key ${key} has ${same.length} runs.`);
  }
  for (const { runId, status, output } of told.results) checkResult(journalOf(runId), { status, output }, find);
  checkAnswers(told, journalOf, find);
  for (const { runId, text } of told.messages) {
    const journal = journalOf(runId);
    if (journal === undefined || wasRefused(journal, 'message')) continue;
    const times = entriesOfType(journal, 'message-received').filter((entry) => entry.text === text).length;
    if (times !== 1) {
      find(times === 0 ? 'lost' : 'doubled', `${runId}: the acknowledged message ${text} was received ${times} times.`);
    }
  }
  for (const runId of told.cancelled) {
    const journal = journalOf(runId);
    if (journal !== undefined && entriesOfType(journal, 'cancel-requested').length === 0) {
      find('lost', `${runId}: the acknowledged cancellation is no entry.`);
    }
  }
  for (const journal of journals) checkEnd(journal, find);
}

function checkResult(
  journal: RunJournal | undefined,
  told: { readonly status: string; readonly output: unknown },
  find: Find,
): void {
  if (journal === undefined) return;
  const { ending } = journal.state;
  const isSame = ending?.kind === told.status && canonicalJson(ending.output) === canonicalJson(toJson(told.output));
  if (!isSame) {
    find('lost', `${journal.summary.runId}: the result ${told.status} was told; the journal says ${ending?.kind}.`);
  }
}

function checkAnswers(told: Told, journalOf: (runId: string) => RunJournal | undefined, find: Find): void {
  for (const [approvalId, answers] of Map.groupBy(told.answers, (answer) => answer.approvalId)) {
    const verdicts = new Set(answers.map((answer) => answer.verdict));
    if (verdicts.size > 1) find('journal', `${approvalId}: two opposite answers were both acknowledged.`);
    const journal = journalOf(runIdOf(approvalId));
    if (journal === undefined) continue;
    const recorded = entriesOfType(journal, 'approval-answered').filter((entry) => entry.approvalId === approvalId);
    if (recorded.length > 1) find('doubled', `${approvalId} was answered ${recorded.length} times.`);
    const [entry] = recorded;
    if (entry === undefined ? !wasRefused(journal, approvalId) : !verdicts.has(entry.verdict)) {
      find(
        'lost',
        `${approvalId}: the answer ${[...verdicts].join()} was acknowledged; the journal says ${entry?.verdict}.`,
      );
    }
  }
  for (const id of told.resolutions) {
    const journal = journalOf(runIdOf(id));
    if (journal === undefined) continue;
    const callId = id.slice(runIdOf(id).length + 1);
    const isRecorded = entriesOfType(journal, 'call-resolved').some((entry) => entry.callId === callId);
    if (!isRecorded) find('lost', `${id}: the acknowledged resolution is no entry.`);
  }
}

/** Said by an entry, in words: a run of a single call takes no messages, for example. */
function wasRefused(journal: RunJournal, about: string): boolean {
  return entriesOfType(journal, 'post-refused').some((entry) => entry.about.includes(about));
}

function runIdOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}

/** Why a run may fail here: an upstream, a model or a kill that struck too often. */
const mayFailWith = ['retries-exhausted', 'model-unavailable'];

function checkEnd(journal: RunJournal, find: Find): void {
  const { summary, state } = journal;
  const { runId } = summary;
  if (summary.status.state !== 'ended' || state.ending === undefined) {
    find(
      'lost',
      `${runId} (${summary.key}) has not ended: ${JSON.stringify(summary.status)}, last ${entriesOf(journal).at(-1)?.type}.`,
    );
    return;
  }
  if (state.task?.kind !== 'agent') return;
  const { kind, failure } = state.ending;
  if (kind === 'cancelled' && state.cancel !== undefined) return;
  if (kind === 'failed' && mayFailWith.includes(failure?.code ?? '')) return;
  if (kind !== 'completed') {
    find('lost', `${runId} ended as ${kind}: ${failure?.message}`);
    return;
  }
  const planned = turnsOf(scenarioOf(state.task.input)).flat().length;
  const results = state.transcript.items().flatMap((item) => (item.kind === 'results' ? item.results : []));
  if (results.length !== planned) find('lost', `${runId} completed with ${results.length} of ${planned} calls.`);
}
