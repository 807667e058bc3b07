// `npm run test:browser`: what became of a notification. One that is planned is taken back, one that fails shows each attempt, and this
// browser is subscribed and really receives: the stack pushes to the test's push service, which decrypts, and what it decrypted is handed
// to the worker of the page. Real push services cannot be reached from a test.
import assert from 'node:assert/strict';
import { eventually, pushService, receiver } from '@parley/testkit';
import {
  accessProblems,
  lookAt,
  openPage,
  picture,
  startBrowser,
  step,
  type Watched,
} from '../browser-under-test.ts';
import { ask } from '../browser-seed.ts';

/** Runs in the page before its own scripts: it subscribes at the test's push service, and to nothing until then. */
const standIn = (subscription: object) => `
  let current = null;
  PushManager.prototype.getSubscription = async () => current;
  PushManager.prototype.subscribe = async () => {
    current = {
      toJSON: () => (${JSON.stringify(subscription)}),
      unsubscribe: async () => { current = null; return true; },
    };
    return current;
  };`;

const under = await startBrowser();
const { notifications } = under.stack.services;
const consoleUrl = under.stack.console.baseUrl;
const outside = await receiver();
const pushes = await pushService({ plain: true });
const opened: Watched[] = [];
try {
  const { public_key: vapidKey } = (await ask(notifications, '/v1/push/vapid-public-key')) as {
    public_key: string;
  };
  const watched = await openPage(under);
  opened.push(watched);
  const { page, context, complaints } = watched;
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  await context.grantPermissions(['notifications'], { origin: consoleUrl });
  await page.addInitScript({ content: standIn(pushes.subscribe({ vapidKey })) });

  await step('a planned notification is found and taken back', async () => {
    await page.goto(await under.stack.console.link('notifications'));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`${consoleUrl}/notifications/sent`);
    await text('Nothing was sent yet');
    await ask(notifications, '/v1/notify', {
      ...{ channels: ['in_app'], subject: 'The pool is closed', message: 'Tomorrow, for cleaning.' },
      send_at: Math.floor(Date.now() / 1000) + 86_400,
    });
    await page.reload();
    await text('Inbox: queued');
    await button('Cancel The pool is closed').click();
    await text('Inbox: canceled');
    await text('What was not sent yet is canceled');
  });

  await step('one that fails shows each attempt, and what was answered', async () => {
    outside.script({ status: 404, body: 'nobody here' });
    await ask(notifications, '/v1/notify', {
      ...{ channels: ['webhook', 'in_app'], subject: 'Water is low', message: 'Pool 2 is at 40 %.' },
      target: { webhook: { url: `${outside.url}/alarm` }, in_app: { user_id: 'ada' } },
    });
    await page.getByLabel('Id, subject or message').fill('water');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=water/);
    await text('Webhook: failed');
    assert.equal(await page.getByText('The pool is closed').count(), 0);
    await page.getByRole('link', { name: 'Water is low' }).click();
    await page.getByRole('region', { name: 'Attempts' }).getByText('404').first().waitFor();
    await picture(page, 'notification-failed');
  });

  await step('Ctrl K finds it by its subject', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('water is');
    await page.getByRole('option', { name: /Water is low/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  await step('this browser is subscribed as a device of a user', async () => {
    await page.goto(`${consoleUrl}/notifications/push`);
    await text('No device is registered yet.');
    await page.getByLabel('As a device of the user').fill('ada');
    await button('Subscribe this browser').click();
    await text('subscribed');
    await page.getByRole('region', { name: 'Devices' }).getByText('ada').waitFor();
  });

  await step('and really receives what is pushed to it', async () => {
    await button('Send a test').click();
    const [push] = await pushes.received(1);
    assert.deepEqual(pushes.problems, []);
    const debugging = await context.newCDPSession(page);
    let registrationId = '';
    debugging.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      registrationId =
        registrations.find(({ scopeURL }) => scopeURL.startsWith(consoleUrl))?.registrationId ??
        registrationId;
    });
    await debugging.send('ServiceWorker.enable');
    await eventually(() => registrationId !== '');
    const delivered = { origin: consoleUrl, registrationId, data: push!.text };
    await debugging.send('ServiceWorker.deliverPushMessage', delivered);
    await text('This browser receives what is pushed to it.');
    await picture(page, 'push-received');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByLabel('User', { exact: true }).fill('ada');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'History' }).getByText('It works').waitFor();
  });

  await step('it leaves, and is no device any more', async () => {
    await button('Unsubscribe').click();
    await text('ada has no device.');
    await button('Subscribe this browser').waitFor();
  });

  const problems = await lookAt(under, watched, {
    'notifications-sent': '/notifications/sent',
    'web-push': '/notifications/push?user=ada',
  });
  await step('and nothing is wrong with any of them', async () => {
    assert.deepEqual(problems, []);
    assert.deepEqual(complaints, []);
  });
} catch (error) {
  for (const { page, complaints } of opened) {
    await picture(page, 'failed').catch(() => undefined); // the browser may be gone
    console.error(page.url(), complaints);
  }
  throw error;
} finally {
  await Promise.all([outside.close(), pushes.close()]);
  await under.stop();
}
