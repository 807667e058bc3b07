// `npm run test:browser`: cancels a scheduled notification, looks at a failed one, and sends a
// template to a topic. Subscribes this browser: the test's push service decrypts and passes the
// push to the page's worker.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, pushService, receiver } from '@parley/testing';
import { accessProblems, lookAt, openPage, picture, startBrowser } from '../browser-under-test.ts';
import { ask } from '../browser-seed.ts';

/** Runs before the page's scripts and replaces the browser's push service by the test's. */
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

/** Has a style sheet, an inline style, and a script that the preview must remove. */
const ORDER_HTML = `<style>p { letter-spacing: 2px }</style>
<script>document.body.textContent = 'run'</script>
<p style="color: #0a6664">On its way to {{ name }}</p>`;

const STYLE_IN_FRAME = `(() => {
  const words = document.querySelector('iframe').contentDocument.querySelector('p');
  return getComputedStyle(words).color + ' ' + getComputedStyle(words).letterSpacing;
})()`;

const mail = mkdtempSync(join(tmpdir(), 'parley-mail-'));
const under = await startBrowser(undefined, { env: { EMAIL_CAPTURE_DIR: mail } });
const { step } = under;
const { notifications } = under.stack.services;
const consoleUrl = under.stack.console.baseUrl;
const outside = await receiver();
const pushes = await pushService({ plain: true });
try {
  const { public_key: vapidKey } = (await ask(notifications, '/v1/push/vapid-public-key')) as {
    public_key: string;
  };
  const watched = await openPage(under);
  const { page, context, complaints } = watched;
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  await context.grantPermissions(['notifications'], { origin: consoleUrl });
  await page.addInitScript({ content: standIn(pushes.subscribe({ vapidKey })) });

  await step('a scheduled notification is found and canceled', async () => {
    await page.goto(await under.stack.console.link('notifications'));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`${consoleUrl}/notifications/sent`);
    await text('No notifications yet');
    await ask(notifications, '/v1/notify', {
      channels: ['in_app'],
      subject: 'The pool is closed',
      message: 'Tomorrow, for cleaning.',
      send_at: Math.floor(Date.now() / 1000) + 86_400,
    });
    await page.reload();
    await text('Inbox: queued');
    await button('Cancel The pool is closed').click();
    await text('Inbox: canceled');
    await text('Canceled what was not sent yet');
  });

  await step('a failed notification shows each attempt with the response', async () => {
    outside.script({ status: 404, body: 'nobody here' });
    await ask(notifications, '/v1/notify', {
      channels: ['webhook', 'in_app'],
      subject: 'Water is low',
      message: 'Pool 2 is at 40 %.',
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

  await step('a template gets its own e-mail text, and the preview says what is wrong with it', async () => {
    await page.goto(`${consoleUrl}/notifications/templates`);
    await button('Create template').click();
    await page.getByLabel('Id').fill('order');
    await page.getByLabel('Message').fill('It is on its way, {{ name }}.');
    await page.getByRole('dialog').getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('heading', { level: 1, name: 'order' }).waitFor();
    await page.getByRole('link', { name: 'E-mail' }).click();
    await page.getByRole('radio', { name: 'Source' }).check();
    await page.getByLabel('HTML').fill('<p>{{ name | shout }}</p>');
    await text(/undefined filter: shout/);
    await page.getByLabel('HTML').fill(ORDER_HTML);
    await text('This HTML was not made from blocks');
  });

  await step('its HTML is previewed before saving, in a frame that runs nothing', async () => {
    await page.getByLabel('name', { exact: true }).fill('Ada');
    const frame = page.frameLocator('iframe[title="E-mail as HTML"]');
    await frame.getByText('On its way to Ada').waitFor();
    await eventually(async () => (await page.evaluate<string>(STYLE_IN_FRAME)) === 'rgb(10, 102, 100) 2px');
    assert.equal(await frame.locator('script').count(), 0);
    await picture(page, 'template-preview');
    assert.deepEqual(await accessProblems(page), []);
    await button('Save').click();
    await text('Saved as version 2');
    await frame.getByText('On its way to Ada').waitFor();
    await button('Publish version 2').click();
    await text('version 2 published');
  });

  await step('a workflow gets a later step and is published', async () => {
    await page.goto(`${consoleUrl}/notifications/workflows`);
    await button('Create workflow').click();
    await page.getByLabel('Id').fill('shipped');
    await page.getByRole('dialog').getByLabel('Template').fill('order');
    await page.getByRole('dialog').getByRole('button', { name: 'Create workflow' }).click();
    await page.getByRole('heading', { level: 1, name: 'shipped' }).waitFor();
    await page.getByRole('group', { name: 'Channels' }).getByLabel('Inbox').check();
    await button('Add step').click();
    const first = page.getByRole('group', { name: 'Step 1' });
    await first.getByLabel('E-mail').check();
    await first.getByLabel('Seconds after').fill('600');
    await first.getByLabel('Unless').selectOption('read');
    await picture(page, 'workflow');
    assert.deepEqual(await accessProblems(page), []);
    await button('Save version').click();
    await text('Saved as version 2');
    await button('Publish version 2').click();
    await text('version 2 published');
  });

  await step('a recipient is created and switches a category off for a channel', async () => {
    await page.goto(`${consoleUrl}/notifications/categories`);
    for (const [id, name] of [
      ['news', 'News'],
      ['alarms', 'Alarms'],
    ] as const) {
      await button('Create category').click();
      await page.getByLabel('Id').fill(id);
      await page.getByLabel('Name').fill(name);
      if (id === 'alarms') await page.getByLabel('Required').check();
      await button('Save category').click();
      await page.getByRole('cell', { name: id, exact: true }).waitFor();
    }
    await page.goto(`${consoleUrl}/notifications/recipients`);
    await button('Create recipient').click();
    await page.getByLabel('User id').last().fill('ada');
    await page.getByLabel('E-mail').fill('ada@customer.example');
    await page.getByLabel('Time zone').fill('Europe/London');
    await button('Save recipient').click();
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    await page.getByRole('checkbox', { name: 'News: Inbox' }).click();
    await page.getByRole('checkbox', { name: 'News: Inbox', checked: false }).waitFor();
    assert.ok(await page.getByRole('checkbox', { name: 'Alarms: Inbox' }).isDisabled());
  });

  await step('an e-mail with reply-to and attachment is previewed as it will be sent', async () => {
    await page.goto(`${consoleUrl}/notifications?user=ada`);
    await page.getByLabel('E-mail', { exact: true }).check();
    await page.getByText('Sender, copies and attachments of the e-mail').click();
    await page.getByLabel('Cc', { exact: true }).fill('ben@customer.example');
    await page.getByLabel('Reply to').fill('desk@parley.example');
    const file = { name: 'menu.txt', mimeType: 'text/plain', buffer: Buffer.from('Tea and cake') };
    await page.getByLabel('Files').setInputFiles(file);
    await text('menu.txt');
    await page.getByLabel('Message').fill('The menu of today.');
    await button('Preview').click();
    const mail = page.getByRole('region', { name: 'email body by capture' });
    await mail.getByText(/^Reply-To: desk@parley\.example/m).waitFor();
    for (const words of ['Cc: ben@customer.example', 'filename=menu.txt', btoa('Tea and cake')])
      assert.ok((await mail.textContent())!.includes(words), words);
    await picture(page, 'compose-mail');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByRole('button', { name: 'Send notification' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notification' }).waitFor();
    await page
      .getByRole('region', { name: 'Channels' })
      .getByRole('cell', { name: 'sent', exact: true })
      .waitFor();
  });

  await step('a template is sent to a topic with pasted members', async () => {
    await page.goto(`${consoleUrl}/notifications/topics`);
    await button('Create topic').click();
    await page.getByLabel('Id', { exact: true }).fill('kitchen');
    await page.getByLabel('User ids').fill('ada\nben\ncem');
    await page.getByRole('dialog').getByRole('button', { name: 'Create topic' }).click();
    await text('3 members');
    await page.getByRole('link', { name: 'Send to topic' }).click();
    await page.getByLabel('Inbox', { exact: true }).check();
    await page.getByLabel('Content').selectOption('template');
    await page.getByLabel('Template').fill('order');
    await page.getByLabel('name', { exact: true }).fill('all of you');
    await page.getByLabel('Category', { exact: true }).selectOption('news');
    await button('Preview').click();
    await text(/To 3 members/);
    await picture(page, 'compose-topic');
    assert.deepEqual(await accessProblems(page), []);
    await button('Send notification').click();
    await text('Notifications of members');
    await text('Inbox: suppressed');
    await text('1: stopped by a preference or a suppression');
  });
  const toTopic = new URL(page.url()).pathname;

  await step('a mail is built from blocks and previewed as everybody will see it', async () => {
    await page.goto(`${consoleUrl}/notifications/templates`);
    await button('Create template').click();
    await page.getByLabel('Id').fill('invitation');
    await page.getByLabel('Message').fill('Hello {{ recipient.attributes.name }}, see you at {{ place }}.');
    await page.getByRole('dialog').getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('heading', { level: 1, name: 'invitation' }).waitFor();
    await page.getByLabel('Subject').fill('Come to {{ place }}');
    await page.getByRole('link', { name: 'E-mail' }).click();
    const isFocused = (label: string) =>
      page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Heading' }).click();
    await isFocused('Heading');
    await page.keyboard.type('Hello {{ recipient.attributes.name }}');
    await page.getByRole('button', { name: 'Two columns' }).click();
    const side = (name: string) => page.getByRole('group', { name: `Add to ${name}` });
    await side('left column').getByRole('button', { name: 'Text' }).click();
    await page.keyboard.type('We meet at {{ place }}.');
    await side('right column').getByRole('button', { name: 'Button' }).click();
    await page.keyboard.type('Come along');
    await page.getByLabel('Link').fill('https://customer.example/{{ place | url_encode }}');
    await page.getByLabel('place', { exact: true }).fill('the pool');
    const frame = page.frameLocator('iframe[title="E-mail as HTML"]');
    await frame.getByText('We meet at the pool.').waitFor();
    for (const screen of ['Desktop', 'Phone', 'Dark']) {
      await page.getByRole('radio', { name: screen }).check();
      await frame.getByText('Hello [name]').waitFor();
      await picture(page, `template-mail-${screen.toLowerCase()}`);
    }
    for (const look of ['Push', 'Slack', 'Teams', 'Inbox']) {
      await page.getByRole('radio', { name: look }).check();
      await page.getByRole('region', { name: 'Preview' }).getByText('Hello [name], see you').waitFor();
      await picture(page, `template-${look.toLowerCase()}`);
      assert.deepEqual(await accessProblems(page), []);
    }
    await button('Save version').click();
    await text('Saved as version 2');
    await button('Publish version 2').click();
    await text('version 2 published');
  });

  await step('it is sent to a topic of twelve, and each is greeted by name', async () => {
    const people = Array.from({ length: 12 }, (_, at) => `guest-${at + 1}`);
    for (const id of people)
      await ask(
        notifications,
        `/v1/recipients/${id}`,
        { email: `${id}@customer.example`, attributes: { name: `Name of ${id}` } },
        'PUT',
      );
    await page.goto(`${consoleUrl}/notifications/topics`);
    await button('Create topic').click();
    await page.getByLabel('Id', { exact: true }).fill('guests');
    await page.getByLabel('User ids').fill(people.join('\n'));
    await page.getByRole('dialog').getByRole('button', { name: 'Create topic' }).click();
    await text('12 members');
    await page.getByRole('link', { name: 'Send to topic' }).click();
    await page.getByLabel('E-mail', { exact: true }).check();
    await page.getByLabel('Content').selectOption('template');
    await page.getByLabel('Template').fill('invitation');
    await page.getByLabel('place', { exact: true }).fill('the pool');
    await picture(page, 'compose-template');
    await button('Preview').click();
    await text(/To 12 members/);
    await button('Send notification').click();
    await page
      .getByRole('cell', { name: 'E-mail: sent' })
      .nth(people.length - 1)
      .waitFor();
    const mails = readdirSync(mail).map((name) =>
      readFileSync(join(mail, name), 'utf8').replaceAll(/=\r?\n/g, ''),
    );
    for (const id of people)
      assert.ok(
        mails.some((one) => one.includes(`To: ${id}@`) && one.includes(`Hello Name of ${id}<`)),
        id,
      );
  });
  // The browser logs the 400, 404 and 422 responses of the steps above.
  const refused = complaints.splice(0);
  assert.deepEqual(
    refused.filter((one) => !/status of 4(?:0[04]|22)/.test(one)),
    [],
  );

  await step(
    'the inbox of a user updates live, works by keyboard, and keeps its view in the URL',
    async () => {
      await page.goto(`${consoleUrl}/notifications/inbox?user=ada`);
      await page.getByRole('button', { name: 'Water is low' }).waitFor();
      await ask(notifications, '/v1/notify', {
        channels: ['in_app'],
        subject: 'Dinner is ready',
        message: 'Come down.',
        target: { in_app: { user_id: 'ada' } },
      });
      await text('New notification: Dinner is ready');
      const dinner = page.getByRole('listitem').filter({ hasText: 'Dinner is ready' });
      await page.getByRole('button', { name: 'Water is low' }).focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Tab'); // its notification
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter'); // mark read
      await dinner.getByRole('button', { name: 'Mark unread' }).waitFor();
      await dinner.getByRole('button', { name: 'Archive' }).press('Enter');
      const focused = () => page.evaluate<string>('document.activeElement.textContent');
      await eventually(async () => (await focused()) === 'Water is low');
      await page.getByRole('button', { name: 'Archived' }).press('Enter');
      await page.waitForURL(/view=archived/);
      await dinner.waitFor();
      await picture(page, 'inbox-archived');
      assert.deepEqual(await accessProblems(page), []);
      await dinner.getByRole('button', { name: 'Dinner is ready' }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Notification' }).waitFor();
    },
  );

  await step('this browser is registered as a device of a user', async () => {
    await page.goto(`${consoleUrl}/notifications/push`);
    await text('No registered devices yet');
    await page.getByLabel('User of this device').fill('ada');
    await button('Subscribe this browser').click();
    await text('subscribed');
    await page.getByRole('region', { name: 'Devices' }).getByText('ada').waitFor();
  });

  await step('it receives a push', async () => {
    await button('Send test push').click();
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
    await text('This browser receives web push.');
    await picture(page, 'push-received');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByLabel('User', { exact: true }).fill('ada');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'History' }).getByText('It works').waitFor();
  });

  await step('unsubscribing removes the device', async () => {
    await button('Unsubscribe').click();
    await text('No matching devices');
    await button('Subscribe this browser').waitFor();
  });

  const problems = await lookAt(under, watched, {
    'notifications-sent': '/notifications/sent',
    'notification-to-topic': toTopic,
    'notification-compose': '/notifications?user=ada&template=order',
    templates: '/notifications/templates',
    template: '/notifications/templates/order?channel=email',
    workflows: '/notifications/workflows',
    workflow: '/notifications/workflows/shipped',
    recurring: '/notifications/recurring',
    senders: '/notifications/senders',
    recipients: '/notifications/recipients',
    recipient: '/notifications/recipients/ada',
    categories: '/notifications/categories',
    topics: '/notifications/topics',
    topic: '/notifications/topics/kitchen',
    'web-push': '/notifications/push?user=ada',
  });
  await step('no page has a problem', async () => {
    assert.deepEqual(problems, []);
    assert.deepEqual(complaints, []);
  });
} finally {
  await Promise.all([outside.close(), pushes.close()]);
  await under.stop();
  rmSync(mail, { recursive: true });
}
