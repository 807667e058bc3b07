// Answers in languages without tuned rules, over HTTP: the first answer loads the data of its
// language.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  const definition = {
    language: 'da',
    nodes: [
      {
        id: 'ask',
        type: 'collect',
        prompt: 'Hvor mange?',
        variable: 'party',
        cast: 'integer',
        unit: 'personer',
      },
      { id: 'done', type: 'end', message: '{{ party }}' },
    ],
    edges: [{ source: 'ask', target: 'done' }],
  };
  await flows.api.post('/v1/flows', { flow_id: 'party', definition }).expect(201);
  await flows.api.post('/v1/flows/party/publish', {}).expect(200);
});
afterAll(() => flows.stop());

test.each([
  ['of the flow', {}, 'enogtyve personer', '21'],
  ['of the conversation', { language: 'pl' }, 'dwadzieścia jeden', '21'],
  ['of the conversation, with a region', { language: 'zh-TW' }, '二十一', '21'],
])('the language %s reads the answer', async (_whose, variables, user_input, text) => {
  const body = { current_node: 'ask', variables, user_input };
  const turn = await flows.api.post('/v1/flows/party/execute', body).expect(200);
  expect(turn.body).toMatchObject({ status: 'completed', outputs: [{ text }] });
});

test('a sentence is asked again, and validation says why', async () => {
  const body = { current_node: 'ask', user_input: 'vi er nok enogtyve personer' };
  const turn = await flows.api.post('/v1/flows/party/execute', body).expect(200);
  expect(turn.body).toMatchObject({ status: 'waiting', next_node: 'ask' });

  const validation = await flows.api.post('/v1/flows/party/validate', {}).expect(200);
  expect(JSON.stringify(validation.body)).toContain('language_basic');
});
