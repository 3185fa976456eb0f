/**
 * Runs of any size, made from a seed: the same seed gives the same appends, and the fold of `run/` takes them all. For the tests and figures of whoever shows runs.
 */
import type { Failure } from '../../src/call/outcome.ts';
import type { Append, CallResolved, Entry, Verdict } from '../../src/journal/entry.ts';
import type { JsonValue } from '../../src/util/json.ts';
import { oneOf, seededRandom, wholeBetween } from '../kill/random.ts';
import {
  accepted,
  allowed,
  asks,
  bound,
  JournalWriter,
  noonMs,
  overloaded,
  settled,
  started,
  succeeded,
} from './journal-writer.ts';

export interface SeededRunOptions {
  readonly seed: number;
  /** Rows of the table, roughly: the run ends with the first step that reaches it. */
  readonly spans: number;
  /** Calls of one turn, at most 128. @defaultValue 3 */
  readonly width?: number;
  /** Share of attempts that a crash cuts off, and of writes that nobody answers. @defaultValue 0.02 */
  readonly crashes?: number;
  /** Share of attempts of reads that fail. @defaultValue 0.1 */
  readonly failures?: number;
  /** Characters of one output in the middle of the run. @defaultValue none that is large */
  readonly bodyLength?: number;
  /** Texts that are hard to show stand wherever a model, a tool or a person writes. @defaultValue false */
  readonly isHostile?: boolean;
  /** The run has not ended: calls are under way, one waits for a person. @defaultValue false */
  readonly isUnfinished?: boolean;
}

/** Texts that break what shows them carelessly. */
export const hostileTexts: readonly string[] = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  'javascript:alert(1)',
  '[a link](javascript:alert(1)) ![i](https://example.invalid/pixel.png)',
  '{{constructor.constructor("alert(1)")()}} ${7*7}',
  '\u001b[2J\u001b[31mred\u001b[0m\u0007',
  '\u202egnp.exe\u202c \u2066left\u2069',
  'مرحبا بالعالم، هذا نص من اليمين إلى اليسار',
  'שלום עולם',
  '👩‍👩‍👧‍👦🏳️‍🌈🤦🏽‍♂️'.repeat(20),
  'Z̴̡̛a̵l̸g̶o̵'.repeat(20),
  'line one\nline two\r\nline three\u2028line four',
  'word'.repeat(1_000),
  '\u0000\u0001\u007f',
  '',
  ' ',
  '"; DROP TABLE runs; --',
  '../../etc/passwd',
  'https://example.invalid/?q=<b>&amp;',
];

const refused: Failure = { code: 'tool-failed', class: 'fatal', message: 'The card was declined.', evidence: 'none' };
const silence: Failure = {
  code: 'tool-timed-out',
  class: 'retryable',
  message: 'No answer within 10 s.',
  evidence: 'unknown',
};

/** The appends of a run. */
export function seededRun(options: SeededRunOptions): readonly Append[] {
  return new SeededRun(options).write();
}

class SeededRun {
  readonly #options: SeededRunOptions;
  readonly #random: () => number;
  readonly #journal = new JournalWriter();
  #atMs = 0;
  #items = 1;
  #rows = 1;
  #hasLargeBody = false;

  constructor(options: SeededRunOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
  }

