// `npm run test:browser`: an operator finds a call by its number, asks why the bot said something,
// compares the draft, and follows a live call.
import assert from 'node:assert/strict';
import { eventually, receiver } from '@parley/testing';
import { lookAt, openPage, picture, startBrowser } from '../browser-under-test.ts';
import { ask, CALL, CALLER, seed } from '../browser-seed.ts';

const SESSION = 'call-ages';
const WHY = `/conversations/${SESSION}/why`;
const TAUGHT = '/conversations/call-desk/why?turn=2';

const ages = (op: string) => ({
  nodes: [
    { id: 'greet', type: 'message', text: 'Welcome to the swimming pool.' },
    { id: 'ask_age', type: 'collect', prompt: 'How old are you?', variable: 'age', cast: 'integer' },
    { id: 'price', type: 'branch' },
    { id: 'child', type: 'end', message: 'That is three euros.' },
    { id: 'adult', type: 'end', message: 'That is six euros.' },
  ],
  edges: [
    { source: 'greet', target: 'ask_age' },
    { source: 'ask_age', target: 'price' },
    { source: 'price', target: 'child', variable: 'age', op, value: 18 },
    { source: 'price', target: 'adult', default: true },
  ],
});

const desk = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How can I help?', variable: 'wish' },
    { id: 'booking', type: 'end', message: 'Let us book.' },
    { id: 'other', type: 'end', message: 'I will ask somebody.' },
  ],
  edges: [
    { source: 'ask', target: 'booking', nl: 'wants an appointment' },
    { source: 'ask', target: 'other', default: true },
  ],
};

/** Calls the other flow, so the service expands it. */
const visit = {
  nodes: [
    { id: 'hello', type: 'message', text: 'Hello.' },
    { id: 'entry', type: 'branch', call: { flow_id: 'ages', version: 1 } },
    { id: 'bye', type: 'end', message: 'See you.' },
  ],
  edges: [
    { source: 'hello', target: 'entry' },
    { source: 'entry', target: 'bye', default: true },
  ],
};

const under = await startBrowser();
const { step } = under;
const { 'flow-builder': flows, 'voice-api': voice } = under.stack.services;
const consoleUrl = under.stack.console.baseUrl;
const outside = await receiver();

/** Holds a conversation with a flow, turn by turn. */
async function converse(
  flowId: string,
  botId: string,
  session: string,
  says: readonly (string | null)[],
): Promise<void> {
  let state: { next_node: string | null; variables: object } = { next_node: null, variables: {} };
  for (const user_input of says) {
    const { next_node: current_node, variables } = state;
    const turn = { session_id: session, bot_id: botId, user_input, current_node, variables };
    state = (await ask(flows, `/v1/flows/${flowId}/execute`, turn)) as typeof state;
  }
  await eventually(async () => {
    const page = (await ask(voice, `/conversations/${session}/turns`).catch(() => null)) as {
      data: { items: object[] };
    } | null;
    return page?.data.items.length === says.length;
  });
}

