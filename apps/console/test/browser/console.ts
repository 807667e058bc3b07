// `npm run test:browser`: the console in Chromium with a real stack. Signs in by link, creates a
// key, finds a conversation, creates a webhook, sends a notification; then checks every page in
// both themes and two widths for accessibility, foreign requests and policy violations.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { eventually, receiver } from '@parley/testing';
import { accessProblems, lookAt, openPage, picture, startBrowser } from '../browser-under-test.ts';
import { ask, CALL, CALLER, firstWebhook, FLOW, seed } from '../browser-seed.ts';

/** docs/console.md#sizes */
const SCRIPT_BYTES_MAX = {
  '/': 200_000,
  '/conversations': 250_000,
  [`/flows/${FLOW.flow_id}`]: 300_000,
};

const under = await startBrowser();
const { step } = under;
const consoleUrl = under.stack.console.baseUrl;
const outside = await receiver();
const gone = await receiver({ fallback: { status: 410 } });
try {
  await step('the stack has a flow, a bot and a conversation', () => seed(under.stack));
  const watched = await openPage(under);
  const { page, complaints } = watched;
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first();

  await step('a visitor without a session sees the sign-in page', async () => {
    await page.goto(`${consoleUrl}/conversations?status=completed`);
    await page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
    assert.match(page.url(), /\/sign-in\?next=/);
    await picture(page, 'sign-in-light-1280');
    assert.deepEqual(await accessProblems(page), []);
  });

  const link = await under.stack.console.link('test');
  await step('the link signs in, and its code disappears from the URL', async () => {
    await page.goto('about:blank'); // a change of the fragment alone would not reload the page
    await page.goto(link);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    assert.doesNotMatch(page.url(), /#/);
    const cookies = await watched.context.cookies();
    assert.deepEqual(
      cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite]),
      [[true, 'Strict']],
    );
  });

  await step('the link does not work a second time', async () => {
    const other = await openPage(under);
    await other.page.goto(link);
    await other.page.getByText('This link was used or has expired.').waitFor();
    await other.context.close();
  });

  await step('the first page loads little script, a list and a flow not much more', async () => {
    for (const [path, bytesMax] of Object.entries(SCRIPT_BYTES_MAX)) {
      const fresh = await openPage(under);
      const sizes: Promise<number>[] = [];
      fresh.page.on('requestfinished', (request) => {
        if (request.url().endsWith('.js')) sizes.push(request.sizes().then((size) => size.responseBodySize));
      });
      await fresh.context.addCookies(await watched.context.cookies());
      await fresh.page.goto(consoleUrl + path);
      await fresh.page
        .getByRole('heading', { level: 1 })
        .or(fresh.page.locator('.flow-card'))
        .first()
        .waitFor();
      await fresh.settled();
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      console.log(`    ${path}: ${Math.round(bytes / 1000)} KB of script, as sent`);
      assert.ok(bytes > 0 && bytes <= bytesMax, `${bytes} bytes of script at ${path}`);
      await fresh.context.close();
    }
  });

  await step('a key is created, shown once, and revoked', async () => {
    await page.goto(`${consoleUrl}/keys?service=voice-api`);
    await button('Create key').click();
    await page.getByLabel('Name').fill('test of the console');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByTestId('secret').textContent();
    assert.match(key ?? '', /^va_test_/);
    await picture(page, 'key-shown-once');
    assert.deepEqual(await accessProblems(page), []);
    await button('Done').click();
    await text('test of the console');
    assert.equal(await page.getByText(key!).count(), 0);
    await button('Revoke test of the console').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
    await text('test of the console is revoked');
  });

  await step('Ctrl K finds a conversation by the caller', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill(CALLER.slice(1));
    await page.getByRole('option', { name: new RegExp(CALL) }).waitFor();
    await picture(page, 'search');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: CALLER }).waitFor();
    await text('Where is my order?');
    await button(/answered in/).click();
    await text('llm');
  });

  await step('search finds text of transcripts and marks the matches', async () => {
    await page.goto(`${consoleUrl}/conversations?q=order`);
    await page.locator('mark', { hasText: 'order' }).first().waitFor();
    await picture(page, 'conversation-found');
    assert.deepEqual(await accessProblems(page), []);
  });

  await step('a person edits the results of the call and filters by them', async () => {
    await page.goto(`${consoleUrl}/conversations/${CALL}`);
    await page.getByRole('link', { name: /^recordings\.example\.com/ }).waitFor();
    await text('€0.0421');
    await button('Edit').click();
    await page.getByLabel('Tags').fill('vip');
    await page.getByLabel('Summary').fill('Asked where the order is.');
    await page.getByLabel('Success').selectOption('true');
    await picture(page, 'conversation-edited');
    assert.deepEqual(await accessProblems(page), []);
    await button('Save').click();
    await text('Conversation saved');
    await page.getByRole('link', { name: 'vip' }).click();
    await page.getByRole('link', { name: CALLER }).waitFor();
    await text('Asked where the order is.');
  });

  await step('the list is exported and downloaded as a file', async () => {
    await button('Export').click();
    await text(/^1 conversation\./);
    await picture(page, 'export-asked');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await page.getByRole('link', { name: /^tags/ }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), button(/^Download/).click()]);
    assert.match(file.suggestedFilename(), /^exp_.*\.jsonl$/);
    assert.match(await readFile(await file.path(), 'utf8'), /Where is my order/);
  });

  await step('a webhook is created, and its secret is shown once', async () => {
    await page.goto(`${consoleUrl}/webhooks`);
    await button('Create webhook').click();
    await page.getByLabel('URL').fill(`${outside.url}/hook`);
    await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
    assert.match((await page.getByTestId('secret').textContent()) ?? '', /^whsec_/);
    await button('Done').click();
    await page.getByRole('heading', { level: 1, name: `${outside.url}/hook` }).waitFor();
  });

  await step('its delivery settings are saved, and its public key is shown', async () => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Timeout in seconds').fill('5');
    await page.getByLabel('Deliver events where').selectOption('Metadata');
    await page.getByLabel('Name in the metadata').fill('order');
    await page.getByLabel('Comparison').selectOption('exists');
    await page.getByLabel('Also sign with a key pair').check();
    await button('Save').click();
    await text(/^whpk_/);
    await button('Edit headers').click();
    await button('Add header').click();
    await page.getByLabel('Name of header 1').fill('x-tenant');
    await page.getByLabel('Value of header 1').fill('acme');
    await button('Save headers').click();
    await text('x-tenant:');
    await picture(page, 'webhook-set');
    await page.getByRole('navigation', { name: 'Webhook' }).getByRole('link', { name: 'Deliveries' }).click();
  });

  await step('a test event shows the response of the receiver: first broken, then repaired', async () => {
    outside.script({ status: 500, body: 'the receiver is broken' });
    await button('Send test event').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send event' }).click();
    await text('the receiver is broken');
    await picture(page, 'webhook-test');
    await dialog.getByRole('button', { name: 'Send event' }).click();
    await dialog.getByText('200').waitFor();
    await dialog.getByRole('link', { name: 'View delivery' }).click();
    await page.getByRole('heading', { level: 1, name: 'conversation.ended' }).waitFor();
    await text('Attempt 1');
    await page.getByText('Request', { exact: true }).first().click();
    await text(/^POST .*\/hook/);
    await picture(page, 'delivery');
    await button('Send again').click();
    await text('Delivery is being sent');
  });

  await step('the delivery is found among those of all webhooks by its HTTP status', async () => {
    const { pathname } = new URL(page.url());
    await page.goto(`${consoleUrl}/deliveries`);
    await page.getByLabel('HTTP status').fill('500');
    await page.keyboard.press('Enter');
    await page.waitForURL(/http_status=/);
    await page
      .getByRole('link', { name: `${outside.url}/hook` })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'conversation.ended' }).first().click();
    await page.getByRole('region', { name: 'the body as sent' }).waitFor();
    await text('the receiver is broken');
    await page.goto(consoleUrl + pathname);
  });

  await step('a replay counts before it sends', async () => {
    await page
      .getByRole('link', { name: /\/hook$/ })
      .first()
      .click();
    await button('Replay deliveries').click();
    await page.getByRole('dialog').getByLabel('State').selectOption('delivered');
    await button('Count deliveries').click();
    await text(/Replaying sends|No matching deliveries/);
    await page.keyboard.press('Escape');
  });

  await step('a notification is previewed, sent, and arrives in the inbox', async () => {
    const inbox = await openPage(under);
    await inbox.context.addCookies(await watched.context.cookies());
    await inbox.page.goto(`${consoleUrl}/notifications/inbox?user=ada`);
    await inbox.page.getByText('The inbox of ada is empty').waitFor();

    await page.goto(`${consoleUrl}/notifications`);
    await page.getByLabel('Inbox of user').fill('ada');
    await page.getByLabel('Message').fill('Your order is on its way.');
    await button('Preview').click();
    await page.getByRole('region', { name: 'in_app body' }).waitFor();
    await picture(page, 'notification-preview');
    await page.getByRole('button', { name: 'Send notification' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notification' }).waitFor();
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
    await inbox.page.getByText('Your order is on its way.').first().waitFor();
    assert.deepEqual(inbox.complaints, []);
    await inbox.context.close();
  });

  await step('a message to everyone needs a confirmation', async () => {
    await page.goto(`${consoleUrl}/notifications`);
    await page.getByLabel('To', { exact: true }).selectOption('everyone');
    await page.getByLabel('Message').fill('We are closed on Friday.');
    await button('Preview').click();
    await text('Goes to every user of the organisation: 1 person.');
    await page.getByRole('button', { name: 'Send notification' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('Goes to every user of the organisation: 1 person.').waitFor();
    await picture(page, 'notification-everyone');
    assert.deepEqual(await accessProblems(page), []);
    await question.getByRole('button', { name: 'Cancel' }).click();
  });

  await step('the API reference opens here and sends requests with the session', async () => {
    await page.goto(`${consoleUrl}/organization`);
    const [reference] = await Promise.all([
      watched.context.waitForEvent('page'),
      page.getByRole('link', { name: /^API reference of the Voice API/ }).click(),
    ]);
    await reference.locator('[id$="-listBots"] button').first().click();
    await reference.getByRole('button', { name: 'Try it out' }).click();
    await reference.getByRole('button', { name: 'Execute' }).click();
    await reference.locator('.live-responses-table').getByText('"success": true').first().waitFor();
    await picture(reference, 'reference');
    await reference.close();
  });

  await step('the browser reported no problem', async () => assert.deepEqual(complaints, []));

  await step('a read-only key shows data, and is offered nothing that it may not do', async () => {
    const reader = await openPage(under);
    const made = await ask(under.stack.services['voice-api'], '/api-keys', {
      name: 'reader',
      scopes: ['read'],
    });
    await reader.page.goto(`${consoleUrl}/sign-in?next=/conversations`);
    await reader.page.getByLabel('Voice API').fill((made as { data: { key: string } }).data.key);
    await reader.page.getByRole('button', { name: 'Sign in' }).click();
    await reader.page.getByRole('link', { name: CALLER }).waitFor();
    const menu = reader.page.getByRole('navigation', { name: 'Main' });
    await menu.getByRole('link', { name: 'API keys' }).waitFor({ state: 'detached' });
    assert.equal(await reader.page.getByRole('checkbox').count(), 0);
    await reader.page.goto(`${consoleUrl}/webhooks`);
    await reader.page.getByRole('region', { name: 'Webhooks' }).waitFor();
    assert.equal(await reader.page.getByRole('button', { name: 'Create webhook' }).count(), 0);
    await reader.page.goto(`${consoleUrl}/keys?service=voice-api`);
    await reader.page.getByText('Your key may not open this page').waitFor();
    await reader.page.goto(`${consoleUrl}/notifications`);
    await reader.page.getByText('You are not signed in to Notifications').waitFor();
    await picture(reader.page, 'not-signed-in');
    await reader.context.close();
  });

  const webhook = await firstWebhook(under.stack);
  await step('a webhook whose receiver is gone raises an alert, and a person acknowledges it', async () => {
    const { 'voice-api': voice } = under.stack.services;
    await ask(voice, '/webhooks', { url: `${gone.url}/hook`, events: ['conversation.ended'] });
    const { data: bots } = (await ask(voice, '/bots')) as { data: { items: { id: string }[] } };
    const event = (type: string, data: object) => ({
      id: `gone-${type}`,
      type,
      data,
      conversation_id: 'call-gone',
      bot_id: bots.items[0]!.id,
      occurred_at: new Date().toISOString(),
    });
    const events = [
      event('conversation.started', { channel: 'web' }),
      event('conversation.ended', { end_reason: 'user_hangup' }),
    ];
    await ask(voice, '/conversations/events', { events });
    const isRaised = async () =>
      ((await ask(voice, '/alerts')) as { data: { items: object[] } }).data.items.length > 0;
    await eventually(isRaised);
    await page.goto(`${consoleUrl}/alerts`);
    await page.getByRole('link', { name: 'Alerts 1 open' }).waitFor();
    await picture(page, 'alerts-open');
    await button('Acknowledge A webhook was disabled').click();
    await text('No open alerts');
    await page.getByRole('link', { name: 'Acknowledged' }).click();
    await page.getByRole('link', { name: 'A webhook was disabled' }).waitFor();
  });

  const pages: Readonly<Record<string, string>> = {
    home: '/',
    people: '/people',
    person: `/people?who=${encodeURIComponent(CALLER)}`,
    flows: '/flows',
    flow: `/flows/${FLOW.flow_id}`,
    conversations: '/conversations',
    'conversations-filtered': '/conversations?tags=vip&sort=duration_seconds',
    conversation: `/conversations/${CALL}`,
    exports: '/exports',
    analytics: '/analytics?span=7d&by=channel',
    alerts: '/alerts?status=acknowledged',
    'alerts-none': '/alerts',
    webhooks: '/webhooks',
    applications: '/applications',
    deliveries: '/deliveries',
    'deliveries-filtered': '/deliveries?http_status=500&last=24h',
    webhook,
    'webhook-settings': `${webhook}?tab=settings`,
    'webhook-signature': `${webhook}?tab=signature`,
    notifications: '/notifications',
    inbox: '/notifications/inbox?user=ada',
    keys: '/keys?service=voice-api',
    retention: '/organization/retention',
    organization: '/organization',
    'audit-log': '/organization/audit-log?service=voice-api',
    missing: '/no-such-page',
  };
  const problems = await lookAt(under, watched, pages);
  await step('no page has a problem', async () => assert.deepEqual(problems, []));

  await step('a legal hold keeps a conversation until it is removed', async () => {
    await page.goto(`${consoleUrl}/conversations/${CALL}`);
    await page.getByRole('button', { name: 'Hold', exact: true }).click();
    await page.getByLabel('Reason').fill('Case 12');
    await page.getByRole('button', { name: 'Set hold' }).click();
    await page.getByRole('list', { name: 'Retention' }).getByText('Case 12').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete', exact: true }).count(), 0);
    await picture(page, 'conversation-held');
    await page.getByRole('button', { name: 'Remove hold' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove hold' }).click();
    await page.getByRole('button', { name: 'Hold', exact: true }).waitFor();
  });

  await step('a conversation is deleted', async () => {
    await page.goto(`${consoleUrl}/conversations/${CALL}`);
    await button('Delete').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete permanently' }).click();
    await text(/^Deleted with 3 turns/);
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor();
    assert.equal(await page.getByRole('link', { name: CALLER }).count(), 0);
  });

  await step('signing out ends the session', async () => {
    await page.goto(`${consoleUrl}/keys`);
    await button('Sign out').click();
    await page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
    assert.deepEqual(await watched.context.cookies(), []);
  });
} finally {
  await outside.close();
  await gone.close();
  await under.stop();
}
