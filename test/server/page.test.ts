import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openWorld, overSocket, type World } from './world.ts';

/** A server with a page of three files, beside a file that is none of them. */
async function openPage(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'axle-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'page/assets'), { recursive: true });
  writeFileSync(join(folder, 'page/index.html'), '<!doctype html><title>Axle</title>');
  writeFileSync(join(folder, 'page/assets/main-a1b2c3d4.js'), 'export {};');
  writeFileSync(join(folder, 'page/icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  return openWorld({}, { page: join(folder, 'page') });
}

describe('the page', () => {
  it('is at every path that is no file and no part of the API, under a strict policy', async () => {
    const { url } = await openPage();
    for (const path of ['/', '/runs', '/runs/run_1', '/runs/run_1/compare/run_2?step=3']) {
      const response = await fetch(`${url}${path}`);
      expect(await response.text()).toContain('<title>Axle');
      const policy = response.headers.get('content-security-policy') ?? '';
      for (const rule of ["default-src 'none'", "require-trusted-types-for 'script'", "frame-ancestors 'none'"]) {
        expect(policy).toContain(rule);
      }
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-cache');
    }
  });

  it('has files that are kept for ever where their names change with them, and asked about elsewhere', async () => {
    const { url } = await openPage();
    const script = await fetch(`${url}/assets/main-a1b2c3d4.js`);
    expect(script.headers.get('content-type')).toContain('text/javascript');
    expect(script.headers.get('cache-control')).toContain('immutable');
    const icon = await fetch(`${url}/icon.svg`);
    const etag = icon.headers.get('etag') ?? '';
    expect((await fetch(`${url}/icon.svg`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await fetch(`${url}/missing.js`)).status).toBe(404);
    expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(405);
  });

  it.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/../../secret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/icon.svg%00/../secret.txt',
    '/page/../../../../../../etc/passwd',
  ])('gives no file from outside of its folder: %s', async (path) => {
    const { port } = await openPage();
    const { text } = await overSocket(
      port,
      `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).not.toContain('\r\n\r\nsecret');
    expect(text).not.toContain('root:');
  });

  it('may be led to by a page of another site, which gets nothing else by that', async () => {
    const { port } = await openPage();
    const navigate = (path: string, destination: string): Promise<{ readonly status: number }> =>
      overSocket(
        port,
        [
          `GET ${path} HTTP/1.1`,
          `Host: localhost:${port}`,
          'Sec-Fetch-Site: cross-site',
          'Sec-Fetch-Mode: navigate',
          `Sec-Fetch-Dest: ${destination}`,
          'Connection: close',
          '',
          '',
        ].join('\r\n'),
      );
    expect((await navigate('/runs/run_1', 'document')).status).toBe(200);
    expect((await navigate('/runs/run_1', 'iframe')).status).toBe(403);
    for (const path of ['/v1/runs', '/%76%31/runs', '/v%31/runs/%ff', '/%6detrics', '/v1%2fruns/../%761/runs']) {
      expect([path, (await navigate(path, 'document')).status]).toEqual([path, 403]);
    }
  });

  it('says how it is made where it is not there', async () => {
    const { ask } = await openWorld();
    expect(await ask('GET', '/runs')).toMatchObject({
      status: 404,
      body: { code: 'route-unknown', detail: expect.stringContaining('npm run build') },
    });
  });
});
