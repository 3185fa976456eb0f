import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, noBrowser, openPage, startBrowser, textOf } from './browser.ts';
import { builtPage } from '../../scripts/built-page.ts';
import { openWorld, rested, type World } from './world.ts';

const browser = await startBrowser();

describe('a run that has ended', () => {
  beforeEach(({ skip }) => skip(browser === undefined, noBrowser));

  let world: World;
  let run: string;

  beforeAll(async () => {
    if (browser === undefined) return;
    world = await openWorld({}, { page: await builtPage() });
    run = await rested(world, 'traveller', 'Plan the journey.');
    await world.axle.approvals.resolve(`${run}/4.0`, { decision: 'approve' });
    await world.axle.run(run).result({ until: 'ended' });
  });
  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    await world.close();
  });

  test('is forked from a step with other instructions, and the two stand side by side; what was sent is not sent again', async () => {
    if (browser === undefined) return;
    const page = await openPage(browser, `${world.url}/runs/${run}?span=call.3.0`);
    await page.locator('.span-head').waitFor();
    await page.getByRole('button', { name: 'Fork', exact: true }).waitFor();
    await page.keyboard.press('F');
    const dialog = page.getByRole('dialog', { name: 'Fork' });
    expect(await dialog.getByLabel('First step that is made anew').inputValue()).toBe('3');
    await dialog.getByLabel(/^Instructions/).fill('Plan journeys, and be very brief.');
    await dialog.getByRole('button', { name: 'Fork and compare' }).click();
    await page.waitForURL(/\/compare\//);
    const other = page.url().split('/').at(-1) ?? '';
    await world.axle.run(other).result();
    await page.reload();
    await eventually(() => textOf(page, '.compared.parting')).toMatch(/Step 3 here they part.*context/);
    await eventually(() => textOf(page, '.compare-head:last-child')).toMatch(new RegExp(`fork of ${run} from step 3`));
    await page.locator('.compared').filter({ hasText: 'recorded result' }).first().waitFor();
  });

  test('is decided again, and said to be byte-equal', async () => {
    if (browser === undefined) return;
    const page = await openPage(browser, `${world.url}/runs/${run}`);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(/Decided again and byte-equal: \d+ entries/).waitFor();
  });

  test('is taken away as a file', async () => {
    if (browser === undefined) return;
    const page = await openPage(browser, `${world.url}/runs/${run}`);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`${run}.axle.jsonl`);
  });

  test('says what probably went wrong, with the way to the evidence', async () => {
    if (browser === undefined) return;
    const looping = await rested(world, 'worker', '12 x 1ms');
    const page = await openPage(browser, `${world.url}/runs/${looping}`);
    await page.locator('.diagnosis').waitFor();
    await page.getByRole('button', { name: /^Why/ }).click();
    await page.locator('.diagnosis-evidence a').first().click();
    await page.locator('.span-panel').waitFor();
  });

  test('is compared with a run whose call waits for a person, and that call is not said to run', async () => {
    if (browser === undefined) return;
    const waiting = await rested(world, 'traveller', 'Plan the journey.');
    const page = await openPage(browser, `${world.url}/runs/${waiting}/compare/${waiting}`);
    const call = page.locator('.compared-call', { has: page.getByRole('link', { name: 'send_mail' }) }).first();
    await eventually(() => call.innerText()).toMatch(/^send_mail\s+waiting/);
  });

  test('is compared with another one that is chosen from the list', async () => {
    if (browser === undefined) return;
    const other = await rested(world, 'worker', '2 x 1ms');
    const page = await openPage(browser, `${world.url}/runs/${run}`);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.locator(`.compare-runs a[href$="${other}"]`).click();
    await eventually(() => textOf(page, '.screen-head')).toMatch(/They part in step 1/);
  });
});
