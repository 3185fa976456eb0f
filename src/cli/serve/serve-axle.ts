/**
 * A server on the command line, from its first word to its end.
 *
 *   opening ──► serving ──(signal)──► draining ──► ended
 *                 │  ▲
 *                 └──┘ the driver of the store is gone, or the project has changed: another Axle takes the place of the one that is served
 *
 * Draining: `/readyz` fails and nothing new starts, attempts under way get their time, then connections end. A second signal ends the process at once.
 */
import type { Axle } from '../../facade/axle.ts';
import type { AxleServer, ServerOptions } from '../../server/create-server.ts';
import type { Listening } from '../../server/listen.ts';
import type { Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { notesOf } from '../drive.ts';
import { openInBrowser } from './open-in-browser.ts';
import { readSettings } from './server-settings.ts';

export interface ServeOptions {
  /** Opens what is served first. */
  readonly open: () => Promise<Axle>;
  readonly server?: Omit<ServerOptions, 'axle' | 'tokens'>;
  /** Follows what may put another Axle in the place. Returns the way to stop. */
  readonly follow?: (place: ServedPlace) => Promise<() => void>;
  /** Milliseconds that attempts under way get at the end. */
  readonly drainMs: number;
  readonly opensBrowser: boolean;
}

/** Where an Axle is served. */
export interface ServedPlace {
  readonly current: () => Axle;
  readonly server: AxleServer;
  /** Closes the Axle that is served and serves another one. When that cannot be opened, `open` has to give the old one anew. */
  readonly exchange: (open: () => Promise<Axle>) => Promise<void>;
}

export async function serveAxle(invocation: Invocation, options: ServeOptions): Promise<ExitName> {
  const { interruption, terminal } = invocation;
  const { createServer } = await import('../../server/create-server.ts');
  const { builtPageFolder, noPage } = await import('../../server/page-files.ts');
  const settings = await readSettings(invocation);
  let axle = await options.open();
  let server: AxleServer;
  let listening: Listening;
  try {
    server = createServer({ ...options.server, axle, tokens: settings.tokens, log: notesOf(invocation) });
    listening = await server.listen(settings.listen);
  } catch (error) {
    await axle.close();
    throw error;
  }
  const seconds = Math.round(options.drainMs / 1_000);
  interruption.isExpected(`nothing new starts; what is in hand may end, up to ${seconds} s.`);
  const place: ServedPlace = {
    current: () => axle,
    server,
    exchange: async (open) => {
      server.drain();
      await axle.close();
      axle = await open();
      server.replace(axle);
    },
  };
  const stopFollowing = (await options.follow?.(place)) ?? (() => {});
  const address = pageAddress(listening.url, settings.madeToken);
  tell(invocation, { axle, listening, address, settings });
  if (builtPageFolder() === undefined) terminal.note(noPage);
  else if (options.opensBrowser) openInBrowser(address, terminal.note);
  await aborted(interruption.signal);
  stopFollowing();
  server.drain();
  await axle.close({ graceMs: options.drainMs });
  await server.close();
  return 'ok';
}

/** The token stands behind the `#`, which browsers send to nobody. */
function pageAddress(url: string, token: string | undefined): string {
  return token === undefined ? `${url}/` : `${url}/#token=${token}`;
}

function tell(
  { terminal }: Invocation,
  {
    axle,
    listening,
    address,
    settings,
  }: {
    readonly axle: Axle;
    readonly listening: Listening;
    readonly address: string;
    readonly settings: { readonly madeToken?: string };
  },
): void {
  const { url, host, port } = listening;
  const role = axle.isDriver ? 'driver' : 'client';
  const { madeToken } = settings;
  if (terminal.isJson) {
    terminal.json({ url, host, port, role, ...(madeToken === undefined ? {} : { token: madeToken }) });
    return;
  }
  terminal.say(`Axle listens at ${address}`);
  if (madeToken !== undefined) terminal.note(`The token, for Authorization: Bearer: ${madeToken}`);
  if (role === 'client') terminal.note('Another process drives this store; here it is read, started and answered.');
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
