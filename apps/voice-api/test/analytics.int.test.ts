// The endpoints of the analytics: answers, errors, access, and the path from an API request to its
// figure.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { DateTime } from 'luxon';
import supertest from 'supertest';
import { eventually } from '@parley/testing';
import { recordConversations, recordDeliveryAttempts } from '../src/analytics/record-facts.ts';
import type { PerformanceAnswer, UsageAnswer } from '../src/analytics/schemas.ts';
import type { ApiClient } from '@parley/testing-services';
import { startVoiceApi, type VoiceApi } from './service.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

const fact = {
  organizationId: 'acme',
  botId: 'bot_1',
  channel: 'phone',
  conversations: 1,
  status: 'completed',
  endReason: 'user_hangup',
  errorCode: null,
  language: 'en',
  flowId: 'greeting',
  flowVersion: 1,
  startedAt: new Date('2026-10-25T00:59:59.999Z'),
  durationSeconds: 90,
  from: '+493055501',
  turns: 3,
  interruptions: 1,
  botTurns: 2,
  latencies: { e2e: [500, 700], asr: [], llm: [], tts: [] },
};

let voice: VoiceApi;
beforeAll(async () => {
  voice = await startVoiceApi({ workers: true });
  await recordConversations(voice.deps.sql, [
    { ...fact, conversationId: 'conv_1' },
    {
      ...fact,
      conversationId: 'conv_2',
      botId: null,
      channel: 'web',
      startedAt: new Date('2026-10-25T01:00:00Z'),
    },
  ]);
  await recordDeliveryAttempts(voice.deps.sql, [
    { organizationId: 'acme', atMs: Date.parse('2026-10-25T00:10:00Z'), ok: true, ms: 12 },
    { organizationId: 'acme', atMs: Date.parse('2026-10-25T00:10:00Z'), ok: false, ms: 30 },
  ]);
});
afterAll(() => voice.stop());

const usage = async (client: ApiClient, query: string): Promise<UsageAnswer> =>
  ((await client.get(`/v1/analytics/usage?${query}`).expect(200)).body as { data: UsageAnswer }).data;
const performance = async (client: ApiClient, query: string): Promise<PerformanceAnswer> =>
  ((await client.get(`/v1/analytics/performance?${query}`).expect(200)).body as { data: PerformanceAnswer })
    .data;
const codeOf = (response: supertest.Response): string =>
  (response.body as { error: { code: string } }).error.code;

const day = 'from=2026-10-25&to=2026-10-26&timezone=Europe/Berlin';

test('usage by the hour has two buckets for a repeated hour', async () => {
  const data = await usage(voice.api, `${day}&interval=hour`);
  expect(data).toMatchObject({
    from: '2026-10-24T22:00:00.000Z',
    to: '2026-10-25T23:00:00.000Z',
    interval: 'hour',
    timezone: 'Europe/Berlin',
    bot_id: null,
    group_by: null,
    totals: {
      conversations: 2,
      minutes: 3,
      turns: 6,
      unique_callers: 1,
      webhook_deliveries: 1,
      api_requests: 0,
    },
  });
  expect(data.buckets).toHaveLength(25);
  expect(data.buckets[2]).toMatchObject({
    start: '2026-10-25T00:00:00.000Z',
    end: '2026-10-25T01:00:00.000Z',
    as_of: data.as_of,
    complete: true,
    conversations: 1,
    unique_callers: 1,
  });
  expect(data.buckets[3]).toMatchObject({ conversations: 1, minutes: 1.5 });
  expect(data.buckets[4]).toMatchObject({ conversations: 0, minutes: 0 });
  expect(data.totals).not.toHaveProperty('groups');
});

