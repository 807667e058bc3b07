// `npm run test:browser`: "An inbox in ten minutes" (docs/inbox.md) as a reader does it. The
// packages are packed, a fresh page of Vite in an empty folder installs them, and Chromium opens
// it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { mintToken, removeHome, startStack } from '@parley/dev/stack';
import { findChromium } from '@parley/testing';
import { readBlock, startFreshSite } from '../fresh-site.ts';

const here = findChromium(); // before anything is started
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const home = join(root, '.parley', `fresh-page-${process.pid}`);

const block = (language: string) => readBlock('docs/inbox.md', 'An inbox in ten minutes', language);
const site = await startFreshSite();
const { origin } = site;

const stack = await startStack({
  root,
  home,
  released: true,
  env: { PATH: process.env['PATH'], QUEUE_URL: process.env['TEST_REDIS_URL'], CORS_ORIGINS: origin },
  services: ['notifications'],
  throwaway: true,
});
const { origin: service, apiKey } = stack.services.notifications;

/** The `curl` of the page, with the key and the address of this stack. */
async function sendAsDocumented(): Promise<void> {
  const body = /-d '(.*?)'/s.exec(block('sh'))![1]!;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${service}/v1/notify`, { method: 'POST', headers, body });
  assert.equal(answer.status, 202, await answer.text());
}

const browser = await chromium.launch(here);
try {
  await site.build({
    packages: ['sdk', 'inbox'],
    app: block('tsx').replace('http://127.0.0.1:3003', service),
    env: `VITE_PARLEY_TOKEN=${await mintToken(stack, 'ada')}`,
  });
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(origin);
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  await sendAsDocumented();
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
  await page.getByRole('button', { name: 'Dinner is ready' }).waitFor();
  const position = await page.evaluate(
    "getComputedStyle(document.querySelector('.parley-inbox-bell')).position",
  );
  assert.equal(position, 'relative', 'the style sheet of the package applies');

  await page.getByRole('button', { name: 'Snooze', exact: true }).click();
  await page.getByRole('button', { name: 'For an hour' }).click();
  await page.getByText('No notifications').waitFor();
  await page.getByRole('button', { name: 'Preferences' }).click();
  const everything = page.getByRole('checkbox', { name: 'All notifications that are not required' });
  await everything.click();
  await page.waitForFunction('!document.querySelector("input[type=checkbox]").checked');

  const long = {
    channels: ['in_app'],
    target: { in_app: { user_id: 'ada' } },
    message: 'Long words. '.repeat(200),
  };
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  await fetch(`${service}/v1/notify`, { method: 'POST', headers, body: JSON.stringify(long) });
  await page.getByRole('button', { name: 'All', exact: true }).click();
  const height = async () =>
    Number(await page.evaluate("document.querySelector('.parley-inbox-clamp').offsetHeight"));
  await page.getByRole('button', { name: 'Show more' }).waitFor();
  const cut = await height();
  await page.getByRole('button', { name: 'Show more' }).click();
  assert.ok((await height()) > 2 * cut, 'all of a long text is shown');
  assert.deepEqual(complaints, []);
  console.log('  ✓ an inbox in ten minutes: packed, built, opened');
} finally {
  await browser.close();
  await stack.stop();
  site.close();
  await removeHome(home);
}
