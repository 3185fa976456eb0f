/** One line for each thing that a watcher of a run wants to know while it happens. */
import type { Failure } from '../call/outcome.ts';
import type { AuthorizationRequested } from '../journal/authorization-entries.ts';
import type { CallDecided, CallSettled, Entry, RetryScheduled } from '../journal/entry.ts';
import { durationText } from '../trace/duration-text.ts';
import { oneLine } from '../trace/safe-text.ts';
import { failureText, outcomeWords, valueText } from '../trace/span-words.ts';
import { cutText } from '../util/cut-text.ts';
import type { CommandText } from './command-text.ts';

/** Longest line of progress; `axle show` has the rest. */
const maxChars = 240;

export interface ProgressOptions {
  /** Stands before every line. */
  readonly label: string;
  /** With it a question comes with the command that answers it. */
  readonly commandText?: CommandText;
}

/** The lines of a run, entry by entry. It remembers which tool a call id names, and which failures it has told: each is told in full once. */
export class ProgressText {
  readonly #tools = new Map<string, string>();
  readonly #told = new Set<string>();
  /** Who has the run, as far as it was said. */
  #worker: string | undefined;
  #isBackingOff = false;
  readonly #nowMs: () => number;
  readonly #options: ProgressOptions;

  constructor(nowMs: () => number, options: ProgressOptions) {
    this.#nowMs = nowMs;
    this.#options = options;
  }

  /** For calls that were bound before the first entry that is shown. */
  knowTool(callId: string, tool: string): void {
    this.#tools.set(callId, tool);
  }

  /** Undefined for entries that say nothing by themselves. Safe to print. */
  line(entry: Entry): string | undefined {
    if (entry.type === 'call-bound') this.#tools.set(entry.call.callId, entry.call.tool);
    const text = this.#words(entry);
    if (text === undefined) return undefined;
    const { label } = this.#options;
    return cutText(oneLine(label === '' ? text : `${label}: ${text}`), maxChars);
  }