test('performance can be limited to a bot and grouped', async () => {
  const expected = {
    conversations: 1,
    completion_rate: 1,
    error_rate: 0,
    interruption_rate: 0.5,
    duration: { avg: 90, max: 90, count: 1 },
    latency: { e2e: { avg: 600, max: 700, count: 2 }, asr: { avg: null, p99: null, count: 0 } },
    webhook_success_rate: null,
    webhook_latency: null,
  };
  const one = await performance(voice.api, `${day}&bot_id=bot_1&group_by=channel`);
  expect(one.totals).toMatchObject({ ...expected, groups: [{ key: 'phone', ...expected }] });
  const whole = await performance(voice.api, `${day}&group_by=bot_id`);
  expect(whole.totals).toMatchObject({
    webhook_success_rate: 0.5,
    webhook_latency: { avg: 21, max: 30, count: 2 },
    groups: [
      { key: null, conversations: 1 },
      { key: 'bot_1', conversations: 1, webhook_latency: null },
    ],
  });
});

test('the default window is seven whole days of the time zone up to the end of the current quarter of an hour', async () => {
  const askedAtMs = voice.deps.clock();
  const { from, to, complete, buckets } = await usage(voice.api, 'timezone=Asia/Kathmandu');
  expect(DateTime.fromISO(from, { zone: 'Asia/Kathmandu' }).toFormat('HH:mm')).toBe('00:00');
  expect(buckets).toHaveLength(7);
  expect(buckets.map(({ whole }) => whole)).toEqual([...Array<true>(6).fill(true), false]);
  expect(Date.parse(to) % 900_000).toBe(0);
  expect(Date.parse(to)).toBeGreaterThan(askedAtMs);
  expect(buckets.at(-1)!.complete).toBe(false);
  expect(buckets[1]!.complete).toBe(true);
  expect(complete).toBe(false);
});

test('a window that cuts a day says so', async () => {
  const { complete, buckets } = await usage(voice.api, 'from=2026-10-23T12:00:00Z&to=2026-10-25T12:00:00Z');
  expect(buckets.map(({ whole }) => whole)).toEqual([false, true, false]);
  expect(complete).toBe(true);
});

test('figures as CSV have a line for each bucket, group and total', async () => {
  const query = `${day}&group_by=channel&interval=week`;
  const { text, headers } = await voice.api.get(`/v1/analytics/usage?${query}&format=csv`).expect(200);
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="usage.csv"',
  });
  const place = '"2026-10-24T22:00:00.000Z","2026-10-25T23:00:00.000Z",true';
  expect(text.split('\r\n')).toEqual([
    '"row","start","end","complete","whole","channel","conversations","minutes","turns","unique_callers","model_calls","tokens_in","tokens_out","model_cost","unpriced_model_calls","webhook_deliveries","api_requests"',
    `"bucket",${place},false,,2,3,6,1,0,0,0,0,0,1,0`,
    `"bucket_group",${place},false,"phone",1,1.5,3,1,0,0,0,0,0,,`,
    `"bucket_group",${place},false,"web",1,1.5,3,1,0,0,0,0,0,,`,
    `"total",${place},,,2,3,6,1,0,0,0,0,0,1,0`,
    `"total_group",${place},,"phone",1,1.5,3,1,0,0,0,0,0,,`,
    `"total_group",${place},,"web",1,1.5,3,1,0,0,0,0,0,,`,
    '',
  ]);
});

test('figures as CSV have the same columns with and without data, and Accept selects them', async () => {
  const read = (path: string, accept: string) =>
    voice.api.get(`/v1/analytics/${path}`).set('accept', accept).expect(200);
  const some = (await read(`performance?${day}`, 'text/csv')).text.split('\r\n');
  const none = (await read(`performance?${day}&bot_id=none`, 'text/csv, application/json;q=0.5')).text;
  expect(some[0]).toContain('"latency_e2e_p95"');
  expect(some[0]).toContain('"webhook_latency_p95"');
  expect(none.split('\r\n')[0]).toBe(some[0]);
  expect(some[1]!.split(',')).toHaveLength(some[0]!.split(',').length);
  expect((await read(`usage?${day}`, '*/*')).body).toHaveProperty('data.totals');
  expect((await read(`usage?${day}&format=json`, 'text/csv')).body).toHaveProperty('data.totals');
  const steps = await read('flow-steps?flow_id=greeting&version=1', 'text/csv');
  expect(steps.text).toBe('"row","index","turns","left"\r\n');
  const answers = await read('flow-answers?flow_id=greeting&version=1&format=csv', '*/*');
  expect(answers.text).toMatch(/^"row","index","understood"/);
});

