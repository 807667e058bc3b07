// `npm run test:browser`: an author draws a flow from a sentence, undoes it, and fixes a
// conversation that went wrong, with a recorded provider.
import assert from 'node:assert/strict';
import { fakeGateway } from '@parley/testing';
import { accessProblems, openPage, picture, startBrowser } from '../browser-under-test.ts';
import { ask } from '../browser-seed.ts';

const smallest = {
  start: 'start',
  nodes: [
    { id: 'start', type: 'collect', prompt: 'Worum geht es?', variable: 'reason' },
    { id: 'end', type: 'end', message: 'Auf Wiederhören.' },
  ],
  edges: [{ source: 'start', target: 'end' }],
};
const drawn = {
  summary: 'Buchungen für eine Zahnarztpraxis; bei Schmerzen zur Anmeldung.',
  flow: { language: 'de' },
  nodes: [
    { id: 'sort', type: 'branch' },
    { id: 'desk', type: 'handoff', target: 'desk', message: 'Ich verbinde Sie.' },
  ],
  edges: [
    { source: 'start', edges: [{ target: 'sort' }] },
    {
      source: 'sort',
      edges: [
        {
          target: 'desk',
          nl: 'has pain',
          examples: ['ich habe Schmerzen', 'mein Zahn tut weh', 'es tut weh'],
        },
        { target: 'end', default: true },
      ],
    },
  ],
};
/** Longer than the editor waits before it stores the draft. */
const KEPT_AFTER_MS = 1_000;
const provider = await fakeGateway({ fallback: { content: JSON.stringify(drawn) } });
const under = await startBrowser(['flow-builder', 'voice-api'], {
  env: { GATEWAY_URL: provider.url, CLASSIFIER_MODEL: 'small' },
});
const { step } = under;
const { 'flow-builder': flowBuilder, 'voice-api': voiceApi } = under.stack.services;
try {
  const watched = await openPage(under);
  const { page, complaints } = watched;
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const proposal = page.getByRole('region', { name: 'Proposal' });

  await step('a flow is published, and a caller in pain was not handed over', async () => {
    await ask(flowBuilder, '/v1/flows', { flow_id: 'line', name: 'Line', definition: smallest });
    await ask(flowBuilder, '/v1/flows/line/publish', {});
    const bot = (await ask(voiceApi, '/bots', { name: 'Line', flow_id: 'line' })) as { data: { id: string } };
    const caller = { bot_id: bot.data.id, session_id: 'call-pain' };
    const first = await ask(flowBuilder, '/v1/flows/line/execute', { ...caller, variables: {} });
    const { variables } = first as { variables: object };
    const turn = { ...caller, user_input: 'mein Zahn tut weh', current_node: 'start', variables };
    await ask(flowBuilder, '/v1/flows/line/execute', turn);
    await page.goto(await under.stack.console.link('assistant'));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  await step('a sentence draws a draft, which is shown before it is applied', async () => {
    await page.goto(`${under.stack.console.baseUrl}/flows/line`);
    await page.getByRole('tab', { name: 'Assistant' }).click();
    await page
      .getByLabel('What should change?')
      .fill('A booking line for a dentist, German, hand over to the desk when in pain');
    await press('Propose change');
    await proposal.getByText('No errors').waitFor();
    assert.equal(await node('desk').count(), 0);
  });

  for (const theme of ['light', 'dark'] as const)
    for (const width of [1280, 390])
      await step(`the proposal, ${theme}, ${width}`, async () => {
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
        await page.setViewportSize({ width, height: 844 });
        await proposal.scrollIntoViewIfNeeded();
        await page.mouse.move(0, 0);
        await picture(page, `assistant-${theme}-${width}`);
        assert.deepEqual(await accessProblems(page), []);
      });

  await step('it is applied when its target was checked, and undone with one key', async () => {
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.getByLabel('I have checked what leaves the flow').check();
    await press('Apply to draft');
    await node('desk').waitFor();
    await page.getByLabel('What should change?').and(page.locator(':focus')).waitFor();
    await page.getByText('Applied the proposal. Ctrl Z undoes it').waitFor({ state: 'attached' });
    await picture(page, 'assistant-applied');
    await node('start').focus();
    await page.keyboard.press('Control+z');
    await node('desk').waitFor({ state: 'detached' });
    await page.waitForTimeout(KEPT_AFTER_MS); // the draft without the change is stored
  });

  await step('Fix this: the turns become a test, and the proposal passes it', async () => {
    await page.goto(`${under.stack.console.baseUrl}/conversations/call-pain/why?turn=2`);
    await press('Fix this');
    await page.getByRole('region', { name: 'Failed conversation' }).getByText('mein Zahn tut weh').waitFor();
    await picture(page, 'assistant-failed');
    assert.deepEqual(await accessProblems(page), []);
    await page.getByLabel('What should change?').fill('Hand over to the desk when in pain');
    await press('Propose change');
    await proposal.getByText('Effect on callers').waitFor();
    await picture(page, 'assistant-fixed');
    await press('Save as test');
    await page.getByText(/^Saved test fixed\.call-pain\.2/).waitFor();
    await page.getByLabel('I have checked what leaves the flow').check();
    await press('Apply to draft');
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByText('fixed.call-pain.2').first().waitFor();
    await picture(page, 'assistant-tests');
  });

  await step('the browser reported no problem', async () => assert.deepEqual(complaints, []));
} finally {
  await under.stop();
  await provider.close();
}
