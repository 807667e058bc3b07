// Recorded turns: stored according to the bot's setting, returned as recorded, counted, and purged
// with the bot.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { event, readTranscript, type WireEvent } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';
import { enqueue } from './runtime-messages.ts';

jest.setTimeout(60_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.2' } });
});
afterAll(() => service.stop());

const recorded = (turn: number, more: object = {}) => ({
  flow_id: 'greeting',
  version: 3,
  turn,
  current_node: turn === 1 ? null : 'ask',
  next_node: 'ask',
  status: 'waiting',
  now: 1_795_255_200,
  path: [
    [0, 0, 'default'],
    [1, null, null],
  ],
  input: { user_input: 'canary-said' },
  variables_in: { name: 'canary-bag' },
  variables_set: {},
  variables_cleared: [],
  answers: [],
  messages: [{ type: 'prompt', node_id: 'ask', text: 'canary-message' }],
  actions: [],
  added_by_a_newer_flow_builder: { kept: true },
  ...more,
});
const withTurn = (one: WireEvent, turn: object) => ({ ...one, turn });
const said = { flow_id: 'greeting', flow_version: 3, turn: 1, node_id: 'ask' };

const turnsOf = async (id: string, query = '') =>
  dataOf<{ items: Record<string, unknown>[]; next_cursor: string | null }>(
    await service.api.get(`/v1/conversations/${id}/turns${query}`).expect(200),
  );
const steps = async () =>
  dataOf<{ nodes: object[]; edges: object[] }>(
    await service.api.get('/v1/analytics/flow-steps?flow_id=greeting&version=3').expect(200),
  );
async function botWith(recording?: string): Promise<string> {
  const body = { name: 'x', ...(recording ? { recording } : {}) };
  return dataOf<{ id: string }>(await service.api.post('/v1/bots', body).expect(201)).id;
}
/** Two turns, the second without an utterance; then the caller hangs up. */
async function converse(id: string, bot_id: string): Promise<void> {
  const events = [
    withTurn(event('bot.message', id, 1, { turn_index: 1, text: 'Who?', ...said }, { bot_id }), recorded(1)),
    withTurn(event('turn.recorded', id, 2, {}, { bot_id }), recorded(2)),
    event('conversation.ended', id, 3, {}, { bot_id }),
  ];
  expect(await enqueue(events, service)).toBe(true);
  await eventually(async () => {
    const answer = await service.api.get(`/v1/conversations/${id}`);
    return (answer.body as { data?: { status: string } }).data?.status === 'completed';
  });
}

describe('by default', () => {
  beforeAll(async () => converse('full', await botWith()));

  test('a turn is returned as recorded, including members of newer flow builders', async () => {
    expect(await turnsOf('full')).toMatchObject({ items: [recorded(1), recorded(2)], next_cursor: null });
  });

  test('pages are ordered by turn', async () => {
    const first = await turnsOf('full', '?limit=1');
    expect(first.items).toEqual([recorded(1)]);
    expect((await turnsOf('full', `?limit=1&cursor=${first.next_cursor}`)).items).toEqual([recorded(2)]);
  });

  test('the transcript has the place of each turn in the flow', async () => {
    expect((await readTranscript(service, 'full')).turns).toMatchObject([{ text: 'Who?', ...said }]);
  });

  test('a repeated turn changes nothing', async () => {
    const before = await steps();
    const again = withTurn(event('turn.recorded', 'full', 2), recorded(2, { status: 'completed' }));
    await enqueue([again, event('turn.recorded', 'marker', 2)], service);
    await eventually(async () => (await service.api.get('/v1/conversations/marker')).status === 200);
    expect((await turnsOf('full')).items).toEqual([recorded(1), recorded(2)]);
    expect(await steps()).toEqual(before);
  });

  test('turns are counted by node and edge, and callers that left by node', async () => {
    const expected = {
      nodes: [
        { index: 0, turns: 2, left: 0 },
        { index: 1, turns: 2, left: 1 },
      ],
      edges: [{ index: 0, turns: 2 }],
    };
    expect(await steps()).toMatchObject(expected);
    await eventually(async () => (await service.deps.sql('SELECT 1 FROM flow_step_facts')).length === 0);
    expect(await steps()).toMatchObject(expected);
  });
});

