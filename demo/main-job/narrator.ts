/**
 * What the demo tells about a run, one line an entry: from the entries of its journal, in their order, and from nothing else. What was
 * written by a model or by a service is cut and freed of control characters, so that it can write nothing on the terminal but text.
 */
import type { Entry, RunEvent } from '../../src/axle.ts';
import type { BoundCall } from '../../src/call/call.ts';
import type { AttemptResult, Failure } from '../../src/call/outcome.ts';
import { epochOf } from './figures.ts';

type EntryOf<Type extends Entry['type']> = Extract<Entry, { type: Type }>;

const longestText = 150;

export class Narrator {
  readonly #toolsOfCalls = new Map<string, string>();
  readonly #results = new Map<string, AttemptResult>();
  /** Calls with an attempt that has not ended. */
  readonly #underWay = new Set<string>();

  /** The lines that an entry is worth: none for what only the machinery cares about. */
  tell(event: RunEvent): readonly string[] {
    const { entry } = event;
    switch (entry.type) {
      case 'run-claimed':
        return epochOf(event) > 1 ? [`The run goes on from its journal (epoch ${epochOf(event)}).`] : [];
      case 'run-held':
        return [`The run is held: ${plain(entry.reason)} ${plain(entry.remedy)}`];
      case 'contract-migrated':
        return [`${plain(entry.contract.name)} goes on as version ${entry.contract.version}.`];
      case 'model-finished':
        return this.#tellModel(entry);
      case 'model-failed':
        return [
          `The model failed: ${about(entry.failure)}${entry.retryAtMs === undefined ? '' : ' It is asked again.'}`,
        ];
      case 'call-bound':
        return this.#tellBound(entry.call);
      case 'call-refused':
        return entry.dropped === true
          ? []
          : [`Refused ${plain(entry.toolName)} before it could run, and told the model why: ${about(entry.failure)}`];
      case 'call-decided':
        return this.#tellDecision(entry);
      case 'approval-answered':
        return [
          `Answered: ${entry.verdict} ${this.#tool(entry.callId)}${entry.by === undefined ? '' : `, by ${plain(entry.by)}`}.${entry.note === undefined ? '' : ` "${plain(entry.note)}"`}`,
        ];
      case 'approval-expired':
        return [`Nobody answered in time: ${this.#tool(entry.callId)} is not made.`];
      case 'attempt-started':
        return this.#tellAttempt(entry);
      case 'attempt-finished':
        this.#underWay.delete(entry.callId);
        this.#results.set(entry.callId, entry.result);
        return [
          `${this.#tool(entry.callId)}: ${entry.result.status === 'succeeded' ? `done in ${entry.tookMs} ms.` : `failed: ${about(entry.result.failure)}`}`,
        ];
      case 'retry-scheduled':
        return [this.#tellWait(entry, event.atMs)];
      case 'authorization-requested':
        return [`${this.#tool(entry.callId)} waits until somebody has authorised ${plain(entry.upstream)}.`];
      case 'authorization-answered':
        return [`${plain(entry.authorizationId)}: ${entry.granted ? 'authorised' : 'not authorised'}.`];
      case 'authorization-expired':
        return [`Nobody authorised ${this.#tool(entry.callId)} in time.`];
      case 'call-fell-back':
        return [`${this.#tool(entry.callId)} is down: ${plain(entry.call.tool)} stands in for it.`];
      case 'call-cached':
        return [`${this.#tool(entry.callId)}: answered by a kept result.`];
      case 'call-recorded':
        return [`${this.#tool(entry.callId)}: answered by its recorded result.`];
      case 'call-doubted':
        return this.#tellDoubt(entry, event.atMs);
      case 'verify-finished':
        return [`${this.#tool(entry.callId)}: its verify says: ${verdicts[entry.verdict.kind]}.`];
      case 'call-resolved':
        return [
          `The doubt is settled by ${entry.by}: ${entry.verdict.kind === 'told' ? 'the model is told' : verdicts[entry.verdict.kind]}. Nothing is sent again on a guess.`,
        ];
      case 'evidence-received':
        return [`${this.#tool(entry.callId)}: a late answer came in and was kept as evidence.`];
      case 'call-settled':
        return entry.outcome?.status === 'failed'
          ? [`${this.#tool(entry.callId)}: no retry would help, so the model is told what was wrong.`]
          : [];
      case 'cancel-requested':
        return [`Cancelled: ${plain(entry.reason)}`];
      case 'run-finished':
        return [
          `The run has ${entry.ending === 'completed' ? 'completed' : `ended: ${entry.ending}${entry.failure === undefined ? '' : `, ${about(entry.failure)}`}`}.`,
        ];
      case 'call-admitted':
      case 'admission-refused':
      case 'breaker-changed':
      case 'run-accepted':
      case 'run-released':
      case 'contract-rebound':
      case 'model-started':
      case 'verify-started':
      case 'timer-fired':
      case 'message-received':
      case 'post-refused':
        return [];
    }
  }

  #tellModel({ parts }: EntryOf<'model-finished'>): readonly string[] {
    const words = parts
      .flatMap((part) => (part.kind === 'text' && part.text.trim() !== '' ? [part.text] : []))
      .join(' ');
    const calls = parts.flatMap((part) =>
      part.kind === 'call' ? [`${plain(part.toolName)} ${plain(part.argumentsText)}`] : [],
    );
    return [
      ...(words === '' ? [] : [`Model: "${plain(words, 220)}"`]),
      ...calls.map((call) => `Model asks for ${call}`),
    ];
  }

