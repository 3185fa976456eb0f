/**
 * The laws of one journal, read entry by entry.
 *
 * J1 Dense sequence; epochs and times never fall. (R4, R5, R24)
 * J2 Folding everything gives what a load from the last snapshot gives. (R6)
 * J3 A `write` is attempted again only after a failure that proves that nothing was sent, or a resolution that it did not happen; others never beyond one
 *    attempt at a time. (R9, R13)
 * J4 In doubt is a `write` that was begun and whose outcome nobody knows, and nothing else. (R10)
 * J5 An approval is used by at most one attempt, was given for the call's arguments, and nothing that needs one begins without. (R15, R16)
 * J6 After `cancel-requested` no attempt begins; after `run-finished` nothing is written; every call is settled by then, once. (R30, L4)
 */
import type { Entry } from '../../../src/journal/entry.ts';
import { evolveAppend } from '../../../src/run/evolve.ts';
import { newState, type RunState } from '../../../src/run/state.ts';
import { canonicalJson, toJson } from '../../../src/util/json.ts';
import type { RunJournal } from './run-journal.ts';
import { approvedTools, writeTools } from '../programs/tool-names.ts';
import type { Find } from './verdict.ts';

/** Where a call stands in the judge's own reading. */
interface CallReading {
  readonly tool: string;
  readonly argsHash: string | undefined;
  readonly attempt: number;
  readonly stand:
    | 'new'
    | 'attempting'
    | 'proved-unsent'
    | 'answered'
    | 'unknown'
    | 'doubtful'
    | 'not-happened'
    | 'happened'
    | 'settled';
  readonly epoch: number;
  readonly approved: boolean;
}

export function checkJournal(journal: RunJournal, find: Find): void {
  const { runId } = journal.summary;
  const wrong = (text: string): void => find('journal', `${runId}: ${text}`);
  checkOrder(journal, wrong);
  checkFold(journal, wrong);
  const reading = new Reading(wrong);
  for (const append of journal.appends) for (const entry of append.entries) reading.take(entry, append.epoch);
  reading.end();
}

function checkOrder({ appends }: RunJournal, wrong: (text: string) => void): void {
  let seq = 1;
  let epoch = 0;
  let atMs = 0;
  for (const append of appends) {
    if (append.firstSeq !== seq) wrong(`an append begins at ${append.firstSeq} and should at ${seq}.`);
    if (append.epoch < epoch) wrong(`epoch ${append.epoch} follows ${epoch} at ${seq}.`);
    if (append.atMs < atMs) wrong(`time runs backwards at ${seq}.`);
    seq = append.firstSeq + append.entries.length;
    ({ epoch, atMs } = append);
  }
}

