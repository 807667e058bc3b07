// `npm run test:browser`: "A portal in ten minutes" (docs/portal.md) as a reader does it. The
// packages are packed, a fresh page of Vite with a strict policy installs them, and Chromium opens
// it as a customer would. Then the hosted page of another link.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';
import { removeHome, startStack } from '@parley/dev/stack';
import { findChromium, receiver } from '@parley/testing';
import { readBlock, startFreshSite } from '../fresh-site.ts';

const here = findChromium(); // before anything is started
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const home = join(root, '.parley', `portal-${process.pid}`);
const outside = await receiver();

// No origin is listed in CORS_ORIGINS: portal links work on any page.
const stack = await startStack({
  root,
  home,
  released: true,
  env: { PATH: process.env['PATH'], QUEUE_URL: process.env['TEST_REDIS_URL'], OUTBOUND_ALLOW: '127.0.0.1' },
  services: ['voice-api'],
  throwaway: true,
});
const { origin: service, apiKey } = stack.services['voice-api'];
const policy = ["default-src 'none'", "script-src 'self'", "style-src 'self'", 'img-src data:'];
const site = await startFreshSite({
  'content-security-policy': [
    ...policy,
    `connect-src ${service}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});

async function call(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly token: string; readonly url: string }> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(service + path, { method, headers, body: body ? JSON.stringify(body) : null });
  assert.ok(answer.ok, await answer.clone().text());
  return ((await answer.json()) as { data: { token: string; url: string } }).data;
}

const browser = await chromium.launch(here);
try {
  await call('PUT', '/v1/applications/shop-1042', { name: 'Corner shop' });
  const { token } = await call('POST', '/v1/applications/shop-1042/portal-links', {});
  await site.build({
    packages: ['sdk', 'portal'],
    app: readBlock('docs/portal.md', 'A portal in ten minutes', 'tsx').replace(
      'http://127.0.0.1:3002',
      service,
    ),
    env: `VITE_PORTAL_TOKEN=${token}`,
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  const referrers = new Set<string | null>();
  page.on('request', (request) => {
    if (request.url().startsWith(service)) referrers.add(request.headers()['referer'] || null);
  });
  const inspect = async (scheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme: scheme });
    const { violations } = await new AxeBuilder({ page }).include('.parley-portal').analyze();
    assert.deepEqual(
      violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      [],
    );
  };
  await page.goto(site.origin);
  await page.getByText('No webhooks yet').waitFor();
  await inspect('light');

  // By keyboard: add a webhook for all events.
  await page.getByRole('button', { name: 'Add webhook' }).press('Enter');
  await page.getByLabel('Address').fill(outside.url);
  await page.getByText('conversation.deleted').waitFor();
  await inspect('dark');
  await page.getByLabel('Address').press('Enter');
  await page.getByText('Copy the secret now').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText('Your server answered 200').waitFor();

  const events = [
    {
      id: 'portal-1',
      type: 'conversation.started',
      conversation_id: 'of-the-shop',
      occurred_at: new Date().toISOString(),
      data: { metadata: { application_id: 'shop-1042' } },
    },
  ];
  await call('POST', '/v1/conversations/events', { events });
  await page.getByLabel('Status').selectOption({ label: 'Delivered' });
  const delivery = page.getByRole('button', { name: 'conversation.started' });
  for (let round = 0; round < 30 && !(await delivery.isVisible()); round += 1) {
    await page.getByLabel('Status').selectOption({ label: 'All' });
    await page.getByLabel('Status').selectOption({ label: 'Delivered' });
    await page.waitForTimeout(500);
  }
  await inspect('dark');
  await delivery.click();
  await page.getByText('Attempt 1', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Payload' }).getByText('shop-1042').waitFor();
  await inspect('light');
  await page.getByRole('button', { name: 'Retry delivery' }).click();
  await outside.received(3); // test, event, redelivery
  await page.getByText('Delivered', { exact: true }).waitFor();

  assert.deepEqual(await context.cookies(), []);
  assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0);
  assert.deepEqual([...referrers], [null]);
  assert.deepEqual(complaints, []);
  console.log('  ✓ a portal in ten minutes: packed, built, opened in a page with a strict policy');

  // The url of a link, as the customer opens it: no page of ours, no package.
  const links = '/v1/applications/shop-1042/portal-links';
  const looks = { appearance: { color_scheme: 'dark', accent_color: '#ffb454' } };
  const { url } = await call('POST', links, looks);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await page.goto(url);
  await page.getByRole('button', { name: outside.url }).waitFor();
  await inspect('light');
  const add = page.getByRole('button', { name: 'Add webhook' });
  const colours = await page.evaluate(
    "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.querySelector('.parley-portal-main')))",
  );
  assert.deepEqual(colours, ['rgb(255, 180, 84)', 'rgb(0, 0, 0)']);
  await add.press('Enter');
  await page.getByLabel('Address').fill(`${outside.url}/second`);
  await page.getByLabel('Address').press('Enter');
  await page.getByText('Copy the secret now').waitFor();
  await page.reload();
  await page.getByRole('button', { name: `${outside.url}/second` }).waitFor();
  assert.deepEqual(
    sent.filter((address) => !address.startsWith(service) || address.includes('ptl_')),
    [],
  );
  assert.deepEqual(await context.cookies(), []);
  assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0);
  assert.deepEqual([...referrers], [null]);
  assert.deepEqual(complaints, []);
  await call('DELETE', links);
  await page.reload();
  await page.getByText('This link has expired or was revoked').waitFor();
  await page.goto(`${service}/portal#`);
  await page.getByText('This page opens with a link').waitFor();
  await inspect('dark');
  console.log('  ✓ the hosted page: opened from the url of a link, in its colours, until it was revoked');
} finally {
  await browser.close();
  await stack.stop();
  site.close();
  await outside.close();
  await removeHome(home);
}