  #tellBound(call: BoundCall): readonly string[] {
    this.#toolsOfCalls.set(call.callId, call.tool);
    return (call.repairs ?? []).map(
      ({ rule, path, before, after }) =>
        `Repaired before it ran: ${plain(path.slice(1))} ${plain(JSON.stringify(before))} became ${plain(JSON.stringify(after))} (${rule}), without another model call.`,
    );
  }

  #tellDecision({ callId, decision, approval }: EntryOf<'call-decided'>): readonly string[] {
    if (decision.kind === 'deny') return [`${this.#tool(callId)} is denied: ${plain(decision.reason)}`];
    if (approval === undefined) return [];
    return [`${this.#tool(callId)} waits for a person: ${decision.kind === 'ask' ? plain(decision.reason) : ''}`];
  }

  #tellAttempt({ callId, attempt }: EntryOf<'attempt-started'>): readonly string[] {
    const isCutOff = this.#underWay.has(callId);
    this.#underWay.add(callId);
    return [`${this.#tool(callId)}: attempt ${attempt}${isCutOff ? ', since the one before was cut off' : ''}.`];
  }

  #tellWait({ callId, attempt, dueAtMs }: EntryOf<'retry-scheduled'>, atMs: number): string {
    const result = this.#results.get(callId);
    const asked = result?.status === 'failed' && result.failure.retryAfterMs !== undefined;
    const seconds = secondsOf(dueAtMs - atMs);
    return asked
      ? `${this.#tool(callId)}: the service asked for ${seconds} (Retry-After), so attempt ${attempt} waits exactly that long.`
      : `${this.#tool(callId)}: attempt ${attempt} follows in ${seconds} (back-off with jitter).`;
  }

  #tellDoubt({ callId, reason, verifyAtMs }: EntryOf<'call-doubted'>, atMs: number): readonly string[] {
    const tool = this.#tool(callId);
    const why = reason === 'crash' ? 'its process died before the answer' : 'nobody answered';
    const lines = [
      `In doubt: ${tool} was started, and ${why}. It may or may not have happened, so it is not simply sent again.`,
    ];
    if (verifyAtMs === undefined) return [...lines, `${tool} has no verify: a person must say what happened.`];
    const waitMs = verifyAtMs - atMs;
    if (waitMs <= 0) return lines;
    return [
      ...lines,
      `Waiting ${secondsOf(waitMs)}: a process that only looked dead could still send it until the call's time limit; only then is verify believed.`,
    ];
  }

  #tool(callId: string): string {
    return plain(this.#toolsOfCalls.get(callId) ?? `call ${callId}`);
  }
}

const verdicts = {
  happened: 'it happened',
  'not-happened': 'it did not happen',
  unknown: 'that cannot be told',
} as const;

function about(failure: Failure): string {
  return plain(failure.message);
}

function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** A text of others on one line, without control characters and direction marks, and not too long. */
export function plain(text: string | undefined, limit: number = longestText): string {
  const line = (text ?? '').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}