try {
  await step('a call was answered by version 1, and version 2 draws the line elsewhere', async () => {
    await seed(under.stack);
    await ask(flows, '/v1/flows', { flow_id: 'ages', name: 'Ages', definition: ages('lte') });
    await ask(flows, '/v1/flows/ages/publish', {});
    const bot = (await ask(voice, '/bots', { name: 'Pool', flow_id: 'ages' })) as { data: { id: string } };
    await converse('ages', bot.data.id, SESSION, [null, 'hm', '18']);
  });
  const watched = await openPage(under);
  const { page, complaints } = watched;
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const panel = () => page.getByRole('complementary', { name: /^Turn/ });

  await step('the operator finds the call by its phone number', async () => {
    await page.goto(await under.stack.console.link('conversations'));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`${consoleUrl}/conversations`);
    await page.getByLabel('Id, number or text').fill(CALLER.slice(3));
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=/);
    await page.getByRole('link', { name: CALLER }).click();
    await page.getByRole('heading', { level: 1, name: CALLER }).waitFor();
    await text('Where is my order?');
    assert.match(page.url(), new RegExp(`/conversations/${CALL}$`));
  });

  await step('a conversation that only a runtime reported has no recorded turns', async () => {
    assert.equal(await page.getByRole('link', { name: /^Why did the bot say/ }).count(), 0);
    await page.goto(`${consoleUrl}/conversations/${CALL}/why`);
    await text('No turn of this conversation was recorded');
  });

  await step(
    'why did the bot say that: the canvas highlights the node, the panel shows the comparison',
    async () => {
      await page.goto(`${consoleUrl}/conversations/${SESSION}`);
      await page.getByRole('link', { name: /Why did the bot say “That is three euros/ }).click();
      await page.waitForURL(/\/why\?turn=3/);
      await panel().getByText('age is at most 18 (it was 18)').waitFor();
      await page.locator('.react-flow__node[data-id="child"]').waitFor();
      await panel().getByText('Version 1 is the newest').waitFor();
      await picture(page, 'why-same');
    },
  );

  await step('the arrow keys step through the turns', async () => {
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('complementary', { name: 'Turn 2' }).waitFor();
    await panel().getByText('hm', { exact: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('complementary', { name: 'Turn 1' }).waitFor();
    await panel().getByText('Welcome to the swimming pool.').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('complementary', { name: 'Turn 3' }).waitFor();
    assert.match(page.url(), /turn=3/);
  });

  await step('a message of a called flow is shown at the node that calls it', async () => {
    await ask(flows, '/v1/flows', { flow_id: 'visit', name: 'Visit', definition: visit });
    const bot = (await ask(voice, '/bots', { name: 'Desk', flow_id: 'visit' })) as { data: { id: string } };
    await converse('visit', bot.data.id, 'call-visit', [null, '18']);
    await page.goto(`${consoleUrl}/conversations/call-visit/why?turn=2`);
    await panel().getByText('age is at most 18 (it was 18)').waitFor();
    await panel().getByRole('button', { name: 'entry/child' }).click();
    await page.waitForURL(/node=entry(&|$)/);
    await page.locator('.react-flow__node.selected[data-id="entry"]').waitFor();
    await picture(page, 'why-called');
    await page.goto(`${consoleUrl}${WHY}?turn=3`);
  });

  await step('a newer version has another result, and its path is shown', async () => {
    await fetch(`${flows.baseUrl}/v1/flows/ages`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${flows.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ definition: ages('lt') }),
    });
    await page.reload();
    await panel().getByText('Version 2 replies').waitFor();
    await panel().getByText('different', { exact: true }).waitFor();
    await panel().getByText('That is six euros.').waitFor();
    await page.getByRole('img', { name: 'the draft has another result' }).waitFor();
    await picture(page, 'why-newer');
    await panel().getByRole('link', { name: 'Show its path' }).click();
    await panel().getByText('age is less than 18 (it was 18)').waitFor();
    await picture(page, 'why-draft-path');
    await panel().getByRole('link', { name: 'Show v1' }).click();
    await panel().getByText('age is at most 18 (it was 18)').waitFor();
  });

  await step('an unsaved draft is compared instead of a version', async () => {
    await panel().getByRole('link', { name: 'Open in editor' }).click();
    await page.waitForURL(/\/flows\/ages/);
    await page.locator('.react-flow__node[data-id="child"]').click();
    await page.locator('#flow-panel textarea').first().fill('That is nothing at all.');
    await page.getByText('unsaved', { exact: true }).first().waitFor();
    await page.goBack();
    await panel().getByText('Your draft replies').waitFor();
  });

  await step('a branch is taught from a turn: what else changes, then the example is saved', async () => {
    await ask(flows, '/v1/flows', { flow_id: 'desk', name: 'Desk', definition: desk });
    const bot = (await ask(voice, '/bots', { name: 'Clinic', flow_id: 'desk' })) as { data: { id: string } };
    await converse('desk', bot.data.id, 'call-desk', [null, 'Could someone see me?']);
    await page.goto(`${consoleUrl}${TAUGHT}`);
    const teach = panel().getByRole('region', { name: 'Teach' });
    await teach.getByRole('combobox').selectOption({ label: 'wants an appointment → booking' });
    await teach.getByText('1 turn of the last 2 would go another way').waitFor();
    await teach.getByRole('link', { name: 'Could someone see me?' }).waitFor();
    await picture(page, 'teach-changes');
    await teach.getByRole('button', { name: 'Save example' }).click();
    await teach.getByRole('link', { name: 'version 2' }).waitFor();
    await panel().getByText('Version 2 replies').waitFor();
    await panel().getByText('Let us book.').waitFor();
    await picture(page, 'teach-saved');
  });

  const live = 'call-live';
  const tell = async (...events: (readonly [type: string, data: object])[]) => {
    const one = ([type, data]: readonly [string, object], at: number) => ({
      id: `live-${(told += 1)}`,
      type,
      conversation_id: live,
      data,
      occurred_at: new Date(Date.now() + at).toISOString(),
    });
    const taken = await ask(voice, '/conversations/events', { events: events.map(one) });
    assert.deepEqual((taken as { data: { rejected: object[] } }).data.rejected, []);
  };
  let told = 0;
  await step('a live call is followed word by word to its end', async () => {
    await ask(voice, '/webhooks', { url: `${outside.url}/hook`, events: ['*'] });
    await tell(['conversation.started', { channel: 'phone', from: '+4930555', direction: 'inbound' }]);
    await page.goto(`${consoleUrl}/conversations/${live}`);
    await page.getByTitle('Updated immediately').waitFor();
    await text('No transcript yet.');
    await tell(['speech.interim', { turn_index: 1, text: 'I would li' }]);
    await page.getByLabel('The caller is saying').getByText('I would li').waitFor();
    await picture(page, 'live-interim');
    await tell(['speech.final', { turn_index: 1, text: 'I would like a table.' }]);
    await page.getByRole('log').getByText('I would like a table.').waitFor();
    assert.equal(await page.getByLabel('The caller is saying').count(), 0);
    await tell(['bot.message', { turn_index: 2, text: 'For how many?' }]);
    await page.getByRole('log').getByText('For how many?').waitFor();
    await page.getByRole('region', { name: 'Deliveries' }).getByText('delivered').first().waitFor();
    await page.goto(`${consoleUrl}/conversations`);
    await page.getByRole('region', { name: 'Running or failed' }).getByText('+4930555').waitFor();
    await picture(page, 'conversations-running');
    await page.goBack();
    await tell(['conversation.error', { code: 'llm_down', message: 'The model does not answer.' }]);
    await text('llm_down: The model does not answer.');
    assert.equal(await page.getByTitle('Updated immediately').count(), 0);
  });

  await step('the list is filtered by errors, and the URL has the filter', async () => {
    await page.goto(`${consoleUrl}/conversations`);
    await page.getByLabel('Errors').selectOption('true');
    await page.waitForURL(/has_error=/);
    await page.getByRole('link', { name: '+4930555' }).waitFor();
    await page.getByRole('link', { name: CALLER }).waitFor({ state: 'detached' });
    await page.goto(`${consoleUrl}/conversations?has_error=true`);
    await page.getByRole('link', { name: '+4930555' }).waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.getByLabel('End reason', { exact: true }).selectOption('flow_completed');
    await page.getByRole('link', { name: SESSION }).waitFor();
    await page.getByLabel('Flow').fill('ages');
    await page.keyboard.press('Enter');
    await page.waitForURL(/flow_id=ages/);
    await page.getByRole('link', { name: SESSION }).waitFor();
    await page.getByLabel('From number').fill('+1');
    await page.keyboard.press('Enter');
    await text('No matching conversations');
  });

  const pages: Readonly<Record<string, string>> = {
    'call-why': `${WHY}?turn=3`,
    'call-taught': TAUGHT,
    'call-transcript': `/conversations/${SESSION}`,
    'call-list': '/conversations',
    'call-failed': `/conversations/${live}`,
  };
  const problems = await lookAt(under, watched, pages);
  await step('no page has a problem', async () => {
    assert.deepEqual(problems, []);
    assert.deepEqual(complaints, []);
  });
} finally {
  await outside.close();
  await under.stop();
}