  write(): readonly Append[] {
    this.#journal.at(0, accepted(this.#text('Plan the journey.')));
    let step = 1;
    for (; this.#rows < this.#options.spans; step += 1) this.#turn(step);
    if (this.#options.isUnfinished === true) this.#openTurn(step);
    else this.#finish(step);
    return this.#journal.appends();
  }

  #turn(step: number): void {
    const count = wholeBetween(this.#random, 1, Math.min(128, this.#options.width ?? 3));
    const tools = Array.from({ length: count }, () =>
      oneOf(this.#random, ['get_weather', 'get_weather', 'put_file', 'send_mail'] as const),
    );
    this.#askModel(step);
    this.#answer(step, tools);
    // Reads of a turn overlap; everything else follows one after another.
    tools.forEach((tool, place) => this.#perform(`${step}.${place}`, tool));
    this.#items += 2;
    this.#rows += 1;
    if (this.#random() < 0.05) {
      this.#say({ type: 'message-received', text: this.#text('Please hurry.') });
      this.#items += 1;
      this.#rows += 1;
    }
  }

  #askModel(step: number): void {
    let attempt = 1;
    this.#rows += 2;
    this.#say({ type: 'model-started', step, attempt, items: this.#items, contextHash: `context-${step}` });
    while (this.#random() < 0.03 && attempt < 3) {
      const retryAtMs = noonMs + this.#after(200) + 1_000;
      this.#say({ type: 'model-failed', failure: overloaded, tookMs: 200, retryAtMs });
      attempt += 1;
      this.#after(1_000);
      this.#say({ type: 'model-started', step, attempt, items: this.#items, contextHash: `context-${step}` });
      this.#rows += 2;
    }
    this.#after(wholeBetween(this.#random, 300, 4_000));
  }

  #answer(step: number, tools: readonly string[]): void {
    const inputs = tools.map((tool) => ({
      about: this.#text(`${tool} of step ${step}`),
      cents: wholeBetween(this.#random, 1, 9_999),
    }));
    const parts = [
      { kind: 'reasoning', text: this.#text('The weather decides, so I look at it first.') } as const,
      ...tools.map((tool, place) => asks(`t${step}.${place}`, tool, JSON.stringify(inputs[place]))),
    ];
    const usage = { inputTokens: 500 + step * 90, outputTokens: wholeBetween(this.#random, 20, 400) };
    this.#say(
      { type: 'model-finished', parts, finishReason: 'tool-calls', usage, tookMs: 0 },
      ...tools.map((tool, place) => bound(`${step}.${place}`, tool, inputs[place] ?? {})),
    );
    this.#rows += tools.length;
  }

  #perform(callId: string, tool: string): void {
    if (tool === 'send_mail' && this.#random() < 0.2) {
      if (!this.#approve(callId)) return;
    } else this.#say(allowed(callId));
    for (let attempt = 1; ; attempt += 1) {
      this.#say(started(callId, attempt));
      this.#rows += 1;
      this.#after(wholeBetween(this.#random, 5, 1_500));
      if (this.#random() < (this.#options.crashes ?? 0.02)) {
        if (this.#crash(callId, { tool, attempt })) return;
      } else if (tool !== 'send_mail' && attempt < 4 && this.#random() < (this.#options.failures ?? 0.1)) {
        this.#fail(callId, attempt);
      } else {
        this.#end(callId, attempt);
        return;
      }
    }
  }

  /** False when the person refuses. */
  #approve(callId: string): boolean {
    const approvalId = `run/${callId}`;
    const decision = {
      kind: 'ask',
      rule: 'risk',
      reason: this.#text('Mail cannot be taken back.'),
      expiresAfterMs: 86_400_000,
    } as const;
    this.#say({
      type: 'call-decided',
      callId,
      decision,
      approval: { approvalId, expiresAtMs: noonMs + this.#atMs + 86_400_000 },
    });
    this.#rows += 1;
    this.#after(wholeBetween(this.#random, 5_000, 600_000));
    const verdict = this.#random() < 0.2 ? 'deny' : 'approve';
    this.#say({
      type: 'approval-answered',
      approvalId,
      callId,
      argsHash: `args-${callId}`,
      verdict,
      by: 'ada',
      note: this.#text('As agreed.'),
    });
    return verdict === 'approve';
  }

  #fail(callId: string, attempt: number): void {
    this.#say(
      {
        type: 'attempt-finished',
        callId,
        attempt,
        result: { status: 'failed', failure: oneOf(this.#random, [overloaded, silence]) },
        tookMs: 1,
      },
      { type: 'retry-scheduled', callId, attempt: attempt + 1, dueAtMs: noonMs + this.#atMs + 2_000 },
    );
    this.#rows += 1;
    this.#after(2_000);
  }

  #end(callId: string, attempt: number): void {
    if (this.#random() < 0.05) {
      const result = { status: 'failed', failure: { ...refused, message: this.#text(refused.message) } } as const;
      this.#say(
        { type: 'attempt-finished', callId, attempt, result, tookMs: 1 },
        { type: 'call-settled', callId, status: 'failed', outcome: { ...result, effectMayHaveHappened: false } },
      );
      return;
    }
    this.#say(succeeded(callId, this.#output(), attempt), settled(callId));
  }

  /** The driver is lost during an attempt; the next one repeats a read, and finds out about a write. True when that settled the call. */
  #crash(callId: string, { tool, attempt }: { readonly tool: string; readonly attempt: number }): boolean {
    this.#after(wholeBetween(this.#random, 100, 30_000));
    this.#journal.claimed(this.#atMs);
    this.#rows += 1;
    if (tool !== 'send_mail') return false;
    this.#say({ type: 'call-doubted', callId, attempt, reason: 'crash', verifyAtMs: noonMs + this.#after(10_000) });
    this.#rows += 3;
    this.#say({ type: 'verify-started', callId, round: 1 });
    this.#after(50);
    const happened: Verdict & { kind: 'happened' } = { kind: 'happened', output: { sent: true } };
    const isKnown = this.#random() < 0.7;
    this.#say({
      type: 'verify-finished',
      callId,
      round: 1,
      verdict: isKnown ? happened : { kind: 'unknown' },
      tookMs: 50,
    });
    if (!isKnown) this.#after(60_000);
    const by: CallResolved['by'] = isKnown ? 'verify' : 'person';
    this.#say(
      { type: 'call-resolved', callId, verdict: happened, by, note: this.#text('Seen in the outbox.') },
      settled(callId),
    );
    return true;
  }

