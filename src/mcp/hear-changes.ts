/**
 * Hears when a server's tools change: by notices that come unasked in the older revision, on a stream that is kept open in the newer. While there is no stream,
 * each try to open one has the list read again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { messageOf } from '../error/axle-error.ts';

export interface ChangeListener {
  /** Milliseconds until the server must have confirmed a stream. */
  readonly timeoutMs: number;
  /** False once the client is not used any more. */
  readonly isUsed: () => boolean;
  /** Something has changed, or may have. Must not reject. */
  readonly onChange: () => Promise<void>;
  /** Nothing is heard for now, for this reason. */
  readonly onSilence: (why: string) => void;
}

/** Several changes in a row are one. */
const gatherMs = 50;
/** Between two tries to open a stream. */
const pauses: { readonly firstMs: number; readonly longestMs: number } = { firstMs: 500, longestMs: 60_000 };

/** Listens until the client is not used any more. A server that does not tell of changes is not listened to. */
export function hearChanges(client: Client, listener: ChangeListener): void {
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
  let gathering: NodeJS.Timeout | undefined;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    // Not put off by the next one, or a server that never stops would never be listened to.
    gathering ??= setTimeout(() => {
      gathering = undefined;
      if (listener.isUsed()) void listener.onChange();
    }, gatherMs).unref();
  });
  if (client.getProtocolEra() === 'modern') void keepListening(client, listener);
}

async function keepListening(client: Client, listener: ChangeListener): Promise<void> {
  const { timeoutMs, isUsed, onChange, onSilence } = listener;
  for (let pauseMs = pauses.firstMs; isUsed(); pauseMs = Math.min(2 * pauseMs, pauses.longestMs)) {
    let why = 'it ended the stream on which it tells of them';
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { timeout: timeoutMs });
      pauseMs = pauses.firstMs;
      await subscription.closed;
    } catch (error) {
      why = messageOf(error);
    }
    if (!isUsed()) return;
    if (pauseMs === pauses.firstMs) onSilence(why);
    await delay(pauseMs, undefined, { ref: false });
    if (isUsed()) await onChange();
  }
}
