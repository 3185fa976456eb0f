import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readAppends } from '../../src/journal/read-appends.ts';
import type { Entry, EntryType } from '../../src/journal/entry.ts';
import { noBrowser, openPage, startBrowser } from './browser.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { inPage, inPageLooks } from './chromium.ts';
import { openWorld, rested, type World } from './world.ts';

const browser = await startBrowser();

describe('the inbox', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  let world: World;

  beforeAll(async () => {
    if (browser === undefined) return;
    world = await openWorld({}, { page: await builtPage() });
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    await world.close();
  });

  const open = (item: string): Promise<Page> => {
    if (browser === undefined) throw new Error('There is no browser.');
    return openPage(browser, `${world.url}/inbox?item=${encodeURIComponent(item)}`);
  };
  /** The entries of a type in a run. */
  const entries = async <Type extends EntryType>(
    run: string,
    type: Type,
  ): Promise<readonly Extract<Entry, { type: Type }>[]> => {
    const found: Entry[] = [];
    for await (const append of readAppends(world.axle.store, run)) found.push(...append.entries);
    return found.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type);
  };
  const ended = async (run: string): Promise<string> => {
    const result = await world.axle.run(run).result({ until: 'ended' });
    return result.status;
  };

  test('approves a call once, with a note', async () => {
    const run = await rested(world, 'traveller', 'Plan the journey.');
    const page = await open(`${run}/4.0`);
    await page.getByText('The memo is written, so I send it to the traveller.').waitFor();
    await page.getByLabel(/Note/).fill('Looks right.');
    await page.getByRole('button', { name: 'Approve once' }).click();
    await page.getByText('Approved send_mail').first().waitFor();
    expect(await ended(run)).toBe('completed');
    const [answer] = await entries(run, 'approval-answered');
    expect(answer).toMatchObject({ verdict: 'approve', note: 'Looks right.' });
    expect(await entries(run, 'attempt-started')).toHaveLength(6);
  });

  test('approves with other arguments, written in a form that knows the schema', async () => {
    const run = await rested(world, 'traveller', 'Plan the journey.');
    const page = await open(`${run}/4.0`);
    await page.getByRole('button', { name: 'Change them' }).click();
    const approve = page.getByRole('button', { name: 'Approve with these changes' });
    expect(await approve.isDisabled()).toBe(true);
    await page.getByLabel(/^copies/).fill('two');
    expect(await approve.isDisabled()).toBe(true);
    await page.getByLabel(/^copies/).fill('2');
    await page.getByLabel(/^priority/).selectOption('high');
    await approve.click();
    await page.getByText('Approved send_mail with changes').first().waitFor();
    expect(await ended(run)).toBe('completed');
    const [answer] = await entries(run, 'approval-answered');
    expect(answer?.edited?.input).toEqual({
      to: 'traveller@example.com',
      subject: 'Your journey',
      body: 'Take a coat.',
      priority: 'high',
      copies: 2,
    });
  });

  test('tells what the server says of arguments that do not fit', async () => {
    const run = await rested(world, 'traveller', 'Plan the journey.');
    const page = await open(`${run}/4.0`);
    await page.getByRole('button', { name: 'Change them' }).click();
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByLabel('Arguments as JSON').fill('{"to": 5}');
    await page.getByRole('button', { name: 'Approve with these changes' }).click();
    await page
      .getByRole('alert')
      .getByText(/The edited arguments do not fit/)
      .waitFor();
    expect(await entries(run, 'approval-answered')).toHaveLength(0);
  });

  test('of two people takes the first answer; the card of the second is stale, says so, and approves nothing', async () => {
    const run = await rested(world, 'traveller', 'Plan the journey.');
    const [first, second] = await Promise.all([open(`${run}/4.0`), open(`${run}/4.0`)]);
    // The second looks at an answer of before: nothing new reaches it any more.
    await second.getByRole('button', { name: 'Approve once' }).waitFor();
    await inPage(second, inPageLooks, 'sleep');
    await first.getByRole('button', { name: 'Deny' }).click();
    await first.getByText('Denied send_mail').first().waitFor();
    expect(await ended(run)).toBe('completed');
    await second.getByRole('button', { name: 'Approve once' }).click();
    await second.getByRole('alert').waitFor();
    expect(await second.getByRole('button', { name: 'Approve once' }).isDisabled()).toBe(true);
    const answers = await entries(run, 'approval-answered');
    expect(answers.map(({ verdict }) => verdict)).toEqual(['deny']);
    const started = await entries(run, 'attempt-started');
    expect(started.filter(({ callId }) => callId === '4.0')).toEqual([]);
  });

  test('settles a doubt with the result that a person enters', async () => {
    const run = await rested(world, 'banker', 'Send the money.');
    const page = await open(`${run}/1.0`);
    const record = page.getByRole('button', { name: 'Record this' });
    expect(await record.isDisabled()).toBe(true);
    await page.getByText('It happened', { exact: true }).click();
    await page.getByLabel(/^receipt/).fill('R-7');
    await record.click();
    await page.getByText('transfer: it happened').first().waitFor();
    expect(await ended(run)).toBe('completed');
    const [resolved] = await entries(run, 'call-resolved');
    expect(resolved).toMatchObject({ verdict: { kind: 'happened', output: { receipt: 'R-7' } }, by: 'person' });
    expect(await entries(run, 'attempt-started')).toHaveLength(1);
  });

  test('settles a doubt about what never happened, and the model goes on', async () => {
    const run = await rested(world, 'banker', 'Send the money.');
    const page = await open(`${run}/1.0`);
    await page.getByText('It did not happen: leave it').click();
    await page.getByRole('button', { name: 'Record this' }).click();
    await page.getByText('transfer: it did not happen').first().waitFor();
    expect(await ended(run)).toBe('completed');
    const [resolved] = await entries(run, 'call-resolved');
    expect(resolved?.verdict).toEqual({ kind: 'not-happened', then: 'fail' });
  });

  test('shows where a login is given, and lets the run go on when it is', async () => {
    const run = await rested(world, 'guide', 'Who is it?');
    const [question] = await world.axle.authorizations.list(run);
    const page = await open(question?.authorizationId ?? '');
    const link = page.getByRole('link', { name: 'https://crm.example.com/login' });
    expect(await link.getAttribute('rel')).toContain('noreferrer');
    await page.getByRole('button', { name: 'It is given: go on' }).click();
    await page.getByText('Authorised at crm').first().waitFor();
    expect(await ended(run)).toBe('completed');
  });

  test('shows a question as soon as it is asked, and takes it away when it is answered elsewhere', async () => {
    if (browser === undefined) return;
    const page = await openPage(browser, `${world.url}/inbox`);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const run = await rested(world, 'traveller', 'Plan the journey.');
    const item = page.locator(`.inbox-item[href*="${run}"]`);
    await item.waitFor();
    await world.axle.approvals.resolve(`${run}/4.0`, { decision: 'deny' });
    await item.waitFor({ state: 'detached' });
  });
});
