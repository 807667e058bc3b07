// `npm run test:browser`: a stack without the voice API. The console says so and sends it no
// request.
import assert from 'node:assert/strict';
import { lookAt, openPage, startBrowser } from '../browser-under-test.ts';
import { ask, FLOW } from '../browser-seed.ts';

const under = await startBrowser(['flow-builder', 'notifications']);
const { step } = under;
const consoleUrl = under.stack.console.baseUrl;
try {
  await ask(under.stack.services['flow-builder'], '/v1/flows', FLOW);
  const watched = await openPage(under);
  const { page, complaints } = watched;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();

  await step('the menu marks what is not set up', async () => {
    await page.goto(await under.stack.console.link('without'));
    await page.getByRole('link', { name: FLOW.name }).waitFor();
    const menu = page.getByRole('navigation', { name: 'Main' });
    assert.equal(await menu.getByText('not set up').count(), 8);
  });

  await step('its pages say that it is not set up', async () => {
    for (const path of [
      '/agents',
      '/conversations',
      '/conversations/call-1/why',
      '/analytics',
      '/organization/retention',
      '/webhooks',
      '/applications',
      '/deliveries',
    ]) {
      await page.goto(consoleUrl + path);
      await text('Voice API is not set up');
    }
    await page.goto(`${consoleUrl}/organization`);
    await text('This console is not connected to it.');
    await page.goto(`${consoleUrl}/keys?service=voice-api`);
    await text('Voice API is not set up');
  });

  await step('flows and notifications work and are found', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill(FLOW.flow_id);
    await page.getByRole('option', { name: new RegExp(FLOW.name) }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.react-flow__node[data-id="bye"]').waitFor();
    await page.goto(`${consoleUrl}/notifications`);
    await page.getByLabel('Inbox of user').fill('ada');
    await page.getByLabel('Message').fill('Your order is on its way.');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Send notification' }).click();
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
  });

  const problems = await lookAt(under, watched, {
    'without-conversations': '/conversations',
    'without-organization': '/organization',
    'without-flows': '/flows',
  });
  await step('no page has a problem, and the voice API received no request', async () => {
    assert.deepEqual([...problems, ...complaints], []);
    assert.deepEqual(
      asked.filter((url) => url.includes('/api/voice-api')),
      [],
    );
  });
} finally {
  await under.stop();
}
