// `npm run test:browser`: a person with few scopes sees what they may and why the rest is hidden.
// The page sends no request that must fail.
import assert from 'node:assert/strict';
import { lookAt, openPage, picture, startBrowser } from '../browser-under-test.ts';
import { ask, CALL, FLOW, seed } from '../browser-seed.ts';

/** The browser logs this for every 403. */
const REFUSED = 'status of 403';

const under = await startBrowser();
const { step } = under;
const { 'flow-builder': flows, 'voice-api': voice, notifications } = under.stack.services;
const consoleUrl = under.stack.console.baseUrl;
try {
  await seed(under.stack);
  const scopes = (...given: string[]) => ({ name: `may ${given.join(' and ')}`, scopes: given });
  const { key: reader } = (await ask(flows, '/v1/api-keys', scopes('read'))) as { key: string };
  const { data: remover } = (await ask(voice, '/api-keys', scopes('delete'))) as { data: { key: string } };
  const watched = await openPage(under);
  const { page } = watched;
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const menu = page.getByRole('navigation', { name: 'Main' });

  await step('two keys sign in, and the menu marks services without a key', async () => {
    await page.goto(`${consoleUrl}/sign-in`);
    await page.getByLabel('Flow builder').fill(reader);
    await page.getByLabel('Voice API').fill(remover.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: FLOW.name }).waitFor();
    await menu.getByRole('link', { name: 'Notifications no key' }).waitFor();
    assert.equal(await menu.getByText('no key').count(), 1);
  });

  await step('a read-only key shows a flow and cannot create one', async () => {
    await menu.getByRole('link', { name: 'Flows' }).click();
    await page.getByRole('link', { name: FLOW.name }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Create flow' }).count(), 0);
    await page.goto(`${consoleUrl}/flows/${FLOW.flow_id}`);
    await page.locator('.react-flow__node[data-id="bye"]').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Publish version' }).count(), 0);
    await picture(page, 'access-write');
  });

  await step('a key that cannot read names the missing scope and offers no retry', async () => {
    for (const path of [
      '/conversations',
      `/conversations/${CALL}`,
      `/conversations/${CALL}/why`,
      '/webhooks',
    ]) {
      await page.goto(consoleUrl + path);
      await text(/Not allowed: .*read/);
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    }
  });

  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await step('a service without a key receives no request', async () => {
    await page.goto(`${consoleUrl}/notifications/sent`);
    await text('You are not signed in to Notifications');
    await page.goto(`${consoleUrl}/organization`);
    await text('You are not signed in to this service.');
    assert.deepEqual(
      asked.filter((url) => url.includes('/api/notifications/v1')),
      [],
    );
  });

  const problems = await lookAt(under, watched, {
    'access-none': '/conversations',
    'access-no-key': '/notifications',
    'access-organization': '/organization',
  });
  await step('these pages have no problem but the 403', async () => {
    const others = [...problems, ...watched.complaints].filter((problem) => !problem.includes(REFUSED));
    assert.deepEqual(others, []);
  });

  await step('a key for the service opens the page that was wanted', async () => {
    await page.goto(`${consoleUrl}/notifications/sent`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Notifications').fill(notifications.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await text('No notifications yet');
    assert.match(page.url(), /\/notifications\/sent$/);
    assert.equal(await menu.getByText('no key').count(), 0);
  });

  await step(
    'a session that ends while a person types keeps the text, and goes on after sign-in',
    async () => {
      await page.goto(`${consoleUrl}/notifications`);
      await page.getByLabel('Inbox of user').fill('ada');
      await page.getByLabel('Message', { exact: true }).fill('Your order is ready');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Preview' }).click();
      await text('Your session has ended. What you typed is still here: sign in again, then go on.');
      await picture(page, 'access-ended');
      const opens = page.waitForEvent('popup');
      await page.getByRole('link', { name: 'Sign in again' }).click();
      const small = await opens;
      await small.getByLabel('Notifications').fill(notifications.apiKey);
      await Promise.all([
        small.waitForEvent('close'),
        small.getByRole('button', { name: 'Sign in', exact: true }).click(),
      ]);
      await page.getByText('Your session has ended').waitFor({ state: 'detached' });
      assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Your order is ready');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('region', { name: 'Preview' }).getByText('Your order is ready').first().waitFor();
    },
  );
} finally {
  await under.stop();
}
