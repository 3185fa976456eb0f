/** Attempts that a program in Node makes: sockets of every kind, files and processes, by its own functions. Void where there is no `node` inside. */
import type { SandboxProperty } from '../../call/isolation.ts';
import type { HostWorld } from './host-world.ts';

export const nodeProbes: readonly { readonly probe: string; readonly property: SandboxProperty }[] = [
  { probe: 'node: read a file of the host', property: 'files' },
  { probe: 'node: open a file of the host for writing', property: 'files' },
  { probe: 'node: inherit a variable', property: 'environment' },
  { probe: 'node: read the environment of another process', property: 'environment' },
  { probe: 'node: connect over TCP', property: 'network' },
  { probe: 'node: send over UDP', property: 'network' },
  { probe: 'node: connect to a socket in the file system', property: 'network' },
  { probe: 'node: connect to a socket without a file', property: 'network' },
  { probe: 'node: signal a process of the host', property: 'processes' },
  { probe: 'node: open the memory of the machine', property: 'kernel' },
];

/** The program: it writes the number of each attempt with `open` or `contained`. What it is told stands in its standard input. */
export const nodeProgram = `
const fs = require('node:fs'), net = require('node:net'), dgram = require('node:dgram');
const world = JSON.parse(fs.readFileSync(0, 'utf8'));
const say = (number, through) => console.log(number + ' ' + (through ? 'open' : 'contained'));
const tried = (number, attempt) => { let through = false; try { through = attempt() } catch {} say(number, through) };
const opens = (path, flags) => { fs.closeSync(fs.openSync(path, flags)); return true };
tried(0, () => fs.readFileSync(world.secretFile, 'utf8').includes(world.word));
tried(1, () => opens(world.openFile, 'a'));
if (world.foreign !== '') {
  tried(2, () => Object.entries(process.env).some(([name, value]) => name + '=' + value === world.foreign));
  tried(3, () => fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).some((pid) => {
    try { return fs.readFileSync('/proc/' + pid + '/environ', 'utf8').split('\\0').includes(world.foreign) } catch { return false }
  }));
}
const connects = (number, where) => new Promise((resolve) => {
  const socket = net.connect(where);
  const done = (through) => { say(number, through); socket.destroy(); resolve() };
  socket.setTimeout(1000, () => done(false)).once('connect', () => done(true)).once('error', () => done(false));
});
const sends = () => new Promise((resolve) => {
  const socket = dgram.createSocket('udp4');
  socket.once('error', () => { socket.close(); resolve() });
  socket.send('out', world.udpPort, '127.0.0.1', () => { setTimeout(() => { socket.close(); resolve() }, 50) });
});
(async () => {
  await connects(4, { host: '127.0.0.1', port: world.tcpPort });
  await sends().catch(() => undefined);
  await connects(6, { path: world.socketPath });
  if (world.socketName !== '') await connects(7, { path: '\\0' + world.socketName });
  tried(8, () => process.kill(world.pid, 0));
  tried(9, () => opens('/dev/mem', 'r'));
})();
`;

/** What the program is told. */
export function nodeInput(
  { word, secretFile, openFile, tcpPort, udpPort, socketPath, socketName, pid }: HostWorld,
  foreign: string,
): string {
  return JSON.stringify({ word, secretFile, openFile, tcpPort, udpPort, socketPath, socketName, pid, foreign });
}

/** The number of the attempt that only the host can judge: nothing answers over UDP. */
export const udpProbe = 5;
