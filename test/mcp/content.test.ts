/** What a model is shown of what a server answers. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createAxle } from '../../src/axle.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { KeptContent } from '../../src/mcp/tools/kept-content.ts';
import { contextOf, toolNamed } from './context.ts';
import { containing, rude, type RudeOptions } from './support.ts';

let folder: string;
let kept: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axle-content-'));
  kept = join(folder, 'kept');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** Has the server answer with this result, and gives what the tool returns. */
async function said(result: object, options: RudeOptions = {}): Promise<unknown> {
  const contracts = await rude({ keep: kept, ...options }).connect();
  return say(contracts, result);
}

async function say(contracts: readonly Contract[], result: object): Promise<unknown> {
  const path = join(folder, 'result.json');
  writeFileSync(path, JSON.stringify(result));
  return toolNamed(contracts, 'rude.say').execute({ text: path }, contextOf());
}

const picture = Buffer.alloc(300_000, 7);

describe('parts that are no text', () => {
  test('are named by type, media type, size and reference, in their order; none of their data is in what a model sees (C077)', async () => {
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const output = await said({
      content: [
        { type: 'text', text: 'before' },
        { type: 'image', mimeType: 'image/png', data: picture.toString('base64') },
        { type: 'audio', mimeType: 'audio/wav', data: Buffer.from('sound').toString('base64') },
        { type: 'resource', resource: { uri: 'file:///a.bin', mimeType: 'application/zip', blob: 'AAEC' } },
        { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'the text of it' } },
        { type: 'resource_link', uri: 'file:///b.pdf', name: 'b', mimeType: 'application/pdf', size: 9 },
        { type: 'image', mimeType: 'image/svg+xml', data: drawing.toString('base64') },
        { type: 'image', mimeType: 'image/png', data: '%%% no base64 %%%' },
        { type: 'hologram', data: 'AAEC' },
        { type: 'text', text: 'after' },
      ],
    });
    const reference = containing('kept:');
    expect(output).toEqual({
      kind: 'mcp-content',
      content: [
        { type: 'text', text: 'before' },
        { type: 'image', mimeType: 'image/png', bytes: 300_000, reference },
        { type: 'audio', mimeType: 'audio/wav', bytes: 5, reference },
        { type: 'resource', uri: 'file:///a.bin', mimeType: 'application/zip', bytes: 3, reference },
        { type: 'resource', uri: 'file:///a.txt', mimeType: 'text/plain', text: 'the text of it' },
        { type: 'resource_link', uri: 'file:///b.pdf', name: 'b', mimeType: 'application/pdf', bytes: 9 },
        { type: 'image', mimeType: 'image/svg+xml', bytes: drawing.byteLength, reference },
        { type: 'image', mimeType: 'image/png', note: containing('no base64') },
        { type: 'hologram', note: containing('not known') },
        { type: 'text', text: 'after' },
      ],
    });
    const shown = output as { content: ReadonlyArray<{ reference: string }> };
    expect(await new KeptContent(kept).read(shown.content[1]?.reference ?? '')).toEqual(picture);
  });

  test('stand beside structured content, whose mirror in text is left out', async () => {
    const output = await said({
      content: [
        { type: 'text', text: '{"answer":42}' },
        { type: 'image', mimeType: 'image/png', data: 'AAEC' },
      ],
      structuredContent: { answer: 42 },
    });
    expect(output).toEqual({
      kind: 'mcp-content',
      content: [{ type: 'image', mimeType: 'image/png', bytes: 3, reference: containing('kept:') }],
      structuredContent: { answer: 42 },
    });
  });

  test('are named without a reference where nothing is kept', async () => {
    expect(await said({ content: [{ type: 'image', mimeType: 'image/png', data: 'AAEC' }] }, { keep: false })).toEqual({
      kind: 'mcp-content',
      content: [{ type: 'image', mimeType: 'image/png', bytes: 3 }],
    });
  });

  test('do not make a call fail when they cannot be kept', async () => {
    writeFileSync(kept, 'a file where the folder should be');
    expect(await said({ content: [{ type: 'image', mimeType: 'image/png', data: 'AAEC' }] })).toMatchObject({
      content: [{ bytes: 3, unkept: containing('could not be kept') }],
    });
  });
});