function checkFold(journal: RunJournal, wrong: (text: string) => void): void {
  let folded: RunState;
  try {
    folded = journal.appends.reduce(evolveAppend, newState(journal.summary.runId));
  } catch (error) {
    wrong(`the journal cannot be folded: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  if (textOf(folded) !== textOf(journal.state)) {
    wrong('the fold of the whole journal differs from the state that was loaded.');
  }
  if (journal.summary.seq !== folded.seq) {
    wrong(`the list says ${journal.summary.seq} entries; the journal has ${folded.seq}.`);
  }
}

function textOf({ transcript, ...control }: RunState): string {
  return canonicalJson(toJson({ control, items: transcript.items() }));
}

class Reading {
  readonly #wrong: (text: string) => void;
  readonly #calls = new Map<string, CallReading>();
  readonly #usedApprovals = new Set<string>();
  #isCancelled = false;
  #isFinished = false;

  constructor(wrong: (text: string) => void) {
    this.#wrong = wrong;
  }

  take(entry: Entry, epoch: number): void {
    if (this.#isFinished) this.#wrong(`${entry.type} was written after run-finished.`);
    if (entry.type === 'cancel-requested') this.#isCancelled = true;
    if (entry.type === 'run-finished') this.#isFinished = true;
    if (entry.type === 'call-bound') {
      const { callId, tool, argsHash } = entry.call;
      if (this.#calls.has(callId)) this.#wrong(`${callId} was bound twice.`);
      this.#calls.set(callId, { tool, argsHash, attempt: 0, stand: 'new', epoch, approved: false });
      return;
    }
    if (!('callId' in entry) || entry.type === 'call-refused') return;
    const call = this.#calls.get(entry.callId);
    if (call === undefined) this.#wrong(`${entry.type} names the unknown call ${entry.callId}.`);
    else this.#calls.set(entry.callId, { ...call, ...this.#step(call, entry, epoch) });
  }

  end(): void {
    if (!this.#isFinished) return;
    for (const [callId, { stand }] of this.#calls) {
      if (stand !== 'settled') this.#wrong(`${callId} is ${stand} in a finished run.`);
    }
  }

  #step(call: CallReading, entry: Extract<Entry, { callId: string }>, epoch: number): Partial<CallReading> {
    const { callId } = entry;
    if (call.stand === 'settled' && entry.type !== 'evidence-received') {
      this.#wrong(`${entry.type} after ${callId} was settled.`);
    }
    switch (entry.type) {
      case 'approval-answered':
        if (entry.argsHash !== call.argsHash) this.#wrong(`the approval of ${callId} was given for other arguments.`);
        return entry.verdict === 'approve' ? { approved: true } : { stand: 'settled' };
      case 'call-decided':
        return entry.decision.kind === 'deny' ? { stand: 'settled' } : {};
      case 'approval-expired':
      case 'call-cached':
      case 'call-recorded':
        return { stand: 'settled' };
      case 'attempt-started':
        this.#checkStart(call, entry, epoch);
        return { attempt: entry.attempt, stand: 'attempting', epoch };
      case 'attempt-finished':
        if (call.stand !== 'attempting' || call.attempt !== entry.attempt) {
          this.#wrong(`attempt ${entry.attempt} of ${callId} finished and was not under way.`);
        }
        if (entry.result.status === 'succeeded') return { stand: 'answered' };
        return {
          stand:
            entry.result.failure.evidence === 'none'
              ? 'proved-unsent'
              : entry.result.failure.evidence === 'unknown'
                ? 'unknown'
                : 'answered',
        };
      case 'call-doubted': {
        const isLost = call.stand === 'attempting' && epoch > call.epoch;
        if (!writeTools.includes(call.tool) || !(isLost || call.stand === 'unknown')) {
          this.#wrong(`${callId} (${call.tool}) was doubted while ${call.stand}.`);
        }
        return { stand: 'doubtful' };
      }
      case 'call-resolved':
        if (call.stand !== 'doubtful') this.#wrong(`${callId} was resolved while ${call.stand}.`);
        return { stand: entry.verdict.kind === 'not-happened' ? 'not-happened' : 'happened' };
      case 'call-settled':
        if (call.stand === 'doubtful') this.#wrong(`the doubt about ${callId} was settled without a resolution.`);
        return { stand: 'settled' };
      case 'authorization-requested':
      case 'authorization-answered':
      case 'authorization-expired':
      case 'call-fell-back':
      case 'call-refused':
      case 'call-admitted':
      case 'admission-refused':
      case 'breaker-changed':
      case 'evidence-received':
      case 'retry-scheduled':
      case 'verify-started':
      case 'verify-finished':
        return {};
    }
  }

  #checkStart(call: CallReading, entry: Extract<Entry, { type: 'attempt-started' }>, epoch: number): void {
    const { callId, attempt, approvalId } = entry;
    if (this.#isCancelled) this.#wrong(`attempt ${attempt} of ${callId} began after the cancellation.`);
    if (attempt !== call.attempt + 1) this.#wrong(`attempt ${attempt} of ${callId} follows attempt ${call.attempt}.`);
    const isWrite = writeTools.includes(call.tool);
    const isLost = call.stand === 'attempting' && epoch > call.epoch;
    const mayBegin =
      call.stand === 'new' ||
      call.stand === 'proved-unsent' ||
      call.stand === 'not-happened' ||
      (!isWrite && (isLost || call.stand === 'unknown'));
    if (!mayBegin) this.#wrong(`attempt ${attempt} of ${callId} (${call.tool}) began while it was ${call.stand}.`);
    if (approvedTools.includes(call.tool) && !call.approved) this.#wrong(`${callId} began without its approval.`);
    if (approvalId === undefined) return;
    if (this.#usedApprovals.has(approvalId)) this.#wrong(`the approval ${approvalId} was used twice.`);
    this.#usedApprovals.add(approvalId);
  }
}
