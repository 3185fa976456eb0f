/**
 * A stream of server-sent events over `fetch`, since `EventSource` carries no token.
 *
 *   connecting ──answer──► open ──end or fault──► waiting ──time──► connecting
 *   any ──abort──► closed        connecting ──4xx──► refused
 *
 * The id of the last event goes back as `Last-Event-ID`, so nothing is missed and nothing seen twice.
 */
import { type ServerSentEvent, ServerSentEventReader } from '../../../src/live/server-sent-events.ts';
import { pause } from './pause.ts';
import { ask, RequestFailed } from './request.ts';

export interface StreamOptions {
  readonly path: string;
  /** Where to go on, when something is known already. */
  readonly after?: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: ServerSentEvent) => void;
  readonly onState?: (state: 'open' | 'waiting' | 'refused') => void;
}

const firstDelayMs = 500;
const longestDelayMs = 15_000;
/** The wait after a stream that was there for a while and was ended in order: the server has something new, and can be asked at once. */
const endedDelayMs = 20;
const whileMs = 1_000;

/** Follows a stream until it is aborted, refused, or `onEvent` aborts it. */
export async function followStream(options: StreamOptions): Promise<void> {
  const { path, signal, onEvent, onState } = options;
  let lastId = options.after;
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    let isEnded = false;
    try {
      const response = await ask(path, {
        headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
        signal,
      });
      onState?.('open');
      const openedMs = performance.now();
      for await (const event of eventsOf(response)) {
        delayMs = firstDelayMs;
        if (event.id !== '') lastId = event.id;
        onEvent(event);
      }
      isEnded = performance.now() - openedMs >= whileMs;
    } catch (error) {
      if (isAborted(signal)) return;
      if (error instanceof RequestFailed && error.status >= 400 && error.status < 500 && error.status !== 429) {
        onState?.('refused');
        return;
      }
    }
    if (isAborted(signal)) return;
    onState?.('waiting');
    await pause((isEnded ? endedDelayMs : delayMs) * (0.75 + Math.random() / 2), signal);
    if (!isEnded) delayMs = Math.min(longestDelayMs, delayMs * 2);
  }
}

/** Asked through a function, since an await lies between. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function* eventsOf(response: Response): AsyncGenerator<ServerSentEvent> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const events = new ServerSentEventReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield* events.push(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