describe('results that are too long to be shown', () => {
  const rows = JSON.stringify(
    Array.from({ length: 60_000 }, (_, id) => ({ id, name: `customer ${id}`, note: 'x'.repeat(40) })),
  );

  test('are shown by their beginning and end, kept once, and read on with a tool: 5 MB of rows end in a legal, short entry (C078)', async () => {
    expect(rows.length).toBeGreaterThan(5_000_000);
    writeFileSync(join(folder, 'result.json'), JSON.stringify({ content: [{ type: 'text', text: rows }] }));
    const source = rude({ keep: kept });
    await using axle = await createAxle({ store: ':memory:', tools: [source], log: () => undefined });
    const call = async (): Promise<unknown> => {
      const result = await axle.call('rude.say', { text: join(folder, 'result.json') });
      if (result.status !== 'completed') throw new Error(`it ended as ${result.status}`);
      return result.output;
    };
    const output = (await call()) as { content: ReadonlyArray<Record<string, unknown>> };
    expect(JSON.stringify(output).length).toBeLessThan(8_000);
    const [part] = output.content;
    expect(part).toMatchObject({ type: 'text', chars: rows.length, note: containing('rude.read_kept') });
    expect(rows.startsWith(String(part?.['beginning']))).toBe(true);
    expect(rows.endsWith(String(part?.['end']))).toBe(true);

    const read = await axle.call('rude.read_kept', { reference: part?.['reference'], offset: 3_000_000, chars: 100 });
    expect(read).toMatchObject({
      output: { text: rows.slice(3_000_000, 3_000_100), chars: rows.length, nextOffset: 3_000_100 },
    });

    await call();
    expect(readdirSync(kept)).toHaveLength(1);
    expect(statSync(join(kept, readdirSync(kept)[0] ?? '')).size).toBe(Buffer.byteLength(rows));
  });

  test('fit the promise of the tool for its output all the same', async () => {
    const path = join(folder, 'tools.json');
    const outputSchema = {
      type: 'object',
      properties: { rows: { type: 'array', items: { $ref: '#/$defs/row' } } },
      required: ['rows'],
      $defs: { row: { type: 'object', required: ['id'] } },
    };
    writeFileSync(path, JSON.stringify([{ name: 'say', inputSchema: { type: 'object' }, outputSchema }]));
    const contracts = await rude({ keep: kept, flags: ['--list=file'], env: { RUDE_TOOLS: path } }).connect();
    const { output } = toolNamed(contracts, 'rude.say');
    const judged = async (structuredContent: object): Promise<boolean | undefined> =>
      output?.check((await say(contracts, { content: [], structuredContent })) as never).ok;
    expect(await judged({ rows: [{ id: 1 }] })).toBe(true);
    expect(await judged({ rows: Array.from({ length: 9_000 }, (_, id) => ({ id })) })).toBe(true);
    expect(await judged({ rows: [{}] })).toBe(false);
    expect(await judged({ row: [] })).toBe(false);
  });

  test('share one limit over all parts of an answer', async () => {
    const text = 'x'.repeat(20_000);
    const output = await said({
      content: [
        { type: 'text', text },
        { type: 'resource', resource: { uri: 'file:///a', text } },
        { type: 'text', text: 'the end' },
      ],
    });
    expect(output).toMatchObject({
      content: [{ text }, { uri: 'file:///a', chars: 20_000, reference: containing('kept:') }, { text: 'the end' }],
    });
  });

  test('are bounded in number', async () => {
    const parts = Array.from({ length: 500 }, () => ({ type: 'image', mimeType: 'image/png', data: 'AAEC' }));
    const { content } = (await said({ content: parts })) as { content: readonly unknown[] };
    expect(content).toHaveLength(101);
    expect(content.at(-1)).toEqual({ type: 'text', note: containing('400 parts more') });
  });
});

describe('what is kept', () => {
  test('is kept once, under a name that is no path', async () => {
    const store = new KeptContent(kept);
    const reference = await store.keep(picture);
    expect(await store.keep(picture)).toBe(reference);
    expect(await new KeptContent(kept).read(reference)).toEqual(picture);
    writeFileSync(join(folder, 'secret'), 'not yours');
    expect(await store.read('kept:../secret')).toBeUndefined();
    expect(await store.read('../secret')).toBeUndefined();
  });

  test('has a limit: what has not been used for longest goes first', async () => {
    const store = new KeptContent(kept, 25);
    const first = await store.keep(Buffer.from('first ten.'));
    const second = await store.keep(Buffer.from('second ten'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store.read(first);
    const third = await store.keep(Buffer.from('third ten.'));
    expect(await Promise.all([first, second, third].map(async (one) => (await store.read(one)) !== undefined))).toEqual(
      [true, false, true],
    );
  });

  test('is read as text only when it is text', async () => {
    const contracts = await rude({ keep: kept }).connect();
    const reference = await new KeptContent(kept).keep(picture.fill(0xff));
    const reader = toolNamed(contracts, 'rude.read_kept');
    await expect(reader.execute({ reference }, contextOf())).rejects.toMatchObject({ message: containing('no text') });
    await expect(reader.execute({ reference: 'kept:nothing' }, contextOf())).rejects.toMatchObject({ effect: 'none' });
  });
});
