// `npm run test:browser`: tasks of an ordinary week. Why a caller was misrouted, up to the roll
// back of the cure; a webhook whose receiver breaks and is repaired; everything about one person;
// last month's usage as a file. After the data is there, each uses only what is visible. Then every
// dialog is opened and closed by keyboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { eventually, receiver } from '@parley/testing';
import { openPage, picture, startBrowser } from '../browser-under-test.ts';
import { ask } from '../browser-seed.ts';

const PHONE = '+4930555018';
const MAIL = 'ada@customer.example';

const ages = {
  nodes: [
    { id: 'ask_age', type: 'collect', prompt: 'How old are you?', variable: 'age', cast: 'integer' },
    { id: 'price', type: 'branch' },
    { id: 'child', type: 'end', message: 'That is three euros.' },
    { id: 'adult', type: 'end', message: 'That is six euros.' },
  ],
  edges: [
    { source: 'ask_age', target: 'price' },
    { source: 'price', target: 'child', variable: 'age', op: 'lte', value: 18 },
    { source: 'price', target: 'adult', default: true },
  ],
};

const PAGES_WITH_DIALOGS = [
  '/flows',
  '/flows/ages?panel=versions',
  '/conversations/call-18',
  '/notifications/templates',
  '/notifications/workflows',
  '/notifications/topics',
  '/notifications/categories',
  '/notifications/recipients',
  '/notifications/senders',
  '/keys?service=voice-api',
  '/webhooks',
  '/organization/retention',
  '/organization',
  '/models',
];
/** A page, what is current on it, and one of the others. */
const CURRENT_THINGS = [
  ['/flows', 'nav[aria-label=Main] a[aria-current=page]', 'nav[aria-label=Main] a:not([aria-current])'],
  ['/flows/ages', '[role=tab][aria-selected=true]', '[role=tab][aria-selected=false]'],
  ['/analytics', 'nav[aria-label=Period] a[data-open=true]', 'nav[aria-label=Period] a[data-open=false]'],
] as const;
const OPENS_DIALOG =
  /^(?:Add|Create|Edit|Erase|Export|Hold|Import|New|Publish|Replay|Rotate|Save|Send test|Search)/;

