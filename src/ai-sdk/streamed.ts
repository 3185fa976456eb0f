/**
 * A streamed answer, put together into what `doGenerate` would have answered, and told piece by piece to whoever watches.
 *
 * S1 Nothing of a stream is used before its end: of one that breaks off in the middle of a call, or without a finish, nothing runs. (R28)
 * S2 Texts and reasoning stand where they began; a call stands where it was complete.
 * S3 The pieces that were told of a part are, together, its text: a character that a provider cut in two is told whole.
 */
import type { BrainDelta } from '../brain/brain.ts';
import { isRecord } from '../util/json.ts';

/** Characters and parts that one answer may have; the reader of answers has a limit of its own below this. */
const maxChars = 16_000_000;
const maxParts = 1_000_000;

export interface GatherOptions {
  /** Ends the reading; what was read is then an answer that was interrupted. */
  readonly signal: AbortSignal;
  readonly onDelta?: ((delta: BrainDelta) => void) | undefined;
  /** The tool that a name on the wire stands for. */
  readonly nameOf: (nameOnWire: string) => string;
}

/** Reads a stream of the specification to its end. Throws what the stream says is an error. */
export async function gather(result: unknown, options: GatherOptions): Promise<unknown> {
  const stream = isRecord(result) ? result['stream'] : undefined;
  if (!(stream instanceof ReadableStream)) return undefined;
  const answer = new GatheredAnswer(options);
  const reader = stream.getReader();
  const stop = (): void => {
    reader.cancel().catch(() => {
      // A stream that cannot be cancelled has ended, one way or another.
    });
  };
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      // A stream of the specification carries parts; each is looked at as unknown data.
      const { done, value } = await (reader.read() as Promise<{ readonly done: boolean; readonly value?: unknown }>);
      if (done || options.signal.aborted) break;
      answer.take(value);
    }
  } finally {
    options.signal.removeEventListener('abort', stop);
    stop();
  }
  return answer.result;
}

/** Text that is still being written. */
class Piece {
  readonly type: 'text' | 'reasoning';
  text = '';
  providerMetadata: unknown;
  readonly told: Told;

  constructor(type: Piece['type'], providerMetadata: unknown, told: Told) {
    this.type = type;
    this.providerMetadata = providerMetadata;
    this.told = told;
  }
}

/** What was told of one part: a half of a character waits for the other one. */
class Told {
  readonly #tell: (text: string) => void;
  #half = '';
  #isAny = false;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  get isAny(): boolean {
    return this.#isAny;
  }

  more(piece: string): void {
    const text = this.#half + piece;
    this.#half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
    const whole = text.slice(0, text.length - this.#half.length);
    if (whole === '') return;
    this.#isAny = true;
    this.#tell(whole.toWellFormed());
  }

  end(): void {
    if (this.#half !== '') this.#tell(this.#half.toWellFormed());
    this.#half = '';
  }
}

class GatheredAnswer {
  readonly #options: GatherOptions;
  readonly #content: unknown[] = [];
  readonly #open = new Map<string, Piece>();
  readonly #calls = new Map<string, Told>();
  #finish: Readonly<Record<string, unknown>> | undefined;
  #response: unknown;
  #chars = 0;
  #parts = 0;
  /** Parts that have begun. */
  #begun = 0;

  constructor(options: GatherOptions) {
    this.#options = options;
  }

  /** What `doGenerate` answers; without a finish the stream was interrupted. */
  get result(): unknown {
    const { finishReason = { unified: 'interrupted' }, usage } = this.#finish ?? {};
    const content = this.#content.map((part) =>
      part instanceof Piece ? { type: part.type, text: part.text, providerMetadata: part.providerMetadata } : part,
    );
    return { content, finishReason, usage, response: this.#response };
  }

  take(part: unknown): void {
    if (!isRecord(part)) return;
    this.#parts += 1;
    if (this.#parts > maxParts || this.#chars > maxChars) {
      throw new Error(`The answer is longer than ${maxChars} characters or ${maxParts} parts.`);
    }
    switch (part['type']) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part, part['type'] === 'text-start' ? 'text' : 'reasoning');
        break;
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        this.#goOn(part);
        break;
      case 'tool-input-start':
        this.#beginCall(part['id'], part['toolName'], part['providerExecuted'] === true);
        break;
      case 'tool-input-delta':
        if (typeof part['delta'] === 'string') this.#calls.get(String(part['id']))?.more(part['delta']);
        break;
      case 'tool-call':
        this.#content.push(part);
        this.#endCall(part);
        break;
      case 'response-metadata':
        this.#response = part;
        break;
      case 'finish':
        this.#finish = part;
        break;
      case 'error':
        throw part['error'];
      default:
    }
  }

  #begin(part: Readonly<Record<string, unknown>>, kind: Piece['type']): void {
    const number = this.#nextPart();
    const told = new Told((text) => this.#options.onDelta?.({ kind, part: number, text }));
    const piece = new Piece(kind, part['providerMetadata'], told);
    this.#open.set(`${kind} ${String(part['id'])}`, piece);
    this.#content.push(piece);
  }

  /** The last metadata of a piece counts: signatures come at its end. */
  #goOn(part: Readonly<Record<string, unknown>>): void {
    const [type, step] = String(part['type']).split('-');
    const piece = this.#open.get(`${type} ${String(part['id'])}`);
    if (piece === undefined) return;
    if (typeof part['delta'] === 'string') {
      piece.text += part['delta'];
      this.#chars += part['delta'].length;
      piece.told.more(part['delta']);
    }
    if (step === 'end') piece.told.end();
    piece.providerMetadata = part['providerMetadata'] ?? piece.providerMetadata;
  }

  /** What a provider does on its own side is nobody's call here. */
  #beginCall(id: unknown, name: unknown, isProviders: boolean): Told | undefined {
    if (isProviders || typeof id !== 'string' || typeof name !== 'string') return undefined;
    const about = {
      kind: 'call',
      part: this.#nextPart(),
      toolCallId: id.toWellFormed(),
      toolName: this.#options.nameOf(name.toWellFormed()),
    } as const;
    const told = new Told((text) => this.#options.onDelta?.({ ...about, text }));
    this.#calls.set(id, told);
    this.#options.onDelta?.({ ...about, text: '' });
    return told;
  }

  /** A provider that sends a call whole has told no pieces of it. */
  #endCall({ toolCallId, toolName, input, providerExecuted }: Readonly<Record<string, unknown>>): void {
    const told =
      this.#calls.get(String(toolCallId)) ?? this.#beginCall(toolCallId, toolName, providerExecuted === true);
    if (told?.isAny === false && typeof input === 'string') told.more(input);
    told?.end();
  }

  #nextPart(): number {
    this.#begun += 1;
    return this.#begun - 1;
  }
}
