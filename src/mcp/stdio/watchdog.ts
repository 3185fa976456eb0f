/**
 * Ends a server when its host dies without a word (`kill -9`, out of memory). The server's standard input closes then,
 * which ends a well-behaved server; this is for the others. One shell per server waits on a pipe that only the host
 * holds: the pipe closes when the host is gone, however it went.
 */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import process from 'node:process';
import { markName, type TreeRoot } from './process-tree.ts';

// $1 is the group, $2 the mark as it stands in the environment. Without /proc the group has to do.
const script = `
read -r word
[ "$word" = done ] && exit 0
sleep 1
kill -TERM -- "-$1"
sleep 1
kill -KILL -- "-$1"
for file in $(grep -lsF "$2" /proc/[0-9]*/environ); do
  pid=\${file#/proc/}
  kill -KILL "\${pid%/environ}"
done
exit 0
`;

export interface Watchdog {
  readonly pid: number | undefined;
  /** Sends it home: the server has been ended in order. */
  dismiss(): Promise<void>;
}

/** Sets a watchdog on a server. It keeps nothing alive: a host that has nothing else to do may end. */
export function watch(root: TreeRoot): Watchdog {
  if (process.platform === 'win32') return { pid: undefined, dismiss: () => Promise.resolve() };
  const dog = spawn('/bin/sh', ['-c', script, 'axle-mcp-watchdog', String(root.pid), `${markName}=${root.mark}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own group, so that a signal from the terminal does not end it together with the host.
    detached: true,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  });
  const gone = new Promise<void>((resolve) => {
    dog.once('exit', () => resolve());
    // Without a shell the server is left with its closed standard input, as everywhere else.
    dog.once('error', () => resolve());
  });
  dog.unref();
  // Writing to a watchdog that is gone already is no fault.
  dog.stdin.on('error', () => undefined);
  // A child's pipe is a socket, and holds the event loop like one; its type does not say so.
  if (dog.stdin instanceof Socket) dog.stdin.unref();
  return {
    pid: dog.pid,
    dismiss: () => {
      dog.ref();
      dog.stdin.end('done\n');
      return gone;
    },
  };
}
