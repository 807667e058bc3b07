// Results of models in a chat are stored for a day, so walking its history again queries no model
// twice (docs/openai.md#what-is-kept).
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { fakeGateway, type FakeGateway } from '@parley/testing';
import { deleteExpiredAnswers } from '../src/chat/stored-answers.ts';
import { publishFlows, startFlowBuilder, type FlowBuilder } from './service.ts';

let gateway: FakeGateway;
let flows: FlowBuilder;
beforeAll(async () => {
  gateway = await fakeGateway({ key: 'sk-test' });
  flows = await startFlowBuilder({
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: 'env://GATEWAY_KEY_VALUE',
    GATEWAY_KEY_VALUE: 'sk-test',
    CLASSIFIER_MODEL: 'small',
    EXTRACTOR_MODEL: 'reader',
    AGENT_MODEL: 'large',
    AGENT_MODE: 'in_process',
  });
  await publishFlows(flows, { desk, helper });
});
afterAll(async () => {
  await flows.stop();
  await gateway.close();
});
beforeEach(() => {
  gateway.chats.length = 0;
});

/** A model decides each branch, and a model reads the last answer. */
const desk = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Buy or repair?', variable: 'need' },
    { id: 'buy', type: 'collect', prompt: 'What do you buy?', variable: 'item' },
    {
      id: 'repair',
      type: 'collect',
      prompt: 'Who are you?',
      variable: 'said',
      extraction: { variables: [{ name: 'name', type: 'string' }] },
    },
    { id: 'bye', type: 'end', message: 'Goodbye, {{ name | default: "you" }}.' },
  ],
  edges: [
    { source: 'ask', target: 'buy', nl: 'wants to buy' },
    { source: 'ask', target: 'repair', default: true },
    { source: 'buy', target: 'bye' },
    { source: 'repair', target: 'bye' },
  ],
};

/** A question, and an agent with an effect. */
const helper = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'What is it?', variable: 'need' },
    { id: 'help', type: 'autonomous', goal: 'Open a ticket.', output_var: 'found' },
    { id: 'more', type: 'collect', prompt: 'Anything else?', variable: 'more' },
    { id: 'bye', type: 'end', message: 'Goodbye.' },
  ],
  edges: [
    { source: 'ask', target: 'help' },
    { source: 'help', target: 'more' },
    { source: 'more', target: 'bye' },
  ],
};

type Message = { role: string; content: string };
const user = (content: string): Message => ({ role: 'user', content });
const answered: Message = { role: 'assistant', content: '…' };
const choosing = [user('hello'), answered, user('it is broken')];

const post = (model: string, messages: Message[], session_id: string | null, api = flows.api) =>
  api.post('/openai/v1/chat/completions', {
    model,
    messages,
    ...(session_id === null ? {} : { metadata: { session_id } }),
  });
const words = async (...of: Parameters<typeof post>) => {
  const body: unknown = (await post(...of).expect(200)).body;
  return (body as { choices: { message: { content: string } }[] }).choices[0]!.message.content;
};

test('a question is asked once, also when the answer is none', async () => {
  gateway.script({ choice: 'none' }, { values: { name: 'Ada' } });
  expect(await words('desk', choosing, 'once')).toBe('Who are you?');
  expect(await words('desk', choosing, 'once')).toBe('Who are you?');
  expect(gateway.chats).toHaveLength(1);
  expect(await words('desk', [...choosing, answered, user('Ada here')], 'once')).toBe('Goodbye, Ada.');
  expect(await words('desk', [...choosing, answered, user('Ada here')], 'once')).toBe('Goodbye, Ada.');
  expect(gateway.chats).toHaveLength(2);
});

test('a model that did not answer is not asked again in a turn that continued without it', async () => {
  gateway.script(500);
  expect(await words('desk', choosing, 'failed')).toBe('Who are you?');
  const asked = gateway.chats.length;
  expect(await words('desk', [...choosing, answered, user('')], 'failed')).toBe('Who are you?');
  expect(gateway.chats).toHaveLength(asked);
});

test('other words, another turn, conversation or organisation ask again', async () => {
  const rival = flows.as(await flows.issueKey('rival'));
  await rival.post('/v1/flows', { flow_id: 'desk', definition: desk }).expect(201);
  await rival.post('/v1/flows/desk/publish').expect(200);
  gateway.script({ choice: 'none' }, { choice: 0 }, { choice: 0 }, { choice: 0 }, { choice: 0 });
  expect(await words('desk', choosing, 'mine')).toBe('Who are you?');
  const edited = [user('hello'), answered, user('a new one')];
  expect(await words('desk', edited, 'mine')).toBe('What do you buy?');
  const later = [user('hello'), answered, user(''), answered, user('it is broken')];
  expect(await words('desk', later, 'mine')).toBe('What do you buy?');
  expect(await words('desk', choosing, 'yours')).toBe('What do you buy?');
  expect(await words('desk', choosing, 'mine', rival)).toBe('What do you buy?');
  expect(gateway.chats).toHaveLength(5);
});

test('concurrent requests get one answer', async () => {
  gateway.script({ choice: 0, afterMs: 100 }, { choice: 'none', afterMs: 200 });
  const both = await Promise.all([words('desk', choosing, 'together'), words('desk', choosing, 'together')]);
  expect(both).toEqual(['What do you buy?', 'What do you buy?']);
});

test('an agent runs once, and only in a named conversation', async () => {
  const helping = [user('hello'), answered, user('my screen')];
  const unnamed = await post('helper', helping, null).expect(400);
  expect(unnamed.body).toMatchObject({ error: { param: '/metadata/session_id', code: 'invalid_request' } });
  gateway.script({ goalReached: 'Ticket 7.' });
  expect(await words('helper', helping, 'agent')).toBe('Ticket 7.\nAnything else?');
  expect(await words('helper', [...helping, answered, user('no')], 'agent')).toBe('Goodbye.');
  expect(gateway.chats).toHaveLength(1);
});

test('stored answers are sealed, and expire after a day', async () => {
  const { sql, clock } = flows.deps;
  gateway.script({ choice: 'none' }, { values: { name: 'CANARY' } }, { choice: 0 });
  const whole = [...choosing, answered, user('CANARY here')];
  await words('desk', whole, 'sealed');
  const rows = () => sql<object>(`SELECT * FROM chat_answers WHERE session = 'sealed'`);
  const kept = await rows();
  expect(kept).toHaveLength(2);
  expect(JSON.stringify(kept)).not.toContain('CANARY');
  const day = 24 * 60 * 60 * 1000;
  await deleteExpiredAnswers(sql, clock() + day - 60_000);
  expect(await rows()).toHaveLength(2);
  await deleteExpiredAnswers(sql, clock() + day);
  expect(await rows()).toHaveLength(0);
  expect(await words('desk', choosing, 'sealed')).toBe('What do you buy?');
});
