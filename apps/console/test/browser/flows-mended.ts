// `npm run test:browser`: a published flow is tried, tested and changed: expanded calls, tool
// results, the path to a node, suggested tests, publishing, rollback, conflicts and caller paths.
// Then all pages in both themes and two widths.
import assert from 'node:assert/strict';
import { accessProblems, lookAt, openPage, picture, startBrowser } from '../browser-under-test.ts';
import { ask } from '../browser-seed.ts';

const FLOW = 'club';
/** The browser logs the 412 of a stale version. */
const STALE = 'status of 412';
const identify = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Who is it?', variable: 'who' },
    { id: 'thanks', type: 'end', message: 'Thank you.' },
  ],
  edges: [{ source: 'ask', target: 'thanks' }],
};
const club = {
  nodes: [
    { id: 'age', type: 'collect', prompt: 'How old are you?', variable: 'age', cast: 'integer' },
    { id: 'young', type: 'end', message: 'You are too young.' },
    { id: 'who', type: 'branch', call: { flow_id: 'identify', version: 'published' } },
    {
      id: 'look',
      type: 'tool',
      tool: 'find_member',
      args: { name: '{{ who }}' },
      output_var: 'member',
      wait_for_result: true,
    },
    { id: 'welcome', type: 'end', message: 'Welcome, {{ who }}.' },
    { id: 'sorry', type: 'end', message: 'Not on the list.' },
  ],
  edges: [
    { source: 'age', target: 'young', variable: 'age', op: 'lt', value: 18 },
    { source: 'age', target: 'who' },
    { source: 'who', target: 'look' },
    { source: 'look', target: 'sorry', variable: '_tool_status', op: 'eq', value: 'error' },
    { source: 'look', target: 'welcome' },
  ],
};