describe('what the models took', () => {
  const priced = { calls: 2, tokens_in: 1000, tokens_out: 50, cost: 0.0012345 };
  const unpriced = { calls: 1, tokens_in: 7, tokens_out: 3, cost: null };
  const figures = async (flow: string) =>
    dataOf<{ totals: Record<string, unknown> }>(
      await service.api.get(`/v1/analytics/usage?from=2026-01-15&to=2026-01-16&flow_id=${flow}`).expect(200),
    ).totals;
  const turn = (flow_id: string, number: number, usage?: object) =>
    recorded(number, { flow_id, ...(usage === undefined ? {} : { usage }) });
  async function hold(id: string, bot_id: string): Promise<void> {
    const started = event('conversation.started', id, 1, { flow_id: id, flow_version: 3 }, { bot_id });
    const events = [
      started,
      withTurn(event('turn.recorded', id, 2, {}, { bot_id }), turn(id, 1, priced)),
      withTurn(event('turn.recorded', id, 3, {}, { bot_id }), turn(id, 2)),
      withTurn(event('turn.recorded', id, 4, {}, { bot_id }), turn(id, 3, unpriced)),
      event('conversation.ended', id, 5, {}, { bot_id }),
    ];
    expect(await enqueue(events, service)).toBe(true);
    await eventually(async () => (await figures(id))['conversations'] === 1);
  }

  test('is summed by conversation, also when a turn arrives late or twice', async () => {
    const bot_id = await botWith('path');
    await hold('took', bot_id);
    const sums = { model_calls: 3, tokens_in: 1007, tokens_out: 53, model_cost: 0.0012345 };
    expect(await figures('took')).toMatchObject({ ...sums, unpriced_model_calls: 1 });
    expect((await turnsOf('took')).items[0]).toMatchObject({ usage: priced, input: null });
    const late = [
      withTurn(event('turn.recorded', 'took', 6, {}, { bot_id }), turn('took', 4, priced)),
      withTurn(event('turn.recorded', 'took', 7, {}, { bot_id }), turn('took', 1, priced)),
    ];
    expect(await enqueue(late, service)).toBe(true);
    await eventually(async () => (await figures('took'))['model_calls'] === 5);
    expect(await figures('took')).toMatchObject({ conversations: 1, tokens_in: 2007, model_cost: 0.002469 });
    // The same after the fold.
    await eventually(async () => (await service.deps.sql('SELECT 1 FROM analytics_facts')).length === 0);
    expect(await figures('took')).toMatchObject({ model_calls: 5, tokens_out: 103, unpriced_model_calls: 1 });
  });

  test('is not there where nothing is recorded', async () => {
    await hold('unrecorded', await botWith('off'));
    expect(await figures('unrecorded')).toMatchObject({ model_calls: 0, model_cost: 0 });
  });
});

test('the turns of a flow are listed over its conversations, the newest first, page by page', async () => {
  const bot = await botWith();
  const flow = async (id: string, flow_id: string, start: string) => {
    const turns = [1, 2].map((turn) => ({
      ...withTurn(event('turn.recorded', id, turn, said, { bot_id: bot }), recorded(turn, { flow_id })),
      occurred_at: start,
    }));
    const started = event('conversation.started', id, 0, { flow_id, flow_version: 3 }, { bot_id: bot });
    await enqueue([{ ...started, occurred_at: start }, ...turns], service);
    await eventually(async () => (await turnsOf(id).catch(() => ({ items: [] }))).items.length === 2);
    return turns.map(({ turn }) => turn);
  };
  const older = await flow('listed-1', 'listed', '2026-11-01T10:00:00.000Z');
  const newer = await flow('listed-2', 'listed', '2026-11-02T10:00:00.000Z');
  await flow('listed-3', 'another', '2026-11-03T10:00:00.000Z');
  const seen: object[] = [];
  interface Page {
    readonly items: readonly object[];
    readonly next_cursor: string | null;
  }
  const read = async (more: string): Promise<Page> =>
    dataOf<Page>(await service.api.get(`/v1/flow-turns?flow_id=listed&limit=1${more}`).expect(200));
  let page = await read('');
  seen.push(...page.items);
  while (page.next_cursor !== null) {
    page = await read(`&cursor=${page.next_cursor}`);
    seen.push(...page.items);
  }
  expect(seen).toEqual([...newer, ...older]);
  const others = service.as(await service.issueKey('another-organisation'));
  expect((await others.get('/v1/flow-turns?flow_id=listed').expect(200)).body).toMatchObject({
    data: { items: [], next_cursor: null },
  });
});

test('recording "path" stores the path without any text', async () => {
  await converse('way', await botWith('path'));
  const { items } = await turnsOf('way');
  expect(items).toMatchObject([
    { turn: 1, path: recorded(1).path, input: null, truncated: true },
    { turn: 2 },
  ]);
  const kept = await service.deps.sql(`SELECT data FROM conversation_turns WHERE conversation_id = 'way'`);
  expect(JSON.stringify(kept)).not.toContain('canary');
});

test('recording "off" stores and counts nothing', async () => {
  const before = await steps();
  await converse('silent', await botWith('off'));
  expect((await turnsOf('silent')).items).toEqual([]);
  expect(await steps()).toEqual(before);
});

test('an invalid or too large turn does not affect its event', async () => {
  await enqueue(
    [
      withTurn(event('speech.final', 'odd', 1, { turn_index: 0, text: 'one' }), recorded(1, { path: 'no' })),
      withTurn(event('speech.final', 'odd', 2, { turn_index: 1, text: 'two' }), recorded(10_001)),
    ],
    service,
  );
  await eventually(async () => {
    const answer = await service.api.get('/v1/conversations/odd/transcript');
    return (answer.body as { data?: { turns: object[] } }).data?.turns.length === 2;
  });
  expect((await turnsOf('odd')).items).toEqual([]);
});