  /** A run that waits for longer than seconds is taken up again when its time has come: by the same driver that is no news. */
  #taken(worker: string): string | undefined {
    const isExpected = this.#isBackingOff && (this.#worker ?? worker) === worker;
    this.#worker = worker;
    this.#isBackingOff = false;
    return isExpected ? undefined : 'a driver has taken the run';
  }

  /** Whoever reads of it late, or of one without a pause, is not told of a wait that is over. */
  #backOff(name: string, { dueAtMs, attempt }: RetryScheduled): string {
    this.#isBackingOff = true;
    const leftMs = dueAtMs - this.#nowMs();
    return leftMs > 0
      ? `${name} waits ${durationText(leftMs)} before attempt ${attempt}`
      : `${name} is tried again: attempt ${attempt}`;
  }

  #words(entry: Entry): string | undefined {
    switch (entry.type) {
      case 'run-accepted':
        return `${entry.runId} is accepted`;
      case 'run-claimed':
        return this.#taken(entry.worker);
      case 'contract-migrated':
        return `${entry.contract.name} goes on as version ${entry.contract.version}, from version ${entry.fromVersion}`;
      case 'run-held':
        return `held: ${entry.reason}`;
      case 'run-finished':
        // The command itself says how the run ended.
        return undefined;
      case 'model-started':
        return entry.attempt === 1
          ? `model ${entry.step} is asked`
          : `model ${entry.step} is asked again, attempt ${entry.attempt}`;
      case 'model-failed':
        return `model failed after ${durationText(entry.tookMs)}: ${this.#failure(entry.failure)}`;
      case 'model-finished':
        return entry.unreadable === undefined ? undefined : `the model's answer could not be used: ${entry.unreadable}`;
      case 'message-received':
        return `message: ${entry.text}`;
      case 'cancel-requested':
        return `cancel requested: ${entry.reason}`;
      case 'post-refused':
        return `refused about ${entry.about}: ${entry.failure.message}`;
      case 'run-released':
      case 'contract-rebound':
      case 'timer-fired':
        return undefined;
      case 'call-bound':
      case 'call-refused':
      case 'call-decided':
      case 'approval-answered':
      case 'approval-expired':
      case 'call-admitted':
      case 'admission-refused':
      case 'breaker-changed':
      case 'attempt-started':
      case 'attempt-finished':
      case 'retry-scheduled':
      case 'authorization-requested':
      case 'authorization-answered':
      case 'authorization-expired':
      case 'call-fell-back':
      case 'call-cached':
      case 'call-recorded':
      case 'call-doubted':
      case 'verify-started':
      case 'verify-finished':
      case 'call-resolved':
      case 'evidence-received':
      case 'call-settled':
        return this.#callWords(entry);
    }
  }

  #callWords(entry: Extract<Entry, { readonly callId: string } | { readonly type: 'call-bound' }>): string | undefined {
    const callId = entry.type === 'call-bound' ? entry.call.callId : entry.callId;
    const name = `${entry.type === 'call-refused' ? entry.toolName : (this.#tools.get(callId) ?? 'call')} ${callId}`;
    switch (entry.type) {
      case 'call-bound':
        return `${name} ${valueText(entry.call.input)}`;
      case 'call-refused':
        return entry.dropped === true ? undefined : `${name} refused: ${this.#failure(entry.failure)}`;
      case 'call-decided':
        return decided(name, entry, this.#options.commandText);
      case 'approval-answered':
        return `${name} ${entry.verdict === 'approve' ? 'approved' : 'denied'}${entry.by === undefined ? '' : ` by ${entry.by}`}`;
      case 'approval-expired':
        return `${name}: nobody answered in time`;
      case 'call-admitted':
        return entry.waitedMs === 0
          ? undefined
          : `${name} waited ${durationText(entry.waitedMs)} for ${[...(entry.locks ?? []), ...(entry.upstream === undefined ? [] : [entry.upstream])].join(', ')}${entry.probe === true ? ' and tries it' : ''}`;
      case 'admission-refused':
        return `${name} refused by ${entry.upstream ?? entry.lock ?? 'its contract'}: ${this.#failure(entry.failure)}`;
      case 'breaker-changed':
        return `the breaker of ${entry.upstream} is ${entry.to}: ${entry.reason}`;
      case 'attempt-started':
        return entry.attempt === 1 ? undefined : `${name}, attempt ${entry.attempt}`;
      case 'attempt-finished':
        return entry.result.status === 'failed'
          ? `${name}, attempt ${entry.attempt} failed after ${durationText(entry.tookMs)}: ${this.#failure(entry.result.failure)}`
          : undefined;
      case 'retry-scheduled':
        return this.#backOff(name, entry);
      case 'authorization-requested':
        return asked(name, entry, this.#options.commandText);
      case 'authorization-answered':
        return `${name} ${entry.granted ? 'authorised' : 'not authorised'}${entry.by === undefined ? '' : ` by ${entry.by}`}`;
      case 'authorization-expired':
        return `${name}: nobody authorised it in time`;
      case 'call-fell-back':
        return `${name} is down: ${entry.call.tool} stands in, with ${valueText(entry.call.input)}`;
      case 'call-cached':
        return `${name} answered from the cache, ${durationText(entry.ageMs)} old`;
      case 'call-recorded':
        return `${name} answered from the recording: call ${entry.from}`;
      case 'call-doubted':
        return `${name} IN DOUBT: ${entry.reason === 'crash' ? 'its driver was lost at work' : 'nobody answered'}`;
      case 'verify-started':
        return `${name}: verify, round ${entry.round}`;
      case 'verify-finished':
        return `${name}: verify says ${entry.verdict.kind}`;
      case 'call-resolved':
        return `${name}: the doubt is settled by ${entry.by}: ${entry.verdict.kind}`;
      case 'evidence-received':
        return `${name}: a late answer of attempt ${entry.attempt}`;
      case 'call-settled':
        return `${name} ${this.#outcome(entry.outcome)}`;
    }
  }

  #outcome(outcome: CallSettled['outcome']): string {
    if (outcome === undefined) return 'succeeded';
    if (outcome.status !== 'failed') return outcomeWords(outcome);
    const effect = outcome.effectMayHaveHappened ? ' (its effect may have happened)' : '';
    return `failed ${this.#failure(outcome.failure)}${effect}`;
  }

  #failure(failure: Failure): string {
    if (this.#told.has(failure.message)) return failure.code;
    this.#told.add(failure.message);
    return failureText(failure);
  }
}

function decided(
  name: string,
  { decision, approval }: CallDecided,
  commandText: CommandText | undefined,
): string | undefined {
  switch (decision.kind) {
    case 'allow':
      return undefined;
    case 'deny':
      return `${name} denied by ${decision.rule}: ${decision.reason}`;
    case 'ask':
      return `${name} waits for approval: ${decision.reason}${commandText !== undefined && approval !== undefined ? ` (${commandText('approve', approval.approvalId)})` : ''}`;
  }
}

function asked(
  name: string,
  { callId, authorizationId, upstream }: AuthorizationRequested,
  commandText: CommandText | undefined,
): string {
  const [runId = ''] = authorizationId.split('/');
  const answer = commandText === undefined ? '' : ` (${commandText('authorize', `${runId}/${callId}`)})`;
  return `${name} waits until a person has authorised ${upstream}${answer}`;
}
