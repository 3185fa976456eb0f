/** The stream of a run as it goes over the wire: large values of entries stand in it by name, as in every other answer. */
import type { Store } from '../../journal/store.ts';
import type { StreamEvent } from '../../live/stream-event.ts';
import type { StreamedEvent } from './event-stream.ts';

/** Characters of an entry from which on it is looked at for large values. */
const largeEntryChars = 8_192;

/** Listeners of a run are given the same event: what was made of it is made once. */
const shownEvents = new WeakMap<StreamEvent, Promise<StreamEvent>>();

export async function* runEvents(
  store: Pick<Store, 'read'>,
  runId: string,
  events: AsyncIterable<StreamEvent>,
): AsyncGenerator<StreamedEvent> {
  for await (const event of events) {
    const shown = shownEvents.get(event) ?? byReference(store, runId, event);
    shownEvents.set(event, shown);
    yield { id: event.id, data: await shown };
  }
}

async function byReference(store: Pick<Store, 'read'>, runId: string, event: StreamEvent): Promise<StreamEvent> {
  if (event.kind !== 'entry') return event;
  const text = JSON.stringify(event.entry);
  if (text.length < largeEntryChars && !text.includes('"$body"')) return event;
  const [append] = await store.read(runId, { afterSeq: event.seq - 1, limit: 1, bodies: 'reference' });
  const entry = append?.entries[event.seq - append.firstSeq];
  return entry === undefined ? event : { ...event, entry };
}