test('HTTP requests cannot report recorded turns', async () => {
  const answer = await service.api
    .post('/v1/conversations/events', {
      events: [
        withTurn(event('conversation.started', 'http', 1), recorded(1)),
        event('turn.recorded', 'http', 2),
      ],
    })
    .expect(200);
  expect(dataOf(answer)).toMatchObject({ accepted: 0, rejected: [{ index: 0 }, { index: 1 }] });
});

test('turns of unknown conversations and of other organisations are 404', async () => {
  await service.api.get('/v1/conversations/nobody/turns').expect(404);
  const other = service.as(await service.issueKey('globex'));
  await other.get('/v1/conversations/full/turns').expect(404);
});

test('purging the bot removes them', async () => {
  const bot = await botWith();
  await converse('gone', bot);
  await service.api.delete(`/v1/bots/${bot}?purge=true`).expect(200);
  const left = await service.deps.sql(`SELECT 1 FROM conversation_turns WHERE conversation_id = 'gone'`);
  expect(left).toEqual([]);
});

describe('lists and figures', () => {
  beforeAll(async () => {
    const started = (id: string, version: number) =>
      event('conversation.started', id, 0, { flow_id: 'find', flow_version: version });
    await enqueue(
      [
        started('find-1', 1),
        event('speech.final', 'find-1', 1, { turn_index: 0, text: 'I lost my Suitcase at the airport' }),
        event('conversation.ended', 'find-1', 2, { end_reason: 'silence' }),
        started('find-2', 2),
        event('conversation.error', 'find-2', 1, { code: 'asr_down', message: 'no ears' }),
      ],
      service,
    );
    const other = [event('speech.final', 'theirs', 1, { turn_index: 0, text: 'my suitcase' })];
    await enqueue(other, service, 'globex');
    await eventually(async () => (await found('status=completed')).length > 0);
    await eventually(async () => (await found('status=failed')).length > 0);
  });
  const found = async (query: string) => {
    const answer = await service.api.get(`/v1/conversations?limit=100&${query}`).expect(200);
    return dataOf<{ items: { id: string }[] }>(answer)
      .items.map(({ id }) => id)
      .filter((id) => id.startsWith('find') || id === 'theirs');
  };

  test.each([
    ['flow_id=find', ['find-2', 'find-1']],
    ['flow_id=find&flow_version=1', ['find-1']],
    ['end_reason=silence', ['find-1']],
    ['has_error=true', ['find-2']],
    ['has_error=false', ['find-1']],
    ['q=suitcase', ['find-1']],
    ['q=lost+airport', ['find-1']],
    ['q=%22lost+airport%22', []],
    ['q=suitcase+-airport', []],
    ['q=FIND-', ['find-2', 'find-1']],
    [`q=${encodeURIComponent(`'!&|:*\\`)}`, []],
  ])('%s', async (query, ids) => {
    expect((await found(query)).sort()).toEqual([...ids].sort());
  });

  test('a search uses the index of grams', async () => {
    const { sql } = service.deps;
    await sql(
      `INSERT INTO search_documents SELECT 'acme', 'many-' || i, 'word' || i, ARRAY[1, i] FROM generate_series(1, 5000) AS i`,
    );
    await sql('ANALYZE search_documents');
    const plan = await sql(
      `EXPLAIN SELECT conversation_id FROM search_documents
       WHERE organization_id = 'acme' AND search_terms(grams) @> (SELECT ARRAY[1, 7])`,
    );
    expect(JSON.stringify(plan)).toContain('search_documents_terms_idx');
  });

  test('figures can be limited to a flow and grouped by its versions', async () => {
    const window = 'from=2026-01-15&to=2026-01-16';
    const usage = async (query: string) =>
      dataOf<{ totals: { conversations: number; groups?: { key: string; conversations: number }[] } }>(
        await service.api.get(`/v1/analytics/usage?${window}&${query}`).expect(200),
      ).totals;
    expect(await usage('flow_id=find')).toMatchObject({ conversations: 2, webhook_deliveries: null });
    expect(await usage('flow_id=find&flow_version=1')).toMatchObject({ conversations: 1 });
    expect(await usage('flow_id=find&group_by=flow_version')).toMatchObject({
      conversations: 2,
      groups: [
        { key: 'find@1', conversations: 1 },
        { key: 'find@2', conversations: 1 },
      ],
    });
    await eventually(async () => (await service.deps.sql('SELECT 1 FROM analytics_facts')).length === 0);
    expect(await usage('flow_id=find&flow_version=2')).toMatchObject({ conversations: 1 });
    const { groups } = await usage('group_by=flow_id');
    expect(groups).toContainEqual(expect.objectContaining({ key: 'find', conversations: 2 }));
    await service.api.get(`/v1/analytics/usage?${window}&flow_version=1`).expect(400);
    await service.api.get(`/v1/analytics/usage?${window}&flow_id=find&group_by=channel`).expect(400);
  });
});
