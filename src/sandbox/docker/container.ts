/** A container from its creation to its removal, as far as all of them have it in common. */
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '../../util/json.ts';
import { type EngineClient, EngineFault } from './engine-client.ts';

/** A container that has been started, with the streams of its first process. */
export interface Started {
  readonly id: string;
  readonly socket: Socket;
  /** What came with the answer to the attachment. */
  readonly head: Buffer;
  /** Resolves with the code with which it ended. */
  readonly ended: Promise<number>;
}

/**
 * Creates, attaches and starts a container; one that does not come so far is removed.
 * @param livesMs How long it may live at most
 */
export async function startContainer(engine: EngineClient, body: object, livesMs: number): Promise<Started> {
  const id = idOf(await engine.ask({ method: 'POST', path: '/containers/create', body }));
  try {
    const { socket, head } = await engine.attach(id);
    socket.on('error', () => undefined);
    // Asked before the start, so that no exit is missed; the time limit is its own.
    const ended = engine
      .ask({ method: 'POST', path: `/containers/${id}/wait?condition=next-exit`, idleMs: livesMs + 60_000 })
      .then(codeOf);
    ended.catch(() => undefined);
    const isUnsure = await engine.ask({ method: 'POST', path: `/containers/${id}/start` }).then(
      () => false,
      (error: unknown) => {
        // Without an answer it may have been started all the same.
        if (error instanceof EngineFault && error.status === 0) return true;
        throw error;
      },
    );
    return { id, socket, head, ended: isUnsure ? unknownEnd() : ended };
  } catch (error) {
    await removeContainer(engine, id);
    throw error;
  }
}

/** Twice, since an engine that is busy killing it may refuse the first time. */
export async function removeContainer(engine: EngineClient, id: string): Promise<void> {
  const once = (): Promise<unknown> => engine.ask({ method: 'DELETE', path: `/containers/${id}?force=1&v=1` });
  await once().catch(async () => {
    await delay(200);
    await once().catch(() => undefined);
  });
}

function idOf(created: unknown): string {
  if (isRecord(created) && typeof created['Id'] === 'string') return created['Id'];
  throw new Error('the engine created a container without saying which');
}

function codeOf(waited: unknown): number {
  if (isRecord(waited) && typeof waited['StatusCode'] === 'number') return waited['StatusCode'];
  throw new Error('the engine did not say how the container ended');
}

function unknownEnd(): Promise<number> {
  const unknown = Promise.reject<number>(new Error('the engine did not say whether the container was started'));
  // Whoever waits hears of it.
  unknown.catch(() => undefined);
  return unknown;
}