const under = await startBrowser();
const { step } = under;
const consoleUrl = under.stack.console.baseUrl;
const { 'flow-builder': flowBuilder, 'voice-api': voiceApi } = under.stack.services;
try {
  await step('a flow is published and has two calls', async () => {
    for (const [flow_id, definition] of [
      ['identify', identify],
      [FLOW, club],
    ] as const) {
      await ask(flowBuilder, '/v1/flows', { flow_id, name: flow_id, definition });
      await ask(flowBuilder, `/v1/flows/${flow_id}/publish`, {});
    }
    const bot = (await ask(voiceApi, '/bots', { name: 'Door', flow_id: FLOW })) as { data: { id: string } };
    for (const [session_id, user_input] of [
      ['call-young', '12'],
      ['call-old', '40'],
    ]) {
      const caller = { bot_id: bot.data.id, session_id };
      const first = { ...caller, user_input: null, current_node: null, variables: {} };
      const opening = (await ask(flowBuilder, `/v1/flows/${FLOW}/execute`, first)) as { variables: object };
      const { variables } = opening;
      await ask(flowBuilder, `/v1/flows/${FLOW}/execute`, {
        ...caller,
        user_input,
        current_node: 'age',
        variables,
      });
    }
  });

  const watched = await openPage(under);
  const { page } = watched;
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const type = (text: string) => page.keyboard.type(text);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  await page.goto(await under.stack.console.link('mended'));
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  await step('a called flow is one node until it is expanded', async () => {
    await page.goto(`${consoleUrl}/flows/${FLOW}`);
    await node('who').getByText('calls identify').waitFor();
    await button('Expand').waitFor();
    await node('who').focus();
    await press('f');
    await page
      .getByRole('region', { name: 'Flow identify, called by who' })
      .getByText('Who is it?')
      .waitFor();
    await picture(page, 'flow-unfolded');
    assert.deepEqual(await accessProblems(page), []);
  });

  await step('it is tried with the called flow and a manual tool result', async () => {
    await press('4');
    await button('Start conversation').focus();
    await press('Enter');
    await text('How old are you?');
    await page.getByLabel('Caller’s input').focus();
    await type('40');
    await press('Enter');
    await page.getByRole('list', { name: 'Conversation' }).getByText('Who is it?').waitFor();
    await page.locator('.flow-called .flow-card[data-visited]').waitFor();
    await page.getByLabel('Caller’s input').focus();
    await type('Ada');
    await press('Enter');
    await page.getByRole('form', { name: 'Tool result' }).waitFor();
    await picture(page, 'flow-awaits-tool');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByLabel('Tool outcome').selectOption('error');
    await page.getByLabel('Error code').focus();
    await type('timeout');
    await press('Enter');
    await text('Not on the list.');
    await button('Edit turn 4').focus();
    await press('Enter');
    await page.getByLabel('Tool outcome').selectOption('ok');
    await button('Send result').click();
    await text('Welcome, Ada.');
    await button('Collapse').first().click();
  });

  await step('the shortest conversation to a node is shown and played', async () => {
    await node('sorry').focus();
    await press('Enter');
    await button('Find path to here').focus();
    await press('Enter');
    await text(/The shortest conversation/);
    await page.locator('.flow-card[data-path]').first().waitFor();
    await picture(page, 'flow-way-here');
    assert.deepEqual(await accessProblems(page), []);
    await button('Play conversation').focus();
    await press('Enter');
    await page.getByRole('list', { name: 'Conversation' }).getByText('Not on the list.').waitFor();
  });

  await step('suggested tests are saved, and all pass', async () => {
    await press('Escape', '5');
    await text('Suggested tests');
    await picture(page, 'flow-untested');
    await button(/^Save (test|all)/).focus();
    await press('Enter');
    await text('all pass');
    await text(/Stored tests cover 5 of 5 edges/);
    await picture(page, 'flow-tested');
    assert.deepEqual(await accessProblems(page), []);
  });

  await step('a change makes tests fail immediately', async () => {
    await page.goto(`${consoleUrl}/flows/${FLOW}?edge=0`);
    const value = page.getByLabel('Value', { exact: true });
    await value.fill('60');
    await button(/Tests: .* fail/).waitFor();
    await press('Control+s');
    await page.getByLabel('Note').waitFor();
    await type('Only for the old');
    await press('Enter');
    await text('Saved version 2');
  });

  await step('publishing shows the differences for callers first', async () => {
    await button('Publish version').first().focus();
    await press('Enter');
    const dialog = page.getByRole('dialog');
    const notice = dialog.getByRole('region', { name: 'Differences for callers' });
    await notice
      .getByText(/now reach young/)
      .first()
      .waitFor();
    await notice.locator('summary').first().click();
    await notice
      .getByRole('row', { name: /Messages/ })
      .first()
      .waitFor();
    await picture(page, 'flow-behaviour');
    assert.deepEqual(await accessProblems(page), []);
    await dialog.getByLabel('Publish anyway').focus();
    await press('Space');
    await dialog.getByLabel('Reason').focus();
    await type('The club is for the old now');
    await press('Enter');
    await text('Published version 2');
  });

  await step('it is rolled back with one click', async () => {
    await page.goto(`${consoleUrl}/flows/${FLOW}?panel=versions`);
    await button('Roll back to v1').focus();
    await press('Enter');
    await text('Published version 1 again');
    await text('Rolled back from version 2');
  });

  await step('two people change the same text, and the second one decides', async () => {
    const other = await openPage(under);
    await other.context.addCookies(await watched.context.cookies());
    const change = async (where: typeof page, words: string) => {
      await where.goto(`${consoleUrl}/flows/${FLOW}?node=young`);
      await where.getByLabel('Closing message', { exact: true }).fill(words);
      await where.getByText('unsaved', { exact: true }).waitFor();
    };
    const save = async (where: typeof page) => {
      await where.keyboard.press('Control+s');
      await where.getByLabel('Note').waitFor();
      await where.keyboard.press('Enter');
    };
    await change(page, 'Come back when you are older.');
    await change(other.page, 'Adults only.');
    await save(other.page);
    await other.page.getByText('Saved version 3').waitFor();
    await save(page);
    await text('Conflicts: choose a version for each');
    await picture(page, 'flow-two-people');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByLabel('Yours').focus();
    await press('Space');
    await button('Merge and save').focus();
    await press('Enter');
    await text('Saved version 4');
    const { definition } = (await ask(flowBuilder, `/v1/flows/${FLOW}`)) as { definition: typeof club };
    assert.equal(definition.nodes[1]?.message, 'Come back when you are older.');
  });

  await step('the paths of callers are counted', async () => {
    const path = `/analytics/flow-steps?flow_id=${FLOW}&version=1`;
    for (let tries = 0; tries < 60; tries += 1) {
      const { data } = (await ask(voiceApi, path)) as { data: { edges: object[] } };
      if (data.edges.length >= 2) return;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    assert.fail('the turns were not counted');
  });

  const label = '.flow-line-label';
  const problems = await lookAt(under, watched, {
    'flow-tests': { path: `/flows/${FLOW}?panel=tests`, ready: `body:has(${label}) #flow-panel svg` },
    'flow-call': { path: `/flows/${FLOW}?node=who`, ready: `body:has(${label}) #flow-panel fieldset` },
    'flow-wait': { path: `/flows/${FLOW}?node=look`, ready: `body:has(${label}) #flow-panel fieldset` },
    'flow-condition': { path: `/flows/${FLOW}?edge=3`, ready: `body:has(${label}) #flow-panel select` },
    'flow-changes': {
      path: `/flows/${FLOW}/compare?from=1&to=2`,
      ready: '[aria-label="Differences for callers"] li',
    },
    'flow-callers': { path: `/flows/${FLOW}/callers?version=1`, ready: '.flow-line[data-tone=accent]' },
  });
  await step('no page has a problem', async () => assert.deepEqual(problems, []));

  await step('the browser reported no problem', async () =>
    assert.deepEqual(
      under.opened.flatMap(({ complaints }) => complaints).filter((complaint) => !complaint.includes(STALE)),
      [],
    ),
  );
} finally {
  await under.stop();
}