test('a group that looks like a formula is text in the CSV', async () => {
  await recordConversations(voice.deps.sql, [
    { ...fact, organizationId: 'formula', conversationId: 'conv_1', language: '=1+2' },
  ]);
  const key = await voice.issueKey('formula', ['read']);
  const { text } = await voice
    .as(key)
    .get(`/v1/analytics/usage?${day}&group_by=language&format=csv`)
    .expect(200);
  expect(text).toContain(`,"'=1+2",`);
  expect(text).not.toContain('"=1+2"');
});

test('a bucket is not complete while a conversation that started in it is open', async () => {
  await voice.deps.sql(
    `INSERT INTO conversations (organization_id, id, bot_id, status, metadata, started_at, turn_count, revision, transcript_ready,
       facts, sequence, start_sent, end_sent, counted, due_at, created_at, updated_at)
     VALUES ('acme', 'conv_open', 'bot_9', 'in_progress', '{}', $1, 0, 0, false, '{}', 0, true, false, false, $2, $1, $1)`,
    ['2026-10-20T10:00:00Z', '2199-01-01T00:00:00Z'], // never due, so the sweeper ignores it
  );
  const complete = async (more: string): Promise<boolean[]> => {
    const { buckets } = await usage(voice.api, `from=2026-10-19&to=2026-10-22${more}`);
    return buckets.map((bucket) => bucket.complete);
  };
  expect(await complete('')).toEqual([true, false, true]);
  expect(await complete('&bot_id=bot_9')).toEqual([true, false, true]);
  expect(await complete('&bot_id=bot_1')).toEqual([true, true, true]);
});

test('requests with a valid credential count, including those answered with an error', async () => {
  const mine = voice.as(await voice.issueKey('counting'));
  await usage(mine, '');
  await mine.get('/v1/analytics/usage?interval=year').expect(400);
  await supertest(voice.server.url).get('/v1/analytics/usage').expect(401);
  let asked = 2;
  await eventually(async () => {
    const { totals } = await usage(mine, '');
    asked += 1;
    return totals.api_requests! >= 3;
  });
  await voice.deps.requestCounter.flush();
  expect((await usage(mine, '')).totals.api_requests).toBe(asked);
});

test.each([
  ['interval=year', '/query/interval'],
  ['group_by=from', '/query/group_by'],
  ['timezone=Mars/Olympus', '/query/timezone'],
  ['from=yesterday', '/query/from'],
  ['from=2026-10-25T00:10:00Z&to=2026-10-26', '/query/from'],
  ['from=2026-10-25&to=2026-10-26T00:00:01Z', '/query/to'],
  ['from=2026-10-25&to=2026-10-25', '/query/from'],
  ['from=2026-10-26&to=2026-10-25', '/query/from'],
  ['from=2025-10-25&to=2026-10-27', '/query/from'],
  ['from=1999-12-31&to=2000-01-02', '/query/from'],
  ['bot_id=', '/query/bot_id'],
])('%s is rejected and the error names the parameter', async (query, path) => {
  const other = voice.as(await voice.issueKey('asking'));
  for (const endpoint of ['usage', 'performance']) {
    const response = await other.get(`/v1/analytics/${endpoint}?${query}`).expect(400);
    expect(response.body).toMatchObject({
      success: false,
      error: { code: 'INVALID_REQUEST', details: { fields: [{ path }] } },
    });
  }
});

test('bot_id accepts every id that a runtime may report', async () => {
  await voice.api.get(`/v1/analytics/usage?bot_id=${'b'.repeat(255)}`).expect(200);
  await voice.api.get(`/v1/analytics/usage?bot_id=${'b'.repeat(256)}`).expect(400);
});

