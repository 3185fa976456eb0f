import { describe, expect, test } from 'vitest';
import { addressKind } from '../../src/http-client/address-kind.ts';
import { readGrants } from '../../src/http-client/grants.ts';
import { createHttpClient } from '../../src/http-client/http-client.ts';
import { isAxleError } from '../../src/error/axle-error.ts';
import { failureOf } from './failure.ts';
import { always, reply, startRawServer } from './raw-server.ts';

/** Nothing here may reach a network: a name that is not listed is a fault of the test. */
function resolverOf(answers: Readonly<Record<string, readonly (readonly string[])[]>>): {
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  readonly asked: string[];
} {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (hostname) => {
      const count = asked.filter((each) => each === hostname).length;
      asked.push(hostname);
      const list = answers[hostname] ?? [];
      return list[Math.min(count, list.length - 1)] ?? [];
    },
  };
}

describe('an address that is written in the URL is refused without a grant (G2)', () => {
  test.each([
    ['loopback', 'http://127.0.0.1/'],
    ['any of loopback', 'http://127.8.9.10/'],
    ['one number', 'http://2130706433/'],
    ['octal', 'http://0177.0.0.1/'],
    ['octal in one number', 'http://017700000001/'],
    ['hexadecimal', 'http://0x7f000001/'],
    ['hexadecimal by parts', 'http://0x7f.0x0.0x0.0x1/'],
    ['fewer parts', 'http://127.1/'],
    ['full-width digits', 'http://１２７.０.０.１/'],
    ['circled digits and other dots', 'http://①②⑦。⓪。⓪。①/'],
    ['percent-encoded', 'http://%31%32%37.0.0.1/'],
    ['with the root dot', 'http://127.0.0.1./'],
    ['this host', 'http://0.0.0.0/'],
    ['this network', 'http://0/'],
    ['private A', 'http://10.1.2.3/'],
    ['private B', 'http://172.31.255.255/'],
    ['private C', 'http://192.168.0.1/'],
    ['carrier-grade NAT', 'http://100.64.0.1/'],
    ['link-local', 'http://169.254.1.1/'],
    ['multicast', 'http://224.0.0.1/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['benchmarking', 'http://198.18.0.1/'],
    ['documentation', 'http://203.0.113.7/'],
    ['metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['metadata as one number', 'http://2852039166/'],
    ['metadata of Azure, a public address', 'http://168.63.129.16/'],
    ['metadata of Alibaba', 'http://100.100.100.200/'],
    ['IPv6 loopback', 'http://[::1]/'],
    ['IPv6 nothing', 'http://[::]/'],
    ['IPv4-mapped loopback', 'http://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped loopback in hexadecimal', 'http://[::ffff:7f00:1]/'],
    ['IPv4-mapped public', 'http://[::ffff:8.8.8.8]/'],
    ['IPv4-compatible', 'http://[::127.0.0.1]/'],
    ['NAT64', 'http://[64:ff9b::127.0.0.1]/'],
    ['NAT64 of a local prefix', 'http://[64:ff9b:1::7f00:1]/'],
    ['6to4', 'http://[2002:7f00:1::]/'],
    ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['unique local', 'http://[fd12:3456::1]/'],
    ['metadata over IPv6', 'http://[fd00:ec2::254]/'],
    ['IPv6 link-local', 'http://[fe80::1]/'],
    ['IPv6 site-local', 'http://[fec0::1]/'],
    ['IPv6 multicast', 'http://[ff02::1]/'],
    ['IPv6 documentation', 'http://[2001:db8::1]/'],
    ['a user name', 'http://127.0.0.1@example.com/'],
    ['a password', 'https://a:b@example.com/'],
    ['another scheme', 'file:///etc/passwd'],
    ['an old scheme', 'gopher://127.0.0.1:6379/_INFO'],
    ['data', 'data:text/plain,hello'],
    ['no URL', '/relative'],
    ['a port that is no web', 'http://8.8.8.8:6379/'],
  ])('%s: %s', async (_, url) => {
    const { resolve, asked } = resolverOf({});
    const error = await failureOf(createHttpClient({ resolve }).request({ url }));
    expect(error).toMatchObject({ code: 'url-refused', class: 'recoverable', effect: 'none' });
    expect(asked).toEqual([]);
  });
});

describe('a name', () => {
  test.each([
    ['loopback', ['127.0.0.1']],
    ['a private address', ['10.0.0.7']],
    ['metadata', ['169.254.169.254']],
    ['a mapped address', ['::ffff:10.0.0.7']],
    ['an address with a zone', ['fe80::1%eth0']],
    ['what is no address', ['localhost', '0x7f.1', '']],
    ['nothing but refused ones', ['127.0.0.1', '::1', '192.168.1.1']],
  ])('that leads to %s is refused', async (_, addresses) => {
    const { resolve } = resolverOf({ 'rebound.example': [addresses] });
    const error = await failureOf(createHttpClient({ resolve }).request({ url: 'http://rebound.example/' }));
    expect(error).toMatchObject({ code: 'url-refused', effect: 'none' });
  });

  test('is resolved once, and what was checked is dialled: a second answer is never asked for (G1)', async () => {
    await using meant = await startRawServer(always(200, {}, 'meant'));
    await using other = await startRawServer(always(200, {}, 'other'), { host: '127.0.0.2' });
    const { resolve, asked } = resolverOf({ 'rebound.example': [['127.0.0.1'], ['127.0.0.2']] });
    const client = createHttpClient({ resolve, allow: [`127.0.0.1:${meant.port}`] });
    const response = await client.request({ url: `http://rebound.example:${meant.port}/` });
    expect(await response.text()).toBe('meant');
    expect(asked).toEqual(['rebound.example']);
    expect(other.connections).toBe(0);
    expect(meant.requests[0]).toContain(`host: rebound.example:${meant.port}`);
  });

  test('that changes its address between two requests is refused at the second', async () => {
    await using server = await startRawServer(always(200, {}, 'first'));
    const { resolve } = resolverOf({ 'rebound.example': [['127.0.0.1'], ['127.0.0.3']] });
    const client = createHttpClient({ resolve, allow: [`127.0.0.1:${server.port}`] });
    const url = `http://rebound.example:${server.port}/`;
    expect(await (await client.request({ url })).text()).toBe('first');
    expect(await failureOf(client.request({ url }))).toMatchObject({ code: 'url-refused', effect: 'none' });
  });

  test('with several addresses is dialled at those only that may be', async () => {
    await using server = await startRawServer(always(200, {}, 'granted'));
    const { resolve } = resolverOf({ 'mixed.example': [['169.254.169.254', '10.0.0.1', '127.0.0.1']] });
    const client = createHttpClient({ resolve, allow: [`127.0.0.1:${server.port}`] });
    expect(await (await client.request({ url: `http://mixed.example:${server.port}/` })).text()).toBe('granted');
  });

  test('that does not resolve failed before anything was sent, and may be tried again', async () => {
    const resolve = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' }));
    const error = await failureOf(
      createHttpClient({ resolve }).request({ url: 'http://gone.example/', method: 'POST' }),
    );
    expect(error).toMatchObject({ code: 'upstream-unavailable', class: 'retryable', effect: 'none' });
    expect(error.message).toContain('EAI_AGAIN');
  });

  test('whose next address answers is reached there', async () => {
    await using server = await startRawServer(always(200, {}, 'second'));
    const { resolve } = resolverOf({ 'two.example': [['127.0.0.9', '127.0.0.1']] });
    const client = createHttpClient({ resolve, allow: ['127.0.0.0/8'] });
    expect(await (await client.request({ url: `http://two.example:${server.port}/` })).text()).toBe('second');
  });
});

describe('a redirect is checked like the first request (H1)', () => {
  test.each([
    ['a private address', 'http://10.0.0.1/'],
    ['metadata', 'http://169.254.169.254/latest/meta-data/iam/'],
    ['metadata in another spelling', 'http://[::ffff:a9fe:a9fe]/'],
    ['another port of the same host', 'http://127.0.0.1:1/'],
    ['a name that leads inside', 'http://inside.example/'],
    ['a file', 'file:///etc/passwd'],
    ['another scheme', 'ftp://public.example/'],
    ['a user name', 'http://a:b@public.example/'],
  ])('to %s', async (_, location) => {
    await using server = await startRawServer(always(302, { location }));
    const { resolve } = resolverOf({ 'inside.example': [['192.168.1.1']] });
    const client = createHttpClient({ resolve, allow: [`127.0.0.1:${server.port}`] });
    const error = await failureOf(client.request({ url: server.url }));
    // The first hop was answered, so it is not said that nothing was sent.
    expect(error).toMatchObject({ code: 'url-refused', effect: 'possible' });
    expect(server.requests).toHaveLength(1);
  });

  test('a name is resolved anew for each hop', async () => {
    await using server = await startRawServer(always(302, { location: '/again' }));
    const { resolve, asked } = resolverOf({ 'hop.example': [['127.0.0.1'], ['10.0.0.1']] });
    const client = createHttpClient({ resolve, allow: [`127.0.0.1:${server.port}`] });
    const error = await failureOf(client.request({ url: `http://hop.example:${server.port}/` }));
    expect(error.code).toBe('url-refused');
    expect(asked).toHaveLength(2);
  });
});

describe('grants', () => {
  const at = (hostname: string, address: string, port = 80) => ({ hostname, address, port });

  test.each([
    ['an address', '10.0.0.1', at('a', '10.0.0.1', 9), at('a', '10.0.0.2', 9)],
    ['an address and port', '10.0.0.1:9', at('a', '10.0.0.1', 9), at('a', '10.0.0.1', 10)],
    ['a range', '10.0.0.0/8', at('a', '10.255.0.1', 9), at('a', '11.0.0.1', 9)],
    ['an IPv6 address', '::1', at('a', '::1', 9), at('a', '127.0.0.1', 9)],
    ['an IPv6 address and port', '[::1]:9', at('a', '::1', 9), at('a', '::1', 10)],
    ['an IPv6 range', 'fd00::/8', at('a', 'fd12::1', 9), at('a', 'fe80::1', 9)],
    ['a name', 'Billing.Internal', at('billing.internal', '10.0.0.1', 9), at('other.internal', '10.0.0.1', 9)],
    [
      'a name and port',
      'api.example.com:8443',
      at('api.example.com', '8.8.8.8', 8443),
      at('api.example.com', '8.8.8.8', 8444),
    ],
    ['an IPv4 range, not what is mapped to it', '127.0.0.0/8', at('a', '127.0.0.1'), at('a', '::ffff:127.0.0.1')],
    ['everything in IPv4, not metadata (P3)', '0.0.0.0/0', at('a', '127.0.0.1'), at('a', '169.254.169.254')],
    ['a name, not metadata (P2)', 'a', at('a', '127.0.0.1'), at('a', '169.254.169.254')],
    ['everything in IPv6, not mapped metadata', '::/0', at('a', 'fe80::1'), at('a', '::ffff:169.254.169.254')],
  ])('%s', (_, grant, granted, refused) => {
    expect(readGrants([]).permits(granted)).toBe(false);
    expect(readGrants([grant]).permits(granted)).toBe(true);
    expect(readGrants([grant]).permits(refused)).toBe(false);
  });

  test('an address that hands out credentials is granted by itself alone (P3)', () => {
    expect(readGrants(['169.254.169.254']).permits(at('a', '169.254.169.254'))).toBe(true);
  });

  test.each([
    '*',
    '*.internal',
    'http://a',
    'a/b',
    '10.0.0.0/33',
    'a:0',
    'a:99999',
    '127.1',
    '0x7f000001',
    '[::1',
    '',
    'a b',
  ])('%s is none, and is said so', (text) => {
    expect(() => readGrants([text])).toThrow(expect.objectContaining({ code: 'configuration-invalid' }));
  });
});

test.each([
  ['8.8.8.8', 'public'],
  ['172.32.0.1', 'public'],
  ['2606:4700:4700::1111', 'public'],
  ['168.63.129.16', 'metadata'],
  ['fd00:ec2::254', 'metadata'],
  ['::ffff:169.254.169.254', 'metadata'],
  ['fe80::1', 'private'],
  ['nonsense', 'private'],
] as const)('%s is %s', (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});

test('an IPv6 address is dialled where it is granted, and named with its brackets', async () => {
  await using server = await startRawServer((socket, request) => socket.end(reply(200, {}, request)), { host: '::1' });
  const client = createHttpClient({ allow: [`[::1]:${server.port}`] });
  expect(await (await client.request({ url: server.url })).text()).toContain(`host: [::1]:${server.port}`);
});

test('limits that make no sense are refused', () => {
  const make = (): unknown => createHttpClient({ limits: { totalTimeoutMs: -1 } });
  expect(make).toThrow(expect.objectContaining({ code: 'configuration-invalid' }));
  try {
    make();
  } catch (error) {
    expect(isAxleError(error)).toBe(true);
  }
});
