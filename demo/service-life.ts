/** The life of a demo service: it says where it listens, in one line of JSON, and ends when it is told to or when its parent is gone. */
import { fstatSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

/** Listens on the loopback, and only there. Resolves with the port. */
export async function listenOnLoopback(
  server: { listen: Server['listen']; address(): AddressInfo | string | null; once: Server['once'] },
  port: number,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

/** Tells the parent that the service is ready. */
export function announce(ready: Readonly<Record<string, string | number>>): void {
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

/** Ends the process on SIGTERM and SIGINT, and when standard input is a pipe that its parent has let go. */
export function endWithParent(close: () => void): void {
  const end = (): void => {
    close();
    process.exit(0);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isSocket()) return;
  process.stdin.once('end', end);
  process.stdin.once('error', end);
  process.stdin.resume();
}