test('an unknown parameter is rejected', async () => {
  await voice.api.get('/v1/analytics/usage?start=2026-10-25').expect(400);
});

test('a window of 366 local days may have an additional hour, but no more', async () => {
  const upTo = (to: string) => `from=2025-10-25&to=${to}&timezone=Europe/Berlin&interval=month`;
  expect((await usage(voice.api, upTo('2026-10-26'))).buckets).toHaveLength(13);
  await voice.api.get(`/v1/analytics/usage?${upTo('2026-10-26T00:15')}`).expect(400);
});

test('figures by bot version show the effect of a change', async () => {
  const changing = voice.as(await voice.issueKey('changing'));
  const made = await changing.post('/v1/bots', { name: 'First' }).expect(201);
  const { id } = (made.body as { data: { id: string } }).data;
  const told = async (conversationId: string) => {
    const about = { conversation_id: conversationId, bot_id: id, occurred_at: new Date().toISOString() };
    await changing
      .post('/v1/conversations/events', {
        events: ['conversation.started', 'conversation.ended'].map((type) => ({
          ...about,
          id: `${conversationId}-${type}`,
          type,
        })),
      })
      .expect(200);
  };
  await told('before');
  await changing.patch(`/v1/bots/${id}`, { name: 'Second' }).expect(200);
  await told('after');
  await told('after too');
  for (const query of ['group_by=bot_version', `group_by=bot_version&bot_id=${id}`]) {
    const { groups } = await eventually(async () => {
      const { totals } = await usage(changing, query);
      return totals.conversations === 3 && totals;
    });
    expect(groups!.map(({ key, conversations }) => [key, conversations])).toEqual([
      [`${id}@1`, 1],
      [`${id}@2`, 2],
    ]);
  }
});

test('too many groups and buckets are rejected', async () => {
  const sql = voice.deps.sql;
  const fact = {
    conversations: 1,
    organizationId: 'many',
    channel: 'chat',
    status: 'completed',
    endReason: 'user_hangup',
    errorCode: null,
  };
  await recordConversations(
    sql,
    Array.from({ length: 200 }, (_, index) => ({
      ...fact,
      conversationId: `conv_${index}`,
      botId: `bot_${index}`,
      language: null,
      flowId: null,
      flowVersion: null,
      startedAt: new Date('2026-10-01T00:00:00Z'),
      durationSeconds: null,
      from: null,
      turns: 0,
      interruptions: 0,
      botTurns: 0,
      latencies: { e2e: [], asr: [], llm: [], tts: [] },
    })),
  );
  const many = voice.as(await voice.issueKey('many'));
  const window = 'from=2026-10-01&to=2026-10-06&group_by=bot_id';
  expect(codeOf(await many.get(`/v1/analytics/usage?${window}&interval=hour`).expect(422))).toBe(
    'UNPROCESSABLE',
  );
  expect((await usage(many, `${window}&interval=day`)).totals.groups).toHaveLength(200);
});

test('needs the scope read, and shows only the own organisation', async () => {
  const writer = voice.as(await voice.issueKey('acme', ['write', 'delete']));
  const foreign = voice.as(await voice.issueKey('globex', ['read']));
  for (const ask of [usage, performance]) {
    expect((await ask(voice.api, day)).totals.conversations).toBe(2);
    expect((await ask(foreign, day)).totals.conversations).toBe(0);
    expect((await ask(foreign, `${day}&bot_id=bot_1`)).totals.conversations).toBe(0);
  }
  for (const endpoint of ['usage', 'performance']) {
    const path = `/v1/analytics/${endpoint}?${day}`;
    expect(codeOf(await supertest(voice.server.url).get(path).expect(401))).toBe('UNAUTHORIZED');
    expect(codeOf(await writer.get(path).expect(403))).toBe('INSUFFICIENT_SCOPE');
    const other = await foreign.get(`${path}&organization_id=acme`).expect(403);
    expect(codeOf(other)).toBe('ORGANIZATION_MISMATCH');
  }
});
