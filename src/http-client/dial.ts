/**
 * Connects to an address that was checked, and proves who is there where the URL says https.
 *
 * D1 Node is handed an address and no name, and a look-up that fails: it cannot resolve anything. (G1)
 * D2 The certificate is checked against the URL's host, whatever the environment says (`NODE_TLS_REJECT_UNAUTHORIZED`).
 * D3 No proxy of the environment is used: the socket is opened here.
 * D4 Whatever fails here, nothing of the request was sent.
 */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Timers } from '../util/clock.ts';
import type { Destination } from './destination.ts';
import { codeOf, HttpFaultError } from './http-fault.ts';
import { reasonOf } from './lifetime.ts';

export interface DialOptions {
  readonly timers: Timers;
  /** For all addresses together, shared out evenly. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Certificates (PEM) that are trusted instead of the usual ones. */
  readonly ca?: string | readonly string[];
}

/** @throws HttpFaultError `upstream-unavailable` with effect `none` when no address answers; the signal's reason when it is aborted */
export async function dial(destination: Destination, options: DialOptions): Promise<Socket> {
  const timeoutMs = Math.max(1, Math.floor(options.timeoutMs / destination.addresses.length));
  let last: unknown;
  for (const address of destination.addresses) {
    options.signal.throwIfAborted();
    try {
      return await dialOne(destination, address, { ...options, timeoutMs });
    } catch (error) {
      if (options.signal.aborted) throw error;
      last = error;
    }
  }
  throw unreached(destination, last);
}

async function dialOne(destination: Destination, address: string, options: DialOptions): Promise<Socket> {
  const socket = connect({ host: address, port: destination.port, lookup: neverLookUp });
  const opened = destination.isSecure ? secured(socket, destination, options.ca) : socket;
  return settled(opened, destination.isSecure ? 'secureConnect' : 'connect', {
    ...options,
    discard: () => {
      opened.destroy();
      socket.destroy();
    },
  });
}

function secured(socket: Socket, { hostname, addresses }: Destination, ca: DialOptions['ca']): Socket {
  return connectTls({
    socket,
    // The name that the certificate must bear. An address is no server name, but is looked for in the certificate all the same.
    ...(isIP(hostname) === 0 ? { servername: hostname } : { host: addresses[0] }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
  });
}

function settled(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  { timers, timeoutMs, signal, discard }: DialOptions & { readonly discard: () => void },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const finish = (end: () => void): void => {
      cancelLimit();
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      end();
    };
    const giveUp = (error: Error): void =>
      finish(() => {
        // Nobody listens any more, and a socket that is destroyed may still report something.
        socket.on('error', () => {});
        discard();
        reject(error);
      });
    const onError = (error: Error): void => giveUp(error);
    const onAbort = (): void => giveUp(reasonOf(signal));
    const cancelLimit = timers.after(timeoutMs, () => giveUp(new Error(`no connection within ${timeoutMs} ms`)));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', onError);
    socket.once(event, () => finish(() => resolve(socket)));
  });
}

function neverLookUp(
  hostname: string,
  _options: unknown,
  callback: (error: NodeJS.ErrnoException | null, address: string) => void,
): void {
  callback(new Error(`${hostname} is no address: the guard resolves names, and nothing else does`), '');
}

function unreached({ hostname, port }: Destination, cause: unknown): HttpFaultError {
  const code = codeOf(cause);
  const isDistrusted = code !== undefined && /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_(?:VERIFY|GET)/.test(code);
  return new HttpFaultError({
    code: 'upstream-unavailable',
    class: isDistrusted ? 'fatal' : 'retryable',
    effect: 'none',
    what: isDistrusted
      ? `the certificate of ${hostname} is not trusted (${code}); nothing was sent`
      : `${hostname}, port ${port}, cannot be reached (${code ?? (cause instanceof Error ? cause.message : 'no answer')}); nothing was sent`,
    cause,
  });
}
