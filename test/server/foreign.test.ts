import { beforeAll, describe, expect, it } from 'vitest';
import { createServer as createPlainServer } from 'node:http';
import { createAxle } from '../../src/axle.ts';
import { createServer } from '../../src/http.ts';
import { openWorld, overSocket, type World } from './world.ts';

/** A request as it goes over the wire: target, then headers; `PORT` is replaced. */
type Wire = readonly [what: string, target: string, ...headers: readonly string[]];

const own = 'Host: 127.0.0.1:PORT';

/** What a foreign page, a foreign name or a trick with either sends. */
const foreign: readonly Wire[] = [
  ['a foreign host', '/v1/runs', 'Host: evil.example'],
  ['a foreign host with the port', '/v1/runs', 'Host: evil.example:PORT'],
  ['a foreign host that begins like the own one', '/v1/runs', 'Host: 127.0.0.1.evil.example:PORT'],
  ['a foreign host that begins like localhost', '/v1/runs', 'Host: localhost.evil.example:PORT'],
  ['a foreign host that ends like localhost', '/v1/runs', 'Host: evil-localhost:PORT'],
  ['a subdomain of localhost', '/v1/runs', 'Host: evil.localhost:PORT'],
  ['localhost with a dot at its end', '/v1/runs', 'Host: localhost.:PORT'],
  ['the loopback address with a dot at its end', '/v1/runs', 'Host: 127.0.0.1.:PORT'],
  ['another port', '/v1/runs', 'Host: 127.0.0.1:1'],
  ['no port, which is port 80', '/v1/runs', 'Host: 127.0.0.1'],
  ['localhost under another port', '/v1/runs', 'Host: localhost:8080'],
  ['a port that is too large', '/v1/runs', 'Host: 127.0.0.1:99999999'],
  ['a port of two', '/v1/runs', 'Host: 127.0.0.1:PORT:PORT'],
  ['a user name before the host', '/v1/runs', 'Host: 127.0.0.1:PORT@evil.example'],
  ['a user name before the own host', '/v1/runs', 'Host: evil.example@127.0.0.1:PORT'],
  ['a path behind the host', '/v1/runs', 'Host: 127.0.0.1:PORT/evil.example'],
  ['two hosts in one header', '/v1/runs', 'Host: 127.0.0.1:PORT, evil.example'],
  ['two headers with a host, the own one first', '/v1/runs', own, 'Host: evil.example'],
  ['two headers with a host, the own one last', '/v1/runs', 'Host: evil.example', own],
  ['an empty host', '/v1/runs', 'Host:'],
  ['no host', '/v1/runs'],
  ['a short form of the loopback', '/v1/runs', 'Host: 127.1:PORT'],
  ['the loopback as a number', '/v1/runs', 'Host: 2130706433:PORT'],
  ['the loopback in octal', '/v1/runs', 'Host: 0177.0.0.1:PORT'],
  ['any address', '/v1/runs', 'Host: 0.0.0.0:PORT'],
  ['the loopback inside of version 6', '/v1/runs', 'Host: [::ffff:127.0.0.1]:PORT'],
  ['a foreign address of version 6', '/v1/runs', 'Host: [2001:db8::1]:PORT'],
  ['the loopback of version 6 with a zone', '/v1/runs', 'Host: [::1%25eth0]:PORT'],
  ['a full-width letter', '/v1/runs', 'Host: localhost\uFF0Eevil:PORT'],
  ['an absolute target with a foreign host', 'http://evil.example/v1/runs', own],
  ['an absolute target with the own host', 'http://127.0.0.1:PORT/v1/runs', own],
  ['a target that begins with two strokes', '//evil.example/v1/runs', own],
  ['a target with a backslash', '/\\evil.example/v1/runs', own],
  ['a target that is a star', '*', own],
  ['a foreign origin', '/v1/runs', own, 'Origin: https://evil.example'],
  ['the origin null', '/v1/runs', own, 'Origin: null'],
  ['the own host under another port as origin', '/v1/runs', own, 'Origin: http://127.0.0.1:1'],
  ['another name of the loopback as origin', '/v1/runs', own, 'Origin: http://localhost:PORT'],
  ['an origin with a user name', '/v1/runs', own, 'Origin: http://127.0.0.1:PORT@evil.example'],
  ['an origin with a path', '/v1/runs', own, 'Origin: http://127.0.0.1:PORT/'],
  ['another scheme as origin', '/v1/runs', own, 'Origin: chrome-extension://127.0.0.1:PORT'],
  ['a file as origin', '/v1/runs', own, 'Origin: file://'],
  ['two origins', '/v1/runs', own, 'Origin: http://127.0.0.1:PORT', 'Origin: https://evil.example'],
  ['two origins in one header', '/v1/runs', own, 'Origin: http://127.0.0.1:PORT https://evil.example'],
  ['a request of another site', '/v1/runs', own, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors'],
  ['a request of the same site, as from another port', '/v1/runs', own, 'Sec-Fetch-Site: same-site'],
  ['a picture on another site', '/v1/runs', own, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Dest: image'],
  ['a script on another site', '/', own, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Dest: script'],
  [
    'a frame on another site',
    '/',
    own,
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: iframe',
  ],
  [
    'a navigation to data from another site',
    '/v1/runs',
    own,
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
  ],
  [
    'a navigation to data under a dotted path',
    '/x/../v1/runs',
    own,
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
  ],
  ['a value that no browser sends', '/v1/runs', own, 'Sec-Fetch-Site: trusted'],
  ['the header of a page twice', '/v1/runs', own, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
  ['a foreign host that a proxy vouches for', '/v1/runs', 'Host: evil.example', 'X-Forwarded-Host: 127.0.0.1:PORT'],
];

const friendly: readonly Wire[] = [
  ['the own address', '/v1/runs', own],
  ['localhost', '/v1/runs', 'Host: localhost:PORT'],
  ['localhost in capitals', '/v1/runs', 'Host: LOCALHOST:PORT'],
  ['the loopback of version 6', '/v1/runs', 'Host: [::1]:PORT'],
  ['the own page', '/v1/runs', own, 'Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: same-origin'],
  ['an address that was typed', '/v1/runs', own, 'Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate'],
];

function wireText(method: string, [, target, ...headers]: Wire, port: number): string {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''];
  return lines.join('\r\n').replaceAll('PORT', String(port));
}

describe('a server without a token', () => {
  it.each(foreign.map((wire) => ({ what: wire[0], wire })))(
    'lets in neither page nor host: $what',
    async ({ wire }) => {
      const { port, axle } = await openWorld();
      for (const method of ['GET', 'OPTIONS']) {
        const { status, text } = await overSocket(port, wireText(method, wire, port));
        expect([400, 403]).toContain(status);
        expect(text.toLowerCase()).not.toContain('access-control-allow');
      }
      const body = '{"agent":"clerk","input":"x"}';
      const [what, target, ...headers] = wire;
      const more = ['Content-Type: application/json', 'Idempotency-Key: k', `Content-Length: ${body.length}`];
      const { status } = await overSocket(
        port,
        `${wireText('POST', [what, target, ...headers, ...more], port)}${body}`,
      );
      expect([400, 403]).toContain(status);
      expect(await axle.runs()).toEqual([]);
    },
  );

  it.each(friendly.map((wire) => ({ what: wire[0], wire })))('answers $what', async ({ wire }) => {
    const { port } = await openWorld();
    expect((await overSocket(port, wireText('GET', wire, port))).status).toBe(200);
  });

  it('sends no cookie, and headers that keep its answers out of foreign pages', async () => {
    const { url } = await openWorld();
    const { headers } = await fetch(`${url}/v1/runs`);
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is refused an address that other machines reach', async () => {
    await using axle = await createAxle({ store: ':memory:' });
    await using server = createServer({ axle });
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
      await expect(server.listen({ host, port: 0 })).rejects.toMatchObject({
        code: 'bind-refused',
        remedy: expect.stringContaining('--token'),
      });
    }
  });

  it('holds the same inside of another server', async () => {
    const { server } = await openWorld();
    const asked = (url: string, headers: Record<string, string> = {}) => server.fetch(new Request(url, { headers }));
    expect((await asked('http://evil.example/v1/runs')).status).toBe(403);
    expect((await asked('http://127.0.0.1:1/v1/runs', { host: 'evil.example' })).status).toBe(403);
    expect((await asked('http://127.0.0.1:1/v1/runs', { origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('a server with tokens', () => {
  const token = `axle_${'t'.repeat(40)}`;
  const reader = `axle_${'r'.repeat(40)}`;
  let open: () => Promise<World>;
  beforeAll(() => {
    open = () =>
      openWorld(
        {},
        {
          tokens: [
            { name: 'ann', token },
            { name: 'eye', token: reader, scopes: ['read'] },
          ],
        },
      );
  });

  it('wants one for everything but health and description', async () => {
    const { ask } = await open();
    for (const path of ['/v1/runs', '/v1/system', '/v1/approvals', '/v1/events', '/v1/tools/add']) {
      const answer = await ask('GET', path);
      expect(answer).toMatchObject({ status: 401, body: { code: 'token-refused' } });
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
    for (const path of ['/healthz', '/readyz', '/startupz', '/openapi.json']) {
      expect((await ask('GET', path)).status).toBe(200);
    }
  });

  it.each([
    ['another token', `Bearer axle_${'x'.repeat(40)}`],
    ['the beginning of one', `Bearer axle_${'t'.repeat(39)}`],
    ['one with more behind it', `Bearer ${token}t`],
    ['another scheme', `Basic ${token}`],
    ['no scheme', token],
    ['an empty one', 'Bearer '],
    ['two', `Bearer ${token} ${token}`],
  ])('refuses %s', async (_, authorization) => {
    const { ask } = await open();
    expect((await ask('GET', '/v1/runs', { headers: { authorization } })).status).toBe(401);
  });

  it('does not take a token out of the address', async () => {
    const { ask } = await open();
    expect((await ask('GET', `/v1/runs?token=${token}`)).status).toBe(401);
    expect((await ask('GET', `/v1/runs?access_token=${token}`)).status).toBe(401);
  });

  it('lets each do what its scopes say', async () => {
    const { ask } = await open();
    const authorization = `Bearer ${reader}`;
    const system = await ask('GET', '/v1/system', { headers: { authorization } });
    expect(system.body).toMatchObject({ needsToken: true, caller: 'eye', scopes: ['read'] });
    const start = { agent: 'clerk', input: 'x' };
    const key = { 'idempotency-key': 'k' };
    expect(await ask('POST', '/v1/runs', { body: start, headers: { authorization, ...key } })).toMatchObject({
      status: 403,
      body: { code: 'scope-missing', details: { scope: 'run' } },
    });
    const orders = ['/v1/approvals/r%2F1', '/v1/doubts/r%2F1', '/v1/upstreams/bank', '/v1/runs/r/cancel'];
    for (const path of orders) {
      expect((await ask('POST', path, { body: {}, headers: { authorization } })).status).toBe(403);
    }
    const own = { authorization: `bearer ${token}`, ...key };
    expect((await ask('POST', '/v1/runs', { body: start, headers: own })).status).toBe(201);
  });

  it('keeps foreign pages out all the same', async () => {
    const { ask } = await open();
    const headers = { authorization: `Bearer ${token}`, origin: 'https://evil.example' };
    expect(await ask('GET', '/v1/runs', { headers })).toMatchObject({ status: 403, body: { code: 'request-refused' } });
  });

  it('is reached under any name, or under those that it is given', async () => {
    const { port } = await open();
    const wire: Wire = ['', '/v1/runs', 'Host: axle.example', `Authorization: Bearer ${token}`];
    expect((await overSocket(port, wireText('GET', wire, port))).status).toBe(200);
    const named = await openWorld({}, { tokens: [{ name: 'ann', token }], hosts: ['axle.example'] });
    expect((await overSocket(named.port, wireText('GET', wire, named.port))).status).toBe(200);
    const other: Wire = ['', '/v1/runs', 'Host: evil.example', `Authorization: Bearer ${token}`];
    expect((await overSocket(named.port, wireText('GET', other, named.port))).status).toBe(403);
  });

  it('refuses tokens that are short, nameless or of unknown scope', async () => {
    const { axle } = await open();
    for (const wrong of [
      { name: 'a', token: 'short' },
      { name: '', token },
      { name: 'a' },
      { name: 'a', sha256: 'abc' },
      { name: 'a', token, sha256: 'a'.repeat(64) },
      { name: 'a', token, scopes: ['root'] },
    ]) {
      const tokens = [wrong] as never;
      expect(() => createServer({ axle, tokens })).toThrow(expect.objectContaining({ code: 'configuration-invalid' }));
    }
  });
});

describe('options', () => {
  it('that are misspelt or out of range are refused: a server must not be more open than was meant', async () => {
    await using axle = await createAxle({ store: ':memory:' });
    for (const wrong of [
      { readonly: true },
      { readOnly: 'yes' },
      { maxBodyBytes: 0 },
      { hosts: 'a' },
      { token: 'x' },
    ]) {
      expect(() => createServer({ axle, ...wrong } as never)).toThrow(
        expect.objectContaining({ code: 'configuration-invalid' }),
      );
    }
  });
});

describe('a read-only server', () => {
  it('shows everything and changes nothing', async () => {
    const { ask } = await openWorld({}, { readOnly: true });
    expect((await ask('GET', '/v1/system')).body).toMatchObject({ isReadOnly: true, scopes: ['read'] });
    const start = { body: { agent: 'clerk', input: 'x' }, headers: { 'idempotency-key': 'k' } };
    expect(await ask('POST', '/v1/runs', start)).toMatchObject({ status: 403, body: { code: 'scope-missing' } });
    expect((await ask('GET', '/v1/runs')).body).toEqual({ items: [] });
  });
});

describe('listening', () => {
  it('says so when the port is taken', async () => {
    const taken = createPlainServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await using axle = await createAxle({ store: ':memory:' });
    await using server = createServer({ axle });
    await expect(server.listen({ port })).rejects.toMatchObject({ code: 'listen-failed' });
    await new Promise((resolve) => taken.close(resolve));
  });
});
