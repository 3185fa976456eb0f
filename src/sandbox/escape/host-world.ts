/**
 * What a job tries to reach: things of the host that are there for the length of a proof and worth nothing. A file with a secret word, sockets that count who
 * comes, a variable, the numbers of the namespaces of this process.
 *
 * E1 Probes open and never write, so that what gets through harms nothing.
 * E2 What was reached is told by the host's own ledger wherever there is one, and not only by the job.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { chmod, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isRecord } from '../../util/json.ts';

export interface HostWorld {
  /** A word that stands in `secretFile` and in the arguments of processes that must not outlive their job. */
  readonly word: string;
  readonly secretFile: string;
  /** A file that everybody may write. */
  readonly openFile: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly socketPath: string;
  /** The name of a socket without a file; empty where there are none. */
  readonly socketName: string;
  readonly pid: number;
  /** `NAME=value` of a variable that this process was started with, by choice of `foreignVariable`. */
  readonly variables: readonly string[];
  readonly networkNamespace: string;
  readonly processNamespace: string;
  /** Name, major and minor number of a disk. */
  readonly disk: { readonly name: string; readonly major: string; readonly minor: string } | undefined;
  /** Which of the sockets was reached. */
  readonly reached: ReadonlySet<'tcp' | 'udp' | 'path' | 'name'>;
  close(): Promise<void>;
}

export async function createHostWorld(): Promise<HostWorld> {
  const word = `axle-probe-${randomBytes(9).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'axle-probe-'));
  // Everybody may look: what keeps a job out must be its sandbox.
  await chmod(folder, 0o755);
  const secretFile = join(folder, 'secret');
  const openFile = join(folder, 'open');
  await writeFile(secretFile, word, { mode: 0o644 });
  await writeFile(openFile, '');
  await chmod(openFile, 0o666);
  const reached = new Set<'tcp' | 'udp' | 'path' | 'name'>();
  const socketPath = join(folder, 'socket');
  const socketName = process.platform === 'linux' ? word : '';
  const servers = [await listen({ port: 0, host: '127.0.0.1' }, () => reached.add('tcp'))];
  servers.push(await listen({ path: socketPath, readableAll: true, writableAll: true }, () => reached.add('path')));
  if (socketName !== '') servers.push(await listen({ path: `\0${socketName}` }, () => reached.add('name')));
  const udp = createSocket('udp4', () => reached.add('udp'));
  await new Promise<void>((resolve) => {
    udp.bind(0, '127.0.0.1', resolve);
  });
  udp.unref();
  return {
    word,
    secretFile,
    openFile,
    tcpPort: portOf(servers[0]),
    udpPort: udp.address().port,
    socketPath,
    socketName,
    pid: process.pid,
    variables: await startVariables(),
    networkNamespace: await linkOf('/proc/self/ns/net'),
    processNamespace: await linkOf('/proc/self/ns/pid'),
    disk: await findDisk(),
    reached,
    close: async () => {
      for (const server of servers) server.close();
      udp.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listen(
  where:
    | { readonly port: number; readonly host: string }
    | { readonly path: string; readonly readableAll?: boolean; readonly writableAll?: boolean },
  onReached: () => void,
): Promise<Server> {
  const server = createServer((socket) => {
    onReached();
    socket.on('error', () => undefined);
    socket.end();
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => resolve(server));
  });
}

function portOf(server: Server | undefined): number {
  const address: unknown = server?.address();
  return isRecord(address) && typeof address['port'] === 'number' ? address['port'] : 0;
}

/** What this process was started with, as others can read it; where there is no /proc, what it has now. */
async function startVariables(): Promise<readonly string[]> {
  const text = await readFile('/proc/self/environ', 'utf8').catch(() => undefined);
  const all = text?.split('\0') ?? Object.entries(process.env).map(([name, value]) => `${name}=${value ?? ''}`);
  return all.filter((pair) => /^[A-Za-z_]\w*=[^\n]{3,200}$/.test(pair));
}

async function linkOf(path: string): Promise<string> {
  return readlink(path).catch(() => '');
}

async function findDisk(): Promise<HostWorld['disk']> {
  const text = await readFile('/proc/partitions', 'utf8').catch(() => '');
  const match = /^\s+(\d+)\s+(\d+)\s+\d+\s+(\S+)$/m.exec(text);
  const [, major, minor, name] = match ?? [];
  return major === undefined || minor === undefined || name === undefined ? undefined : { name, major, minor };
}

/** The ids of processes whose arguments hold a word. Undefined where there is no /proc to look into. */
export async function processesWith(word: string): Promise<readonly number[] | undefined> {
  const names = await readdir('/proc').catch(() => undefined);
  if (names === undefined) return undefined;
  const found: number[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (words.includes(word)) found.push(Number(name));
  }
  return found;
}
