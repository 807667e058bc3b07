// `npm run test:browser`: a person creates an agent, talks to it, changes it, restores its first
// version and connects a platform, using only what is visible.
import assert from 'node:assert/strict';
import { eventually } from '@parley/testing';
import { accessProblems, lookAt, openPage, picture, startBrowser } from '../browser-under-test.ts';
import { ask, FLOW, seed } from '../browser-seed.ts';

const under = await startBrowser();
const { step } = under;
const consoleUrl = under.stack.console.baseUrl;
try {
  await step('the stack has a flow and an agent with a conversation', () => seed(under.stack));
  const watched = await openPage(under);
  const { page, complaints } = watched;
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const open = (tab: string) =>
    page.getByRole('navigation', { name: 'Agent', exact: true }).getByRole('link', { name: tab }).click();
  const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  await step('the menu leads to the agents, with their health', async () => {
    await page.goto(await under.stack.console.link('agents'));
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await title('Agents');
    await page.getByRole('link', { name: 'Demo', exact: true }).waitFor();
    // A call counts some seconds after its end, when it is final.
    await eventually(
      async () => {
        await page.reload();
        const healthy = page.getByText('Healthy').first();
        return healthy.waitFor({ timeout: 3_000 }).then(
          () => true,
          () => false,
        );
      },
      { timeoutMs: 30_000 },
    );
  });

  await step('a form creates an agent: a name, a flow and a language', async () => {
    await press('Create agent');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Front desk');
    await dialog.getByRole('combobox', { name: 'Flow' }).fill('greet');
    await page.getByRole('option', { name: FLOW.name }).click();
    await dialog.getByRole('combobox', { name: 'Language' }).fill('germ');
    await page.getByRole('option', { name: 'German (de)', exact: true }).click();
    await picture(page, 'agent-create');
    assert.deepEqual(await accessProblems(page), []);
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await title('Front desk');
    await text('No calls');
  });

  await step('the person talks to it', async () => {
    await open('Talk to it');
    await press('Start conversation');
    await text('What is your name?');
    await page.getByLabel('What the caller says').fill('Ada');
    await page.keyboard.press('Enter');
    await text('Hello Ada.');
    await text('The conversation is over.');
    await picture(page, 'agent-talk-light-1280');
    assert.deepEqual(await accessProblems(page), []);
    await press('Start again');
    await page.getByLabel('What the caller says').waitFor();
  });

  await step('a change makes version 2', async () => {
    await open('Settings');
    await page.getByLabel('Name', { exact: true }).fill('Night desk');
    await page.getByLabel('Voice', { exact: true }).fill('anna');
    await press('Save version');
    await text('Version 2 saved');
    await title('Night desk');
  });

  await step('version 1 is restored as version 3, after its changes were shown', async () => {
    await open('Versions');
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    const confirm = page.getByRole('alertdialog');
    await confirm.getByText('Front desk').waitFor();
    await picture(page, 'agent-restore');
    assert.deepEqual(await accessProblems(page), []);
    await confirm.getByRole('button', { name: 'Restore version' }).click();
    await text('Version 1 restored as version 3');
    await title('Front desk');
  });

  await step('a snippet connects a platform', async () => {
    await open('Connect');
    await page
      .getByRole('navigation', { name: 'Voice platforms' })
      .getByRole('link', { name: 'LiveKit' })
      .click();
    await page.getByLabel('Address of your flow builder').fill('https://flows.acme.example/');
    await text('base_url="https://flows.acme.example/openai/v1"');
  });

  await step('it is paused, archived, found by its status, and restored', async () => {
    await press('Pause agent');
    await text('Agent paused');
    await press('Archive agent');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive agent' }).click();
    await text('Agent archived');
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('link', { name: 'Demo', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Front desk' }).waitFor({ state: 'detached' });
    await page.getByLabel('Status').selectOption('archived');
    await page.getByRole('link', { name: 'Front desk' }).click();
    await press('Restore agent');
    await text('Agent restored. It is paused.');
    await press('Activate agent');
    await text('Agent active');
  });

  const own = new URL(page.url()).pathname;
  await step('Ctrl K finds it', async () => {
    await page.goto(consoleUrl);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('front d');
    await page.getByRole('option', { name: /Front desk/ }).waitFor();
    await page.keyboard.press('Enter');
    await title('Front desk');
  });

  await step('a conversation names its agent', async () => {
    await page.goto(`${consoleUrl}/conversations`);
    await page.getByRole('link', { name: 'Demo', exact: true }).first().click();
    await title('Demo');
  });

  const demo = new URL(page.url()).pathname;
  const pages = {
    agents: '/agents',
    agent: demo,
    'agent-talk': `${own}?tab=talk`,
    'agent-settings': `${own}?tab=settings`,
    'agent-versions': `${own}?tab=versions`,
    'agent-connect': `${own}?tab=connect&platform=retell`,
  };
  const problems = await lookAt(under, watched, pages);
  await step('no page has a problem', async () => assert.deepEqual([...problems, ...complaints], []));

  await step('a key that only reads is offered no change', async () => {
    const { data: reader } = (await ask(under.stack.services['voice-api'], '/api-keys', {
      name: 'reads',
      scopes: ['read'],
    })) as { data: { key: string } };
    const other = await openPage(under);
    await other.page.goto(`${consoleUrl}/sign-in`);
    await other.page.getByLabel('Voice API').fill(reader.key);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('navigation', { name: 'Main' }).waitFor();
    await other.page.goto(consoleUrl + own);
    await other.page.getByRole('heading', { level: 1, name: 'Front desk' }).waitFor();
    await other.settled();
    for (const name of ['Pause agent', 'Archive agent', 'Create agent'])
      assert.equal(await other.page.getByRole('button', { name }).count(), 0, name);
  });
} finally {
  await under.stop();
}
