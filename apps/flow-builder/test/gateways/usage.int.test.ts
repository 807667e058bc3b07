// Tokens and cost of models: of a turn, in its record, and by month of an organisation.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RecordedTurn } from '@parley/flow-analysis';
import { fakeGateway, type FakeGateway } from '@parley/testing';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let gateway: FakeGateway;
let flows: FlowBuilder;

const branches = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'What do you need?', variable: 'need' },
    { id: 'sort', type: 'branch' },
    { id: 'sales', type: 'end', message: 'Sales' },
    { id: 'other', type: 'end', message: 'Other' },
  ],
  edges: [
    { source: 'ask', target: 'sort' },
    { source: 'sort', target: 'sales', nl: 'wants to buy something' },
    { source: 'sort', target: 'other', default: true },
  ],
};
const helper = {
  nodes: [
    { id: 'help', type: 'autonomous', goal: 'Help.', output_var: 'found' },
    { id: 'bye', type: 'end', message: 'Bye.' },
  ],
  edges: [{ source: 'help', target: 'bye' }],
};

/** A choice whose completion took these tokens. */
const counted = (usage: unknown, content = '{"choice":"0","confidence":0.9}', finish_reason = 'stop') => ({
  body: JSON.stringify({ choices: [{ finish_reason, message: { content } }], usage }),
});
const tokens = (prompt_tokens: number, completion_tokens: number) => ({ prompt_tokens, completion_tokens });

beforeAll(async () => {
  gateway = await fakeGateway();
  flows = await startFlowBuilder({
    GATEWAY_URL: gateway.url,
    CLASSIFIER_MODEL: 'small',
    AGENT_MODEL: 'large',
    AGENT_MODE: 'in_process',
    GATEWAY_PRICES: 'small=2/8',
  });
});
afterAll(async () => {
  await flows.stop();
  await gateway.close();
});

async function organization(id: string) {
  const api = flows.as(await flows.issueKey(id));
  await api.post('/v1/flows', { flow_id: 'branches', definition: branches }).expect(201);
  await api.post('/v1/flows', { flow_id: 'helper', definition: helper }).expect(201);
  const turn = { session_id: 's-1', user_input: 'a car', current_node: 'ask' };
  return {
    id,
    api,
    choose: async (body: object = {}) =>
      (await api.post('/v1/flows/branches/execute?trace=true', { ...turn, ...body }).expect(200)).body as {
        usage?: object;
        next_node: unknown;
      },
    months: async () =>
      ((await api.get('/v1/gateway/usage').expect(200)).body as { months: Record<string, unknown>[] }).months,
  };
}

describe('a turn', () => {
  test('says what its models took, and what that cost', async () => {
    const { choose, months } = await organization('priced');
    gateway.script(counted(tokens(1_000, 50)));
    // 1,000 tokens at 2 and 50 at 8 for a million.
    expect((await choose()).usage).toEqual({ calls: 1, tokens_in: 1_000, tokens_out: 50, cost: 0.0024 });
    const [month, ...others] = await months();
    expect(month).toMatchObject({ calls: 1, tokens_in: 1_000, tokens_out: 50, cost: 0.0024 });
    expect([month!['unpriced_calls'], month!['month'], others]).toEqual([
      0,
      expect.stringMatching(/^\d{4}-\d\d$/),
      [],
    ]);
  });

  test('without a model call has no usage', async () => {
    const { choose, months } = await organization('silent');
    expect(await choose({ user_input: null })).not.toHaveProperty('usage');
    expect(await months()).toEqual([]);
  });

  test.each([
    ['the provider counts nothing', undefined],
    ['the count makes no sense', { prompt_tokens: -1 }],
  ])('has no guessed cost where %s', async (why, usage) => {
    const { choose, months } = await organization(`uncounted ${why}`.replaceAll(' ', '-'));
    gateway.script(counted(usage));
    expect((await choose()).usage).toEqual({ calls: 1, tokens_in: 0, tokens_out: 0, cost: null });
    expect(await months()).toMatchObject([{ calls: 1, cost: null, unpriced_calls: 1 }]);
  });

  test('counts an answer that was cut off: it was paid for', async () => {
    const { choose } = await organization('cut-off');
    gateway.script(counted(tokens(500, 500), '{"choi', 'length'));
    expect((await choose()).usage).toMatchObject({ calls: 1, cost: 0.005 });
  });

  test('sums the calls of an agent, whose model has no price', async () => {
    const { api, months } = await organization('agent');
    gateway.script({ tools: [{ name: 'nothing' }] }, { goalReached: 'Done.' });
    const done = await api.post('/v1/flows/helper/execute?trace=true', {}).expect(200);
    expect(done.body).toMatchObject({ usage: { calls: 2, tokens_in: 2, tokens_out: 2, cost: null } });
    expect(await months()).toMatchObject([{ calls: 2, cost: null, unpriced_calls: 2 }]);
  });
});

describe('a month', () => {
  test('counts every one of concurrent turns, and only those of the organisation', async () => {
    const { choose, months } = await organization('busy');
    const other = await organization('other');
    gateway.script(...Array.from({ length: 20 }, () => counted(tokens(100, 10))));
    await Promise.all(Array.from({ length: 20 }, () => choose()));
    expect(await months()).toMatchObject([{ calls: 20, tokens_in: 2_000, tokens_out: 200, cost: 0.0056 }]);
    expect(await other.months()).toEqual([]);
  });

  test('has simulations and checks too', async () => {
    const { api, months } = await organization('simulated');
    gateway.script({ choice: 0 });
    await api.post('/v1/flows/branches/simulate', { utterances: ['a car'] }).expect(200);
    expect(await months()).toMatchObject([{ calls: 1 }]);
    gateway.script({ choice: 0 }, { goalReached: 'Hello.' });
    await api.post('/v1/gateway/check', {}).expect(200);
    expect(await months()).toMatchObject([{ calls: 3 }]);
  });

  test('needs the scope admin', async () => {
    const reader = flows.as(await flows.issueKey('priced', ['read', 'write']));
    await reader.get('/v1/gateway/usage').expect(403);
  });
});

test('a recorded turn has the figures, and a replay calls no model', async () => {
  const { api, choose, id } = await organization('recorded');
  gateway.script(counted(tokens(1_000, 50)));
  await choose({ bot_id: 'support' });
  const rows = await flows.deps.sql<{ payload: string }>(
    "SELECT payload FROM outbox WHERE organization_id = $1 AND contract = 'conversation.event'",
    [id],
  );
  const turn = rows
    .map(({ payload }) => (JSON.parse(payload) as { turn?: RecordedTurn }).turn)
    .find((one) => one !== undefined)!;
  const usage = { calls: 1, tokens_in: 1_000, tokens_out: 50, cost: 0.0024 };
  expect(turn.answers).toMatchObject([{ kind: 'classify', node_id: 'sort', usage }]);
  const asked = gateway.chats.length;
  const replayed = await api.post('/v1/flows/branches/replay', { turns: [turn] }).expect(200);
  expect(replayed.body).toMatchObject({ turns: [{ same: true, exact: true }] });
  expect(gateway.chats).toHaveLength(asked);
});
