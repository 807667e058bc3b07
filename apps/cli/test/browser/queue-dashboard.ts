// `npm run test:browser`: the queue dashboard in Chromium. A viewer sees the failed job without its
// payload and without buttons; an operator sees the payload and retries the job. The page sends no
// request to another host. Needs TEST_REDIS_URL, which the runner sets.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { findChromium, eventually, testQueue } from '@parley/testing';
import { DEAD_JOB, QUEUE, PAYLOAD_TEXT, dashboardUnderTest, passwords } from '../dashboard-under-test.ts';

/** Screenshots of both roles, for review. */
const pictures = fileURLToPath(new URL('../../../../.parley/screenshots/', import.meta.url));
mkdirSync(pictures, { recursive: true });

const here = findChromium(); // before anything is started
const dashboard = await dashboardUnderTest(testQueue());
const origin = dashboard.url;
const browser = await chromium.launch(here);

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const result = await work();
  console.log(`  ✓ ${what}`);
  return result;
}

/** A page of this role; `strange` collects responses of other hosts. */
async function openPage(role: 'viewer' | 'operator') {
  const context = await browser.newContext({
    httpCredentials: { username: role, password: passwords[role] },
    viewport: { width: 1280, height: 800 },
  });
  const page = await context.newPage();
  const strange: string[] = [];
  page.on('response', (response) => {
    if (!response.url().startsWith(origin)) strange.push(response.url());
  });
  return { page, strange };
}

const failedJobs = `${origin}/queue/${QUEUE}?status=failed`;
const has = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();
const count = (page: Page, text: string) => page.getByText(text, { exact: false }).count();

interface Look {
  readonly colours: number;
  readonly background: number;
}

/** Runs in the browser, which knows how to read a PNG. */
const COUNT_COLOURS = `async (data) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + data;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return { colours: counts.size, background: Math.max(...counts.values()) / pixels.length };
}`;

/** Counts colours and the share of the most frequent one: an empty page has few, and nearly all. */
async function look(page: Page, name: string): Promise<Look> {
  const picture = await page.screenshot({ path: `${pictures}queue-dashboard-${name}.png` });
  const blank = await (await browser.newContext()).newPage();
  try {
    return await blank.evaluate<Look>(`(${COUNT_COLOURS})('${picture.toString('base64')}')`);
  } finally {
    await blank.context().close();
  }
}

try {
  await step('without credentials the page shows nothing', async () => {
    const page = await (await browser.newContext()).newPage();
    const answer = await page.goto(origin).catch(() => null); // Chromium shows its own question for a password
    assert.ok(answer === null || answer.status() === 401);
    assert.equal(await count(page, QUEUE), 0);
  });

  await step('a viewer sees the queues of the service, and the failed job with its reason', async () => {
    const { page, strange } = await openPage('viewer');
    await page.goto(origin);
    assert.equal(await page.title(), 'Parley voice-api');
    await has(page, 'webhook-deliveries');
    assert.equal(await count(page, 'notification-sends'), 0);
    await page.goto(failedJobs);
    await has(page, DEAD_JOB);
    await has(page, 'malformed');
    const { colours, background } = await look(page, 'viewer');
    assert.ok(
      colours > 50 && background < 0.9,
      `the page looks empty: ${colours} colours, ${background} of one`,
    );
    await page.locator('button', { hasText: /^Data$/ }).click();
    await has(page, '[hidden from viewers]');
    assert.equal(await count(page, PAYLOAD_TEXT), 0);
    assert.equal(await count(page, 'Retry all'), 0);
    assert.deepEqual(strange, []);
  });

  await step('an operator sees the payload and retries the job, and its worker runs it', async () => {
    const { page, strange } = await openPage('operator');
    await page.goto(failedJobs);
    await has(page, DEAD_JOB);
    await page.locator('button', { hasText: /^Data$/ }).click();
    await has(page, PAYLOAD_TEXT);
    await look(page, 'operator');
    await page.locator('button', { hasText: 'Retry all' }).click();
    const confirm = page.getByRole('button', { name: /confirm|yes|ok/i });
    await Promise.race([
      confirm.click().catch(() => undefined),
      eventually(() => dashboard.processed.length === 1),
    ]);
    await eventually(() => dashboard.processed.length === 1);
    await eventually(async () => (await dashboard.failed()) === 0);
    await page.getByText(DEAD_JOB).waitFor({ state: 'detached' });
    assert.deepEqual(strange, []);
  });
  console.log(`The dashboard works in Chromium ${browser.version()}. Pictures: .parley/screenshots/`);
} finally {
  await browser.close();
  await dashboard.close();
}