  /** Calls that nobody has answered: one is at work, one waits for a person. */
  #openTurn(step: number): void {
    this.#askModel(step);
    this.#answer(step, ['get_weather', 'send_mail']);
    this.#say(allowed(`${step}.0`), started(`${step}.0`));
    const decision = {
      kind: 'ask',
      rule: 'risk',
      reason: 'Mail cannot be taken back.',
      expiresAfterMs: 86_400_000,
    } as const;
    const approval = { approvalId: `run/${step}.1`, expiresAtMs: noonMs + this.#atMs + 86_400_000 };
    this.#say({ type: 'call-decided', callId: `${step}.1`, decision, approval });
  }

  #finish(step: number): void {
    this.#askModel(step);
    const text = this.#text('All is booked.');
    const usage = { inputTokens: 500, outputTokens: 10 };
    this.#say({
      type: 'model-finished',
      parts: [{ kind: 'text', text: `Done. ${text}` }],
      finishReason: 'stop',
      usage,
      tookMs: 0,
    });
    this.#say({ type: 'run-finished', ending: 'completed', output: `Done. ${text}` });
  }

  #output(): JsonValue {
    const { bodyLength = 0, spans } = this.#options;
    if (bodyLength > 0 && !this.#hasLargeBody && this.#rows > spans / 2) {
      this.#hasLargeBody = true;
      const row = { id: 7, name: 'a row of a large result', tags: ['x', 'y'] };
      return { rows: Array.from({ length: Math.ceil(bodyLength / JSON.stringify(row).length) }, () => row) };
    }
    return { degrees: wholeBetween(this.#random, -20, 35), text: this.#text('Light rain.') };
  }

  #text(usual: string): string {
    return this.#options.isHostile === true ? oneOf(this.#random, hostileTexts) : usual;
  }

  #say(...entries: readonly Entry[]): void {
    this.#journal.at(this.#atMs, ...entries);
  }

  /** Lets time pass and gives the time after it. */
  #after(ms: number): number {
    this.#atMs += ms;
    return this.#atMs;
  }
}
