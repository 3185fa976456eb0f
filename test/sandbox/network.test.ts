/** The network of a program whose contract names the hosts that it may reach. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAxle, tool } from '../../src/axle.ts';
import { bubblewrap, docker, subprocess } from '../../src/sandbox.ts';
import { openFilteringProxy } from '../../src/sandbox/filtering-proxy.ts';
import { needed } from './available.ts';
import { limits, never, shellJob } from './jobs.ts';

let granted = 0;
let other = 0;
let otherReached = 0;
const servers = [
  createServer((asked, response) => response.end(`hello ${asked.method} ${asked.url}`)),
  createTcpServer((socket) => {
    otherReached += 1;
    socket.end();
  }),
];

beforeAll(async () => {
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  [granted = 0, other = 0] = ports;
});

afterAll(() => {
  for (const server of servers) server.close();
});

/** Asks for a URL in a sandbox that may reach one place. */
const asking = (url: string): string =>
  `fetch(${JSON.stringify(url)}).then(async (r) => console.log(r.status, await r.text()), (e) => console.log("failed", e.cause?.message ?? e.message))`;

describe.each([
  ['bubblewrap', bubblewrap],
  ['docker', docker],
] as const)('a program in %s that may reach some hosts', (_, make) => {
  const driver = make();
  afterAll(() => driver.close());

  test('reaches these and no other, and nothing without the proxy', async ({ skip }) => {
    await needed(driver, skip);
    const network = [{ host: '127.0.0.1', port: granted }];
    const run = async (script: string): Promise<string> => {
      const { stdout, stderr } = await driver.run(
        shellJob(`node -e '${script}'`, { network, limits: { ...limits, maxProcesses: 64 } }),
        never,
      );
      return `${stdout}${stderr}`;
    };
    expect(await run(asking(`http://127.0.0.1:${granted}/a?b=1`))).toBe('200 hello GET /a?b=1\n');
    expect(await run(asking(`http://127.0.0.1:${other}/`))).toMatch(/^403|^failed/);
    expect(await run(asking('http://169.254.169.254/latest/meta-data/'))).toMatch(/^403|^failed/);
    // Past the proxy there is only the loopback of the sandbox itself.
    const direct = `require("node:net").connect(${granted}, "127.0.0.1").on("connect", () => console.log("through")).on("error", (e) => console.log(e.code))`;
    expect(await run(direct)).toBe('ECONNREFUSED\n');
    const interfaces = 'console.log(Object.keys(require("node:os").networkInterfaces()).join())';
    expect(await run(interfaces)).toBe('lo\n');
    expect(otherReached).toBe(0);
  }, 60_000);

  test('ends like any other: its code, its time, its tree', async ({ skip }) => {
    await needed(driver, skip);
    const network = [{ host: '127.0.0.1', port: granted }];
    expect((await driver.run(shellJob('exit 3', { network }), never)).end).toEqual({ kind: 'exit', code: 3 });
    expect((await driver.run(shellJob('sleep 30', { network, wallMs: 1_000 }), never)).end).toEqual({
      kind: 'timeout',
    });
  }, 60_000);
});

describe('a program that may reach some hosts', () => {
  test('runs only where that can be granted', async () => {
    const reaching = tool({
      name: 'reach',
      description: 'Reaches a host.',
      effect: 'read',
      input: { type: 'object' },
      sandbox: { needs: ['network'], network: ['api.example.com', 'API.example.com:8443'] },
      run: { command: ['true'] },
    });
    expect(reaching.sandbox?.network).toEqual([
      { host: 'api.example.com', port: 443 },
      { host: 'api.example.com', port: 8443 },
    ]);
    await using axle = await createAxle({
      store: ':memory:',
      log: () => {},
      tools: [reaching],
      sandboxes: [subprocess()],
    });
    const result = await axle.call('reach', {});
    expect(result).toMatchObject({ status: 'failed', failure: { code: 'sandbox-unavailable' } });
    expect(result.status === 'waiting' ? '' : result.failure?.message).toContain(
      'cannot let a program reach chosen hosts',
    );
  });

  test.each(['https://a.example', 'a.example:0', 'a.example:99999', '127.1', '*.example.com', 'a b'])(
    'is declared with hosts, and %s is none',
    (place) => {
      const declared = { name: 'n', description: 'N.', input: { type: 'object' }, run: { command: ['true'] } } as const;
      expect(() => tool({ ...declared, sandbox: { network: [place] } })).toThrow(
        /network must be a list of at most 100 hosts/,
      );
    },
  );
});

describe('the filtering proxy', () => {
  test.each([
    ['CONNECT', (port: number) => `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`],
    ['GET', (port: number) => `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`],
  ])('leaves no connection open for a job that went away before its %s got through', async (_, head) => {
    const open = new Set<Socket>();
    const place = createTcpServer((socket) => {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }).listen(0, '127.0.0.1');
    await once(place, 'listening');
    const address = place.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const proxy = await openFilteringProxy([{ host: '127.0.0.1', port }]);
    for (let count = 0; count < 40; count += 1) {
      const client = connect(proxy.socketPath).on('error', () => {});
      await once(client, 'connect');
      client.write(head(port), () => client.destroy());
    }
    await delay(300);
    await expect.poll(() => open.size, { timeout: 5_000, interval: 100 }).toBe(0);
    await proxy.close();
    place.close();
  });

  const [head, end] = ['HTTP/1.1', 'Content-Length: 2\r\n\r\nok'];

  test.each([
    ['a trailer that nothing can carry', `${head} 200 OK\r\nTrailer: x\r\n${end}`, '200 ok'],
    ['a status that is none', `${head} 099 Odd\r\n${end}`, 'broken off'],
    ['a status of nothing', `${head} 000 Odd\r\n${end}`, 'broken off'],
    ['half a body', `${head} 200 OK\r\nContent-Length: 200\r\n\r\nok`, 'broken off'],
    ['another protocol', `${head} 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n`, 'broken off'],
    ['what is not HTTP', 'hello\r\n\r\n', 'broken off'],
  ])('outlives a place that answers with %s (X3)', async (_, answer, expected) => {
    const place = createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(answer));
    }).listen(0, '127.0.0.1');
    await once(place, 'listening');
    const address = place.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const proxy = await openFilteringProxy([{ host: '127.0.0.1', port }]);
    const heard = await new Promise<string>((resolve) => {
      const broken = (): void => resolve('broken off');
      request({ socketPath: proxy.socketPath, path: `http://127.0.0.1:${port}/` }, (response) => {
        let text = `${response.statusCode ?? 0} `;
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve(text)).on('error', broken);
      })
        .on('error', broken)
        .end();
    });
    await proxy.close();
    place.close();
    expect(heard).toBe(expected);
  });

  test('refuses a name that leads into a private network, whoever lists it', async () => {
    const proxy = await openFilteringProxy([{ host: 'localhost', port: granted }]);
    const answer = await new Promise<string>((resolve, reject) => {
      const asked = request({ socketPath: proxy.socketPath, path: `http://localhost:${granted}/` }, (response) => {
        let text = `${response.statusCode ?? 0} `;
        response
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .on('end', () => resolve(text));
      });
      asked.on('error', reject).end();
    });
    await proxy.close();
    expect(answer).toMatch(/^403 .*may not be dialled/);
  });
});
