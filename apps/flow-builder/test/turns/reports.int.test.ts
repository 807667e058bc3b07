// Reports of a turn: committed to the outbox before the answer, and sealed.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { recordedTurn, type RecordedTurn } from '@parley/flow-analysis';
import { greeting, startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

const outbox = () =>
  flows.deps.sql<{ id: string; contract: string; payload: string; organization_id: string }>(
    'SELECT id, contract, payload, organization_id FROM outbox ORDER BY id',
  );

test('a turn of a bot is in the outbox when the answer arrives', async () => {
  await flows.api.post('/v1/flows', { flow_id: 'talk', definition: greeting }).expect(201);
  await flows.api.post('/v1/flows/talk/execute', { session_id: 's-1', bot_id: 'bot_1' }).expect(200);
  const rows = await outbox();
  expect(rows.map((row) => [row.contract, row.organization_id])).toEqual(
    Array.from({ length: 3 }, () => ['conversation.event', 'acme']),
  );
  expect(rows.map((row) => (JSON.parse(row.payload) as { type: string }).type)).toEqual([
    'conversation.started',
    'bot.message',
    'bot.message',
  ]);
});

test('a turn without a bot touches no store', async () => {
  const before = (await outbox()).length;
  await flows.api.post('/v1/flows/talk/execute', { session_id: 's-2' }).expect(200);
  expect(await outbox()).toHaveLength(before);
});

test("a webhook node's request is sealed: neither its address nor its headers can be read", async () => {
  const hook = {
    id: 'hook',
    type: 'webhook',
    url: 'https://canary.example/h',
    headers: { 'x-key': 'canary-header' },
  };
  const definition = { nodes: [{ id: 'e', type: 'end' }, hook], edges: [], start: 'e' };
  await flows.api.post('/v1/flows', { flow_id: 'hooked', definition }).expect(201);
  await flows.api.post('/v1/flows/hooked/execute', { session_id: 's-3' }).expect(200);
  const rows = (await outbox()).filter((row) => row.contract === 'webhook.deliver');
  expect(rows).toHaveLength(1);
  expect(rows[0]!.payload).not.toContain('canary');
  expect(flows.log.text()).not.toContain('canary');
});

test('a report that can never be sent is logged and dropped; the turn and other reports succeed', async () => {
  const hook = (id: string, members: object) => ({
    id,
    type: 'webhook',
    url: 'https://example.com/h',
    ...members,
  });
  const definition = {
    nodes: [
      { id: 'e', type: 'end' },
      hook('header', { headers: { 'x-name': '{{ name }}' } }),
      hook('address', { url: 'https://example.com/{{ path }}' }),
      hook('blank', { url: '{{ nothing }}' }),
      hook('good', { url: 'https://example.com/{{ name | default: "x" }}', payload: { good: true } }),
    ],
    edges: [],
    start: 'e',
  };
  await flows.api.post('/v1/flows', { flow_id: 'dropping', definition }).expect(201);
  const before = (await outbox()).length;
  const variables = { name: 'two\nlines', path: 'x'.repeat(3_000) };
  await flows.api.post('/v1/flows/dropping/execute', { session_id: 's-4', variables }).expect(200);
  expect(await outbox()).toHaveLength(before + 1);
  expect(flows.log.text()).toContain('turn.report_dropped');
  expect(flows.log.text()).not.toContain('two');
  expect((await flows.api.get('/metrics')).text).toMatch(
    /flow_reports_dropped_total\{[^}]*contract="webhook.deliver"[^}]*\} 3/,
  );
});

test('bot_id needs a session: it becomes the conversation id', async () => {
  const refused = await flows.api.post('/v1/flows/talk/execute', { bot_id: 'bot_1' }).expect(400);
  expect(refused.body).toMatchObject({ errors: [{ path: '/session_id' }] });
});

describe('a turn of a bot is recorded', () => {
  const turnsOf = async (conversationId: string) =>
    (await outbox())
      .filter(({ contract }) => contract === 'conversation.event')
      .map(({ payload }) => JSON.parse(payload) as { conversation_id: string; turn?: RecordedTurn })
      .flatMap((event) => (event.conversation_id === conversationId ? (event.turn ?? []) : []));

  test('each turn once, as it was', async () => {
    const first = await flows.api
      .post('/v1/flows/talk/execute', { session_id: 'rec-1', bot_id: 'bot_1' })
      .expect(200);
    const { next_node, variables } = first.body as { next_node: string; variables: object };
    await flows.api
      .post('/v1/flows/talk/execute', {
        session_id: 'rec-1',
        bot_id: 'bot_1',
        current_node: next_node,
        user_input: 'Ada',
        variables,
      })
      .expect(200);
    const turns = await turnsOf('rec-1');
    expect(turns).toMatchObject([
      { flow_id: 'talk', version: 1, turn: 1, current_node: null, next_node: 'ask', status: 'waiting' },
      {
        turn: 2,
        current_node: 'ask',
        next_node: null,
        status: 'completed',
        input: { user_input: 'Ada' },
        variables_in: variables,
        messages: [{ text: 'Goodbye, Ada.' }],
      },
    ]);
    for (const turn of turns) expect(recordedTurn.parse(turn)).toEqual(turn);
  });

  test('a redacted variable reaches neither the voice API nor a webhook nor the log', async () => {
    const definition = {
      start: 'ask',
      nodes: [
        { id: 'g', type: 'global', redact: ['pin'] },
        { id: 'ask', type: 'collect', prompt: 'Your pin?', variable: 'pin' },
        { id: 'bye', type: 'end', message: 'Got {{ pin | upper }}.' },
        { id: 'hook', type: 'webhook', url: 'https://example.com/h' },
      ],
      edges: [{ source: 'ask', target: 'bye' }],
    };
    await flows.api.post('/v1/flows', { flow_id: 'secretive', definition }).expect(201);
    const execute = (more: object) =>
      flows.api
        .post('/v1/flows/secretive/execute', { session_id: 'rec-2', bot_id: 'bot_1', ...more })
        .expect(200);
    const opening = await execute({ variables: { name: 'Ada' } });
    const { next_node, variables } = opening.body as { next_node: string; variables: object };
    const second = await execute({ current_node: next_node, variables, user_input: 'canary-pin' });
    // The caller carries the variables, so it has the value already.
    expect(second.body).toMatchObject({ variables: { pin: 'canary-pin' } });

    const rows = await outbox();
    const opened = await Promise.all(
      rows.map(async ({ id, contract, payload, organization_id: whose }) =>
        contract === 'webhook.deliver'
          ? flows.deps.queueSealer.unseal(payload, JSON.stringify(['message', contract, id, whose]))
          : payload,
      ),
    );
    expect(rows.filter(({ contract }) => contract === 'webhook.deliver').length).toBeGreaterThan(0);
    for (const text of [...opened, flows.log.text()]) expect(text.toLowerCase()).not.toContain('canary-pin');
    expect(await turnsOf('rec-2')).toMatchObject([
      { turn: 1 },
      {
        turn: 2,
        redacted: ['pin'],
        variables_set: { pin: expect.stringMatching(/^\[redacted [0-9a-f]{16}\]$/) },
      },
    ]);
    expect(opened.join()).toContain('Ada');
  });
});
