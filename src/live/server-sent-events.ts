/**
 * Stream events as server-sent events, and back: `id:`, `event:` and `data:` lines, as browsers and every HTTP client that knows the format read them.
 *
 * T1 An event counts once its blank line has come: of one that a connection cut off, nothing is taken, its id included, so that it comes again.
 */
import { isRecord } from '../util/json.ts';
import { type ResetReason, resetReasons, type StreamEvent } from './stream-event.ts';

/** One stream event, ready to be written. */
export function toServerSentEvent(event: StreamEvent): string {
  return `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Written into silence, so that nobody in between takes the connection for dead; readers pass over it. */
export const keepAliveComment = ': keep-alive\n\n';

/** An event as it came over the wire. */
export interface ServerSentEvent {
  /** The last id that was sent, with this event or before it. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Characters of one event at most; a peer that sends more is not listened to. */
const maxChars = 64 * 1024 * 1024;

/** Reads server-sent events from the pieces in which a connection brings them, wherever it cuts them. */
export class ServerSentEventReader {
  readonly #decoder = new TextDecoder('utf-8');
  #rest = '';
  #id = '';
  #event = '';
  #data: string[] = [];
  #chars = 0;

  /** The events that a piece completes. @throws RangeError for an event of more than 64 million characters */
  push(piece: Uint8Array | string): readonly ServerSentEvent[] {
    const text = this.#rest + (typeof piece === 'string' ? piece : this.#decoder.decode(piece, { stream: true }));
    const events: ServerSentEvent[] = [];
    let from = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      // A carriage return at the very end may be the first half of a line end.
      if (end === '\r' && index === text.length - 1) break;
      const event = this.#line(text.slice(from, index));
      if (event !== undefined) events.push(event);
      from = index + end.length;
    }
    this.#rest = text.slice(from);
    if (this.#chars + this.#rest.length > maxChars) throw new RangeError('A server-sent event is longer than 64 MB.');
    return events;
  }

  #line(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch();
    this.#chars += line.length;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerSentEvent | undefined {
    const event = { id: this.#id, event: this.#event === '' ? 'message' : this.#event, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    this.#chars = 0;
    return isEmpty ? undefined : event;
  }
}

/** What stands in the data of an event that `toServerSentEvent` wrote; undefined for anything else. Entries are believed: the journal has looked at them. */
export function readStreamEvent({ data }: ServerSentEvent): StreamEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  return isStreamEvent(value) ? value : undefined;
}

function isStreamEvent(value: unknown): value is StreamEvent {
  if (!isRecord(value) || typeof value['id'] !== 'string') return false;
  switch (value['kind']) {
    case 'entry':
      return typeof value['seq'] === 'number' && isRecord(value['entry']) && typeof value['entry']['type'] === 'string';
    case 'text-delta':
    case 'reasoning-delta':
    case 'call-delta':
      return typeof value['text'] === 'string' && typeof value['part'] === 'number';
    case 'tool-progress':
    case 'tool-log':
      return typeof value['callId'] === 'string';
    case 'waiting':
      return Array.isArray(value['on']);
    case 'reset':
      return isResetReason(value['reason']);
    case 'ended':
      return true;
    default:
      return false;
  }
}

function isResetReason(value: unknown): value is ResetReason {
  return resetReasons.some((reason) => reason === value);
}