/** Opens each dialog of the page by keyboard and closes it again. Returns what lost focus. */
async function walkDialogs(page: Page): Promise<{ readonly opened: number; readonly problems: string[] }> {
  const problems: string[] = [];
  let opened = 0;
  const buttons = page.getByRole('button', { name: OPENS_DIALOG, disabled: false });
  const count = await buttons.count();
  for (let at = 0; at < count; at += 1) {
    const opener = buttons.nth(at);
    const name = (await opener.textContent()) ?? '';
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.locator('[role=dialog], [role=alertdialog]').first();
    const isOpen = await dialog.waitFor({ timeout: 1_500 }).then(
      () => true,
      () => false,
    );
    if (!isOpen) continue;
    opened += 1;
    const within = () => page.evaluate<boolean>(FOCUS_IN_DIALOG);
    if (!(await becomes(within))) problems.push(`${name}: the dialog has no focus`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const isBack = async () => (await page.evaluate<string>('document.activeElement.textContent')) === name;
    if (!(await becomes(isBack))) problems.push(`${name}: focus did not return`);
  }
  return { opened, problems };
}

/** On its first field where it has one, rather than on "Close". */
const FOCUS_IN_DIALOG = `(() => {
  const dialog = document.querySelector('[role=dialog], [role=alertdialog]');
  const fields = 'input:not([type=checkbox], [type=radio], [hidden], :disabled), select, textarea';
  const active = document.activeElement;
  return dialog.querySelector(fields) ? active.matches(fields) : dialog.contains(active);
})()`;

const becomes = (condition: () => Promise<boolean>): Promise<boolean> =>
  eventually(condition, { timeoutMs: 3_000 }).then(
    () => true,
    () => false,
  );

const under = await startBrowser();
const { step } = under;
const { 'flow-builder': flows, 'voice-api': voice, notifications } = under.stack.services;
const outside = await receiver();
let botId = '';
let made = 0;

/** Reports events of a conversation as a runtime does. */
async function report(
  conversation: string,
  events: readonly (readonly [type: string, data: object])[],
  { atMs = Date.now(), apiKey = voice.apiKey } = {},
): Promise<void> {
  const all = events.map(([type, data], index) => ({
    id: `task-${(made += 1)}`,
    type,
    data,
    conversation_id: conversation,
    bot_id: botId,
    occurred_at: new Date(atMs + index * 1_000).toISOString(),
  }));
  const { data } = (await ask({ ...voice, apiKey }, '/conversations/events', { events: all })) as {
    data: { rejected: object[] };
  };
  assert.deepEqual(data.rejected, []);
}

try {
  await step('a caller of eighteen was sent to the price of children', async () => {
    await ask(flows, '/v1/flows', { flow_id: 'ages', name: 'Pool prices', definition: ages });
    await ask(flows, '/v1/flows/ages/publish', {});
    const bot = (await ask(voice, '/bots', { name: 'Pool', flow_id: 'ages' })) as { data: { id: string } };
    botId = bot.data.id;
    await report('call-18', [
      ['conversation.started', { channel: 'phone', direction: 'inbound', from: PHONE }],
    ]);
    let state: { next_node: string | null; variables: object } = { next_node: null, variables: {} };
    for (const user_input of [null, '18'])
      state = (await ask(flows, '/v1/flows/ages/execute', {
        session_id: 'call-18',
        bot_id: botId,
        user_input,
        current_node: state.next_node,
        variables: state.variables,
      })) as typeof state;
    await eventually(async () => {
      const turns = await ask(voice, '/conversations/call-18/turns').catch(() => null);
      return (turns as { data: { items: object[] } } | null)?.data.items.length === 2;
    });
    await report('call-18', [['conversation.ended', { end_reason: 'flow_completed' }]]);
  });
  const watched = await openPage(under);
  const { page, complaints } = watched;
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
  const menu = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  const panel = page.locator('#flow-panel');

  await step('the cause is found at the number of the caller', async () => {
    await page.goto(await under.stack.console.link('tasks'));
    await menu('Conversations');
    await page.getByLabel('Id, number or text').fill(PHONE.slice(3));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: PHONE }).click();
    await page.getByRole('link', { name: /Why did the bot say “That is three euros/ }).click();
    await text('age is at most 18 (it was 18)');
    await picture(page, 'task-why');
    await page.getByRole('link', { name: 'Open in editor' }).click();
  });

  await step('it is mended and saved', async () => {
    await page
      .getByRole('group', { name: /Decision/ })
      .or(page.locator('.flow-card', { hasText: 'Decision' }))
      .first()
      .click();
    await panel.getByRole('button', { name: /^Edge 1 to That is three euros/ }).click();
    await page.getByLabel('Comparison', { exact: true }).selectOption({ label: 'is less than' });
    await button('Save version').click();
    await page.getByLabel('Note').fill('Eighteen is an adult');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Save version/ })
      .click();
    await text('Saved version 2');
  });

  await step('the versions are compared, and the new one is published with its effect', async () => {
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('link', { name: 'Compare version 2 with the previous one' }).click();
    await page
      .getByRole('list', { name: 'Differences for callers' })
      .or(page.getByRole('region', { name: 'Differences for callers' }))
      .first()
      .waitFor();
    await picture(page, 'task-compare');
    await page.goBack();
    await button('Publish version 2').click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/now reach/)
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: /^Publish/ }).click();
    await text('Published version 2');
  });

  await step('it is rolled back', async () => {
    await page.getByRole('tab', { name: 'Versions' }).click();
    await button('Roll back to v1').click();
    await text('Published version 1 again');
    await picture(page, 'task-rolled-back');
  });

  let apiKey = '';
  await step('a key is created for the runtime, and a webhook with a filter', async () => {
    await menu('API keys');
    await page.getByRole('link', { name: 'Voice API' }).click();
    await button('Create key').click();
    await page.getByLabel('Name').fill('runtime of the pool');
    await page.getByRole('checkbox', { name: 'write' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    apiKey = (await page.getByTestId('secret').textContent()) ?? '';
    await button('Done').click();
    await menu('Webhooks');
    await button('Create webhook').click();
    await page.getByLabel('URL').fill(`${outside.url}/pool`);
    await page.getByText('Delivery settings').click();
    await page.getByLabel('Deliver events where').selectOption('End reason');
    await page.getByLabel('Value', { exact: true }).fill('user_hangup');
    await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
    await button('Done').click();
    await page.getByRole('heading', { level: 1, name: `${outside.url}/pool` }).waitFor();
  });

  await step('a test event arrives', async () => {
    await button('Send test event').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send event' }).click();
    await dialog.getByText('200').waitFor();
    await page.keyboard.press('Escape');
    await outside.received(1);
  });

  const end = (id: string, end_reason: string) =>
    report(
      id,
      [
        ['conversation.started', { channel: 'phone', from: PHONE }],
        ['conversation.ended', { end_reason }],
      ],
      { apiKey },
    );
  await step('the receiver breaks: the delivery retries, then the webhook is disabled', async () => {
    outside.script({ status: 500, body: 'the receiver is broken' }, { status: 410, body: 'gone' });
    await end('call-out', 'flow_completed'); // the filter leaves it out
    await end('call-hangup', 'user_hangup');
    await eventually(() => outside.requests.length === 2);
    await page.reload();
    await text(/Retrying|HTTP 500/);
    await picture(page, 'task-retrying');
    await end('call-hangup-2', 'user_hangup');
    await eventually(() => outside.requests.length === 3);
    // The receiver has its answer before it is recorded.
    await eventually(async () => {
      await page.reload();
      await page.getByRole('heading', { level: 1, name: `${outside.url}/pool` }).waitFor();
      return (await button('Enable webhook').count()) > 0;
    });
    await text(/Disabled .*410/);
    await picture(page, 'task-disabled');
  });

  await step('it is repaired, enabled, and what it missed is replayed', async () => {
    await end('call-hangup-3', 'user_hangup'); // while it is disabled
    await button('Enable webhook').click();
    await text('Webhook enabled. Replay the deliveries that it missed.');
    await button('Replay deliveries').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Count deliveries' }).click();
    await dialog.getByRole('button', { name: /^Replay [123] deliver/ }).click();
    await text(/^Replaying [123] deliver/);
    await eventually(() => {
      const ids = outside.requests.map(({ body }) => body.toString());
      return ['call-hangup', 'call-hangup-2', 'call-hangup-3'].every((id) =>
        ids.some((body) => body.includes(`"${id}"`)),
      );
    });
    assert.ok(outside.requests.every(({ body }) => !body.includes('call-out')));
    await picture(page, 'task-replayed');
  });

  await step('everything about the person with this phone number is on one page', async () => {
    await ask(notifications, '/v1/recipients/ada', { email: MAIL }, 'PUT');
    await menu('People');
    await page.getByRole('link', { name: PHONE }).click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline
      .getByRole('link', { name: /Call|call|phone/ })
      .first()
      .waitFor();
    assert.ok((await timeline.getByRole('listitem').count()) >= 4);
    await picture(page, 'task-person');
    await timeline.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: PHONE }).waitFor();
  });

  await step('the usage of last month is downloaded by day', async () => {
    await menu('Analytics');
    await page.getByRole('link', { name: 'Last month' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Usage as CSV' }).click(),
    ]);
    assert.equal(file.suggestedFilename(), 'usage.csv');
    const [head = '', ...rows] = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    const now = new Date();
    const inMonth = new Date(Date.UTC(now.getFullYear(), now.getMonth(), 0)).getUTCDate();
    assert.match(head, /conversations/);
    assert.equal(rows.filter((row) => row.startsWith('"bucket"')).length, inMonth);
    await picture(page, 'task-usage');
  });

  await step('every dialog takes focus and gives it back', async () => {
    const problems: string[] = [];
    let opens = 0;
    for (const path of PAGES_WITH_DIALOGS) {
      await page.goto(under.stack.console.baseUrl + path);
      await page.getByRole('heading', { level: 1 }).or(page.locator('.flow-card')).first().waitFor();
      await watched.settled();
      const found = await walkDialogs(page);
      opens += found.opened;
      problems.push(...found.problems.map((problem) => `${path}: ${problem}`));
    }
    console.log(`    ${opens} dialogs`);
    assert.ok(opens >= 25, `only ${opens} dialogs were opened`);
    assert.deepEqual(problems, []);
  });

  await step('forced colours: what is current is told by more than a background', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    for (const [path, current, other] of CURRENT_THINGS) {
      await page.goto(under.stack.console.baseUrl + path);
      await page.locator(current).first().waitFor();
      const outline = (selector: string) =>
        page.evaluate<string>(
          `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle`,
        );
      assert.deepEqual(
        [await outline(current), await outline(other)],
        ['solid', 'none'],
        `${path} ${current}`,
      );
      await picture(page, `forced-colors${path.replaceAll(/[^a-z]+/g, '-')}`);
    }
    await page.emulateMedia({ forcedColors: null });
  });

  await step('the browser reported no problem', async () => assert.deepEqual(complaints, []));
} finally {
  await outside.close();
  await under.stop();
}
