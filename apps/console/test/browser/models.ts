// `npm run test:browser`: an administrator chooses a provider of models, sees what is wrong, checks
// it, and sees usage beside the budget.
import assert from 'node:assert/strict';
import { eventually, fakeGateway } from '@parley/testing';
import { lookAt, openPage, picture, startBrowser } from '../browser-under-test.ts';

/** The browser logs this for every 400. */
const REFUSED = 'status of 400';

const under = await startBrowser(['flow-builder']);
const { step } = under;
const provider = await fakeGateway({ key: 'sk-right', fallback: { choice: 0 } });
try {
  const watched = await openPage(under);
  const { page, complaints } = watched;
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  await step('the menu leads to the models', async () => {
    await page.goto(await under.stack.console.link('models'));
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await text('spent, no budget set');
    await press('Check model provider');
    await page.getByRole('list', { name: 'Model provider' }).waitFor();
    await picture(page, 'models-none');
  });

  await step('a budget without prices is refused at its field', async () => {
    await page.getByLabel('Who runs your models').selectOption('Another one (OpenAI-compatible)');
    await fill('Base URL', provider.url);
    await fill('API key', 'sk-wrong');
    await fill('Decisions', 'small');
    await fill('Monthly budget', '20');
    await press('Save');
    await text('needs a price of "small" in `prices`');
    assert.equal(await page.getByLabel('Monthly budget').getAttribute('aria-invalid'), 'true');
    await picture(page, 'models-refused');
  });

  await step('with prices it is stored, and the key is not shown again', async () => {
    await fill('Price of input of small', '2000');
    await fill('Price of output of small', '8000');
    await press('Save');
    await text('Model settings saved');
    await text('A key is stored. Leave empty to keep it, or enter a new one');
    assert.equal(await page.getByLabel('API key', { exact: true }).inputValue(), '');
  });

  await step('the check says that the key is wrong, and that the right one works', async () => {
    await press('Check model provider');
    const uses = page.getByRole('list', { name: 'Model provider' });
    await uses.getByText('fails').waitFor();
    await picture(page, 'models-check');
    await fill('API key', 'sk-right');
    await press('Save');
    await eventually(async () => (await page.getByLabel('API key', { exact: true }).inputValue()) === '');
    await press('Check model provider');
    await uses.getByText('works').waitFor();
  });

  await step('usage is shown beside the budget, also after a reload', async () => {
    await page.reload();
    await text('of 20.00');
    await page.getByRole('meter', { name: 'Share of the budget used' }).waitFor();
    assert.equal(await page.getByLabel('Base URL').inputValue(), provider.url);
    assert.ok(!(await page.content()).includes('sk-right'));
  });

  await step('a flow gets an account of its own, which is checked by itself', async () => {
    await press('Add account');
    const account = page.getByRole('group', { name: /^(?:New account|billing)$/ });
    await account.getByLabel('Name', { exact: true }).fill('billing');
    await account.getByLabel('Provider of the account').selectOption('Another one (OpenAI-compatible)');
    await account.getByLabel('Base URL').fill(provider.url);
    await account.getByLabel('API key', { exact: true }).fill('sk-right');
    await account.getByLabel('Models', { exact: true }).fill('small');
    await press('Save');
    await text('In a flow: billing/small');
    await account.getByText('A key is stored').waitFor();
    await press('Check model provider');
    await page.getByRole('list', { name: 'Model provider' }).getByText('single flows').waitFor();
  });

  const problems = await lookAt(under, watched, { models: '/models' });
  await step('no page has a problem but the refusal', async () => {
    const others = [...problems, ...complaints].filter((problem) => !problem.includes(REFUSED));
    assert.deepEqual(others, []);
  });

  await step('deleting the settings returns to those of the installation', async () => {
    await press('Delete settings');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete settings' }).click();
    await text('Model settings deleted');
    await text('spent, no budget set');
  });
} finally {
  await provider.close();
  await under.stop();
}
