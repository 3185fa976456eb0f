/**
 * The end of the proxy inside of a sandbox without a network: programs speak to proxies over TCP, so the loopback of the sandbox's own network leads to the socket that
 * was bound in. It is a small program around the job's command, and ends with it; or one that stands alone, beside the job in its network.
 */

/** Where the socket of the proxy appears, inside. */
export const proxySocket = '/opt/axle-proxy';

const port = 3128;
const url = `http://127.0.0.1:${port}`;

/** What tells programs of the proxy. */
export const proxyVariables: Readonly<Record<string, string>> = {
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  http_proxy: url,
  https_proxy: url,
  // Without it Node's fetch looks at none of them.
  NODE_USE_ENV_PROXY: '1',
};

/** Threads of the bridge, which count as processes of the job's user. */
export const bridgeThreads = 24;

/** What the bridge takes itself. */
export const bridgeMemoryBytes = 128 * 1024 * 1024;

const listening = `
const net = require('node:net');
const server = net.createServer({ allowHalfOpen: true }, (client) => {
  const proxy = net.connect({ path: '${proxySocket}', allowHalfOpen: true });
  client.pipe(proxy).pipe(client);
  const end = () => { client.destroy(); proxy.destroy(); };
  client.on('error', end).on('close', end);
  proxy.on('error', end).on('close', end);
});
`;

const program = `${listening}
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
server.listen(${port}, '127.0.0.1', () => {
  const [file, ...words] = process.argv.slice(1);
  const child = spawn(file, words, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
});
`;

/** What a bridge that stands alone says when it can be reached. */
export const bridgeIsReady = 'ready';

/** The command of a bridge that stands alone. @param node The path of Node, inside */
export function bridgeAlone(node: string): readonly string[] {
  return [node, '-e', `${listening} server.listen(${port}, '127.0.0.1', () => console.log('${bridgeIsReady}'));`];
}

/** The bridge around a command. @param node The path of Node, inside */
export function bridged(node: string, command: readonly string[]): readonly string[] {
  return [node, '-e', program, '--', ...command];
}
