// `npm run test:browser`: a designer builds a flow by keyboard, tries it, saves a test, merges
// another person's version and publishes. Checks accessibility of every panel in both themes.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@parley/testing';
import {
  accessProblems,
  lookAt,
  openPage,
  picture,
  startBrowser,
  type Watched,
} from '../browser-under-test.ts';
import { ask } from '../browser-seed.ts';

const FLOW = 'tea-order';
const THEIRS = fileURLToPath(
  new URL('../../../../libs/importers/test/fixtures/typebot.json', import.meta.url),
);
/** The browser logs the 412 of a stale version. */
const STALE = 'status of 412';
/** Longer than the URL waits for the selection. */
const SLOW_MS = 600;

const under = await startBrowser();
const { step } = under;
const consoleUrl = under.stack.console.baseUrl;
const flowBuilder = under.stack.services['flow-builder'];
const opened: Watched[] = [];
try {
  const watched = await openPage(under);
  opened.push(watched);
  const { page } = watched;
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const type = (text: string) => page.keyboard.type(text);
  const said = (words: RegExp) =>
    page.locator('[role=status].sr-only', { hasText: words }).waitFor({ state: 'attached' });
  /** The announcement comes before the drawing. */
  const drawn = (nodes: number) =>
    eventually(async () => (await page.locator('.react-flow__node').count()) === nodes);

  await step('an empty flow is created', async () => {
    await page.goto(await under.stack.console.link('flows'));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`${consoleUrl}/flows`);
    await page.getByRole('button', { name: 'Create flow' }).first().focus();
    await press('Enter');
    await page.getByLabel('Name', { exact: true }).focus();
    await type('Tea order');
    await press('Enter');
    await page.waitForURL(new RegExp(`/flows/${FLOW}`));
    await node('end').waitFor();
  });

  await step('a question is inserted between two nodes', async () => {
    await node('start').focus();
    await press('n');
    await type('collect');
    await press('Enter');
    await said(/Added collect, after start/);
    await page.locator('.react-flow__node[data-id="collect"]:focus').waitFor();
    await press('Enter');
    await page.locator('#flow-panel textarea:focus').waitFor();
    await type('Black or green?');
    await press('Tab');
    await type('tea');
    await press('Tab');
    await type('one of');
    await press('Tab');
    await type('black\ngreen: sencha');
    await press('Escape');
    await page.locator('.react-flow__node[data-id="collect"]:focus').waitFor();
    await node('collect').getByText('Black or green?').waitFor();
  });

  await step('a second edge leads to a handoff', async () => {
    await press('n');
    await type('handoff');
    await press('Enter');
    await page.locator('.react-flow__node[data-id="handoff"]:focus').waitFor();
    await press('Enter');
    await page.locator('#flow-panel input:focus').waitFor();
    await type('barista');
    await press('Escape', 'ArrowUp');
    await page.locator('.react-flow__node[data-id="collect"]:focus').waitFor();
    await page.getByRole('button', { name: /^Edge 1 to barista, tea is black/ }).focus();
    await press('Enter');
    await page.getByLabel('Value', { exact: true }).focus();
    await press('Control+a');
    await type('green');
    await page
      .getByLabel('Edge from Black or green? to barista, tea is green')
      .waitFor({ state: 'attached' });
    await drawn(4);
    await picture(page, 'flow-built');
  });

  await step('undo, redo, copy, paste and connect work by keyboard', async () => {
    const steps = 30;
    await node('collect').focus();
    await press(...Array<string>(steps).fill('Control+z'));
    await said(/Nothing to undo/);
    await drawn(2);
    await press(...Array<string>(steps).fill('Control+Shift+z'));
    await said(/Nothing to redo/);
    await node('handoff').waitFor();
    await press('Control+a', 'Control+c', 'Control+v');
    await said(/Pasted 4 nodes/);
    await drawn(8);
    await press('Control+z');
    await node('handoff_2').waitFor({ state: 'detached' });
    await node('start').focus();
    await press('c');
    await node('handoff').focus();
    await press('Enter');
    await said(/Connected start to handoff/);
    await press('Control+z');
  });

  await step('a mistake is reported immediately with its node', async () => {
    await node('collect').focus();
    await press('Escape');
    await page.getByRole('button', { name: 'Add message' }).focus();
    await press('Enter');
    await node('message').waitFor();
    await press('3');
    await page.getByText('No edge leaves "message"').waitFor();
    await picture(page, 'flow-problems');
    await press('Control+z');
    await page.getByText('No problems.').waitFor();
  });

  await step('trying it shows messages, path and trace', async () => {
    await press('4');
    await page.getByRole('button', { name: 'Start conversation' }).focus();
    await press('Enter');
    await page.getByLabel('Caller’s input').focus();
    await type('sencha');
    await press('Enter');
    await page.getByLabel('Conversation', { exact: true }).getByText('Black or green?').waitFor();
    await page.getByText('The conversation is handed off.').waitFor();
    await page.locator('.flow-card[data-visited]', { hasText: 'handoff' }).waitFor();
    await page.getByRole('button', { name: /Turn 2/ }).focus();
    await press('Enter');
    await page.getByRole('img', { name: 'taken' }).first().waitFor();
    await picture(page, 'flow-tried');
    await page.getByRole('button', { name: 'Save as test' }).focus();
    await press('Enter');
    await page.getByLabel('Name', { exact: true }).focus();
    await type('green');
    await press('Enter');
    await page.getByText('Saved test green').waitFor();
  });

  await step('unsaved changes survive a closed tab', async () => {
    await page.reload();
    await page.getByText('Restored unsaved changes from').waitFor();
    await node('handoff').waitFor();
  });

  await step('the changes of another person are merged', async () => {
    const { definition } = (await ask(flowBuilder, `/v1/flows/${FLOW}`)) as {
      definition: { nodes: { id: string }[] };
    };
    const nodes = definition.nodes.map((one) => (one.id === 'start' ? { ...one, text: 'Good day.' } : one));
    const response = await fetch(`${flowBuilder.baseUrl}/v1/flows/${FLOW}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${flowBuilder.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ definition: { ...definition, nodes } }),
    });
    assert.equal(response.status, 200);
    await press('Control+s');
    await page.getByLabel('Note').waitFor();
    await type('Tea, and who brings it');
    await press('Enter');
    await page.getByText('The changes do not conflict').waitFor();
    await picture(page, 'flow-conflict');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByRole('button', { name: 'Merge and save' }).focus();
    await press('Enter');
    await page.getByText('Saved version 3').waitFor();
    await node('start').getByText('Good day.').waitFor();
  });

  await step('it is published, and execute uses it', async () => {
    await page.getByRole('button', { name: 'Publish version', exact: true }).first().focus();
    await press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The test fails').or(dialog.getByText('1 of 1 fail')).waitFor();
    await picture(page, 'flow-publish');
    await dialog.getByLabel('Publish anyway').focus();
    await press('Space');
    await dialog.getByLabel('Reason').focus();
    await type('The greeting is another one');
    await press('Enter');
    await page.getByText('Published version 3').waitFor();
    const execute = { user_input: 'sencha', current_node: 'collect', variables: {} };
    const turn = (await ask(flowBuilder, `/v1/flows/${FLOW}/execute`, execute)) as {
      status: string;
      version: number;
    };
    assert.deepEqual([turn.status, turn.version], ['handed_off', 3]);
  });

  await step('leaving for a page that loads slowly is not undone', async () => {
    await page.route(/\/conversations-page-/, async (route) => {
      await setTimeout(SLOW_MS);
      await route.continue();
    });
    await node('collect').focus();
    await press('ArrowUp');
    await page.getByRole('link', { name: 'Conversations', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Conversations', exact: true }).waitFor();
  });

  await step('a flow of another product is imported after a report', async () => {
    await page.goto(`${consoleUrl}/flows`);
    await page.getByRole('button', { name: 'Create flow' }).first().click();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles(THEIRS);
    await page.getByText('Detected format: typebot').waitFor();
    assert.ok((await page.getByLabel('Import report').getByRole('listitem').count()) > 3);
    await picture(page, 'flow-import');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByLabel('Name', { exact: true }).fill('From elsewhere');
    await page.getByRole('dialog').getByRole('button', { name: 'Create flow' }).click();
    await page.waitForURL(/\/flows\/from-elsewhere/);
    await page.locator('.react-flow__node').first().waitFor();
  });

  const problems = await lookAt(under, watched, {
    'flow-list': { path: '/flows', ready: 'table' },
    'flow-node': { path: `/flows/${FLOW}?node=collect`, ready: '#flow-panel textarea' },
    'flow-edge': { path: `/flows/${FLOW}?edge=1`, ready: '#flow-panel select' },
    'flow-json': { path: `/flows/${FLOW}?panel=json`, ready: '.cm-content' },
    'flow-problems': { path: `/flows/${FLOW}?panel=problems`, ready: '#flow-panel p' },
    'flow-try': { path: `/flows/${FLOW}?panel=try`, ready: '#flow-panel button' },
    'flow-versions': { path: `/flows/${FLOW}?panel=versions`, ready: '#flow-panel li' },
    'flow-compare': {
      path: `/flows/${FLOW}/compare?from=1&to=3`,
      ready: '.flow-card[data-difference=added]',
    },
  });
  await step('no page has a problem', async () => assert.deepEqual(problems, []));

  await step('the browser reported no problem', async () =>
    assert.deepEqual(
      opened.flatMap(({ complaints }) => complaints).filter((complaint) => !complaint.includes(STALE)),
      [],
    ),
  );
} finally {
  await under.stop();
}
