/** How a server is spoken to: in which revision, for how long, and what it may ask. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mcp, type McpNotice } from '../../src/mcp.ts';
import { contextOf, toolNamed } from './context.ts';
import { failureOf, rude, until } from './support.ts';

const bothRevisions = fileURLToPath(new URL('fixtures/both-revisions.ts', import.meta.url));

describe('the older revision', () => {
  test.for([[], ['--silent'], ['--ends-when-asked']])(
    'is spoken to a server that does not know the newer (%s), the second time without asking',
    async (flags) => {
      const source = rude({ flags });
      const contracts = await source.connect();
      expect(source.revision).toBe('2025-11-25');
      await failureOf(toolNamed(contracts, 'rude.exit'));
      const startedAtMs = performance.now();
      expect(await toolNamed(contracts, 'rude.echo').execute({ text: 'back' }, contextOf())).toBe('back');
      expect(performance.now() - startedAtMs).toBeLessThan(2_500);
    },
  );
});

describe('the newer revision', () => {
  test.for(['auto', '2026-07-28', '2025-11-25'] as const)(
    'is spoken to a process that knows both, when %s is asked for; progress and cancellation come through',
    async (protocol) => {
      const folder = mkdtempSync(join(tmpdir(), 'axle-both-'));
      const ledger = join(folder, 'ledger');
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const both = mcp({
        name: 'both',
        command: process.execPath,
        args: [bothRevisions],
        env: { LEDGER: ledger },
        protocol,
      });
      onTestFinished(() => both.close());
      const contracts = await both.connect();
      expect(both.revision).toBe(protocol === 'auto' ? '2026-07-28' : protocol);
      expect(await toolNamed(contracts, 'both.add').execute({ a: 40, b: 2 }, contextOf())).toEqual({ sum: 42 });

      const abort = new AbortController();
      const heard: unknown[] = [];
      const context = {
        ...contextOf({ signal: abort.signal }),
        progress: (update: unknown): void => {
          heard.push(update);
          if (heard.length === 2) abort.abort();
        },
      };
      expect(await failureOf(toolNamed(contracts, 'both.count'), { to: 100 }, context)).toMatchObject({
        code: 'aborted',
      });
      expect(heard).toEqual([1, 2].map((done) => ({ done, total: 100 })));
      await until(() => readFileSync(ledger, 'utf8').includes('aborted'), 'the server heard of it');
    },
  );
});

describe('progress (C076)', () => {
  test('reaches the call, and keeps one alive that would else be too long silent', async () => {
    const heard: unknown[] = [];
    const contracts = await rude({ idleTimeout: '600ms', requestTimeout: '10s' }).connect();
    const context = { ...contextOf(), progress: (update: unknown) => void heard.push(update) };
    expect(await toolNamed(contracts, 'rude.slow').execute({ text: '8' }, context)).toBe('done');
    expect(heard[0]).toEqual({ done: 1, total: 8, message: 'step 1' });
  });

  test('does not keep it alive beyond its time limit', async () => {
    const contracts = await rude({ idleTimeout: '600ms', requestTimeout: '1s' }).connect();
    expect(await failureOf(toolNamed(contracts, 'rude.slow'), { text: '12' })).toMatchObject({
      code: 'tool-timed-out',
    });
  });

  test('that does not come ends the call after the longest silence', async () => {
    const contracts = await rude({ effects: { silent: { idleTimeout: '200ms' } } }).connect();
    const startedAtMs = performance.now();
    expect(await failureOf(toolNamed(contracts, 'rude.silent'))).toMatchObject({ code: 'tool-timed-out' });
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });
});

test('a server that asks the user something is refused with a code, that is told, and the call goes on', async () => {
  const notices: McpNotice[] = [];
  const contracts = await rude({ onNotice: (notice) => notices.push(notice) }).connect();
  expect(await toolNamed(contracts, 'rude.curious').execute({}, contextOf())).toMatch(
    /was told: -32601 Axle does not answer/,
  );
  expect(notices).toMatchObject([{ kind: 'request-refused', server: 'rude' }]);
});
