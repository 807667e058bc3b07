// Keys that are bound to bots (docs/platform.md#bound-keys): every operation of /openapi.json is either closed to them, or has a probe
// here that looks at something of another bot and at something of their own. A new route is in it by itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { operationsOf, type ApiClient, type Operation } from '@parley/app-testkit';
import { runExports } from '../../src/exports/run-exports.ts';
import { call, event } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

/** How the reference says that an operation is open to them. */
const FOR_BOUND_KEYS = 'A key bound to bots may call it.';

let voice: VoiceApi;
let admin: ApiClient;
let bound: ApiClient;
let boundKey: string;
let ours: string;
let theirs: string;
let made = 0;

beforeAll(async () => {
  voice = await startVoiceApi();
});
afterAll(() => voice.stop());

beforeEach(begin);

/** In an organisation of its own. */
async function begin(): Promise<void> {
  const organizationId = `bound-${(made += 1)}`;
  admin = voice.as(await voice.issueKey(organizationId));
  ours = await newBot();
  theirs = await newBot();
  const issued = dataOf<{ key: string }>(
    await admin
      .post('/v1/api-keys', { name: 'ours', scopes: ['read', 'write', 'delete', 'admin'], bot_ids: [ours] })
      .expect(201),
  );
  boundKey = issued.key;
  bound = voice.as(boundKey);
}

async function newBot(): Promise<string> {
  return dataOf<{ id: string }>(await admin.post('/v1/bots', { name: 'Ada' }).expect(201)).id;
}

async function converse(botId: string): Promise<string> {
  const id = `conversation-${(made += 1)}`;
  await admin.post('/v1/conversations/events', { events: call(id, botId) }).expect(200);
  return id;
}

async function exportBy(api: ApiClient): Promise<string> {
  const { id } = dataOf<{ id: string }>(await api.post('/v1/exports', {}).expect(201));
  await runExports(voice.deps);
  return id;
}

/** What the path of an operation names, of one bot. */
async function placesOf(botId: string): Promise<Record<string, string>> {
  const conversation_id = await converse(botId);
  return {
    conversation_id,
    bot_id: botId,
    export_id: await exportBy(botId === ours ? bound : admin),
    part: '1',
  };
}

async function statusOf({ method, path }: Pick<Operation, 'method' | 'path'>, body?: object) {
  const response = await fetch(voice.server.url + path, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${boundKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // An answer that goes on is not waited for.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const text = isStream ? (await response.body?.cancel(), '') : await response.text();
  return { status: response.status, text };
}

type Probe = (operation: Operation) => Promise<void>;
type Items = { items: Record<string, unknown>[]; next_cursor: string | null };

/** What another bot's is there for nobody of ours, and unchanged afterwards; what is ours is there. */
const oneOfTwo =
  (body?: object): Probe =>
  async ({ method, path }) => {
    const to = (places: Record<string, string>) => ({
      method,
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name]!),
    });
    const others = await placesOf(theirs);
    const before = await rowsOf(others);
    expect(await statusOf(to(others), body)).toMatchObject({ status: 404 });
    expect(await rowsOf(others)).toEqual(before);
    const own = await statusOf(to(await placesOf(ours)), body);
    if (own.status >= 300) throw new Error(`${method} ${path}: ${own.status} ${own.text}`);
  };

async function rowsOf({ conversation_id, bot_id }: Record<string, string>) {
  return voice.deps.sql(
    `SELECT to_jsonb(conversation) AS conversation, to_jsonb(bot) AS bot FROM conversations AS conversation
     JOIN bots AS bot ON bot.id = conversation.bot_id AND bot.organization_id = conversation.organization_id
     WHERE conversation.id = $1 AND bot.id = $2`,
    [conversation_id, bot_id],
  );
}

const probes: Readonly<Record<string, Probe>> = {
  getMyApiKey: async () => {
    const key = dataOf<{ bot_ids: string[] }>(await bound.get('/v1/api-keys/me').expect(200));
    expect(key.bot_ids).toEqual([ours]);
  },
  takeConversationEvents: async () => {
    const [foreign, own] = [`foreign-${(made += 1)}`, `own-${made}`];
    const events = [...call(foreign, theirs), ...call(own, ours)];
    const answer = dataOf<{ accepted: number; rejected: { code: string; index: number }[] }>(
      await bound.post('/v1/conversations/events', { events }).expect(200),
    );
    expect(answer).toMatchObject({ accepted: 6, rejected: Array(6).fill({ code: 'BOT_NOT_OF_KEY' }) });
    expect(answer.rejected.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    await admin.get(`/v1/conversations/${foreign}`).expect(404);
    await admin.get(`/v1/conversations/${own}`).expect(200);
  },
  importVapiCall: () => imported('vapi', 'vapi-end-of-call'),
  importRetellCall: () => imported('retell', 'retell-call-ended'),
  listConversations: async () => {
    const [other, own] = [await converse(theirs), await converse(ours)];
    const list = async (query: string) =>
      dataOf<Items & { total?: number }>(await bound.get(`/v1/conversations?${query}`).expect(200));
    expect((await list('total=true')).items).toMatchObject([{ id: own, bot_id: ours }]);
    expect(await list('total=true')).toMatchObject({ total: 1 });
    expect((await list('q=book')).items).toMatchObject([{ id: own }]);
    expect((await list(`q=${other}`)).items).toEqual([]);
    expect((await list(`bot_id=${theirs}`)).items).toEqual([]);
    expect((await list('sort=started_at&order=asc')).items).toHaveLength(1);
  },
  getConversation: oneOfTwo(),
  getTranscript: oneOfTwo(),
  listRecordedTurns: oneOfTwo(),
  updateConversation: oneOfTwo({ summary: 'They called.' }),
  deleteConversation: oneOfTwo(),
  updateConversations: async () => {
    const [other, own] = [await converse(theirs), await converse(ours)];
    const body = { filter: { channel: 'phone' }, changes: { summary: 'Changed.' } };
    const counted = await bound.post('/v1/conversations/bulk-update', { ...body, dry_run: true }).expect(200);
    expect(dataOf(counted)).toMatchObject({ matched: 1 });
    expect(dataOf(await bound.post('/v1/conversations/bulk-update', body).expect(200))).toMatchObject({
      matched: 1,
    });
    expect(dataOf(await admin.get(`/v1/conversations/${own}`))).toMatchObject({ summary: 'Changed.' });
    expect(dataOf(await admin.get(`/v1/conversations/${other}`))).not.toHaveProperty('summary');
  },
  deleteConversations: async () => {
    const [other, own] = [await converse(theirs), await converse(ours)];
    const body = { filter: { channel: 'phone' } };
    await bound.post('/v1/conversations/bulk-delete', body).expect(200);
    await admin.get(`/v1/conversations/${own}`).expect(404);
    await admin.get(`/v1/conversations/${other}`).expect(200);
  },
  createExport: async () => {
    const [other, own] = [await converse(theirs), await converse(ours)];
    const id = await exportBy(bound);
    const { text } = await bound.get(`/v1/exports/${id}/parts/1`).expect(200);
    expect(text).toContain(own);
    expect(text).not.toContain(other);
  },
  listExports: async () => {
    await exportBy(admin);
    const own = await exportBy(bound);
    expect(dataOf<Items>(await bound.get('/v1/exports').expect(200)).items).toMatchObject([{ id: own }]);
    expect(dataOf<Items>(await admin.get('/v1/exports').expect(200)).items).toHaveLength(2);
  },
  getExport: oneOfTwo(),
  getExportPart: oneOfTwo(),
  listBots: async () => {
    expect(dataOf<Items>(await bound.get('/v1/bots').expect(200)).items).toMatchObject([{ id: ours }]);
  },
  getBot: oneOfTwo(),
  updateBot: oneOfTwo({ name: 'Eve' }),
  deleteBot: oneOfTwo(),
  listBotVersions: oneOfTwo(),
  restoreBot: oneOfTwo(),
  getUsage: () => figures('usage'),
  getPerformance: () => figures('performance'),
  readEvents: async () => {
    const [other, own] = [await converse(theirs), await converse(ours)];
    const { text } = await bound.get('/v1/events').expect(200);
    expect(text).toContain(own);
    expect(text).not.toContain(other);
  },
  streamConversation: oneOfTwo(),
  makeStreamTicket: oneOfTwo({}),
};

/** The vendor's own sample, of a bot that is not ours, leaves nothing. */
async function imported(source: 'vapi' | 'retell', sample: string) {
  const text = readFileSync(join(import.meta.dirname, `../conversations/reports/${sample}.json`), 'utf8');
  const { message, call: ended, ...rest } = JSON.parse(text) as Record<string, { call: object }>;
  const body = (id: string) =>
    message
      ? { ...rest, message: { ...message, call: { ...message.call, id } } }
      : { ...rest, call: { ...ended, call_id: id } };
  const [foreign, own] = [`foreign-${(made += 1)}`, `own-${made}`];
  const to = (botId: string) => `/v1/conversations/import/${source}?bot_id=${botId}`;
  const refused = await bound.post(to(theirs), body(foreign)).expect(403);
  expect(refused.body).toMatchObject({ error: { code: 'BOT_NOT_OF_KEY' } });
  await admin.get(`/v1/conversations/${foreign}`).expect(404);
  await bound.post(to(ours), body(own)).expect(200);
  expect(dataOf(await admin.get(`/v1/conversations/${own}`).expect(200))).toMatchObject({ bot_id: ours });
}

async function figures(kind: 'usage' | 'performance') {
  for (const query of ['', `?bot_id=${theirs}`, '?group_by=bot_id']) {
    const refused = await bound.get(`/v1/analytics/${kind}${query}`).expect(403);
    expect(refused.body).toMatchObject({ error: { code: 'BOT_NOT_OF_KEY' } });
  }
  await bound.get(`/v1/analytics/${kind}?bot_id=${ours}`).expect(200);
}

test('every operation is closed to a bound key, or keeps to its bots', async () => {
  const operations = await operationsOf(voice);
  const open = operations.filter(({ description }) => description.includes(FOR_BOUND_KEYS));
  expect(open.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(probes).sort());
  for (const operation of operations) {
    const probe = probes[operation.operationId];
    if (probe) {
      await begin();
      await probe(operation);
      continue;
    }
    const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
    const { status, text } = await statusOf({ ...operation, path }, operation.takesBody ? {} : undefined);
    expect([operation.operationId, status, text]).toEqual([
      operation.operationId,
      403,
      expect.stringContaining('NOT_FOR_BOUND_KEYS'),
    ]);
  }
});

const report = async (events: object[]) =>
  dataOf<{ accepted: number; rejected: { index: number; code: string; message: string }[] }>(
    await bound.post('/v1/conversations/events', { events }).expect(200),
  );
const codesOf = ({ rejected }: Awaited<ReturnType<typeof report>>) => rejected.map(({ code }) => code);

test('a conversation that is ours goes on without bot_id, and is given to nobody else', async () => {
  const [started, ...rest] = call('goes-on', ours);
  const bare = rest.map(({ bot_id: _, ...one }) => one);
  expect(await report([started!, ...bare])).toMatchObject({ accepted: 6, rejected: [] });
  const later = event('speech.final', 'goes-on', 8, { turn_index: 3, text: 'And?' });
  expect(await report([later])).toMatchObject({ accepted: 1 });
  const given = event('speech.final', 'goes-on', -5, { turn_index: 4, text: 'Mine.' }, { bot_id: theirs });
  expect(codesOf(await report([given]))).toEqual(['BOT_NOT_OF_KEY']);
  expect(dataOf(await admin.get('/v1/conversations/goes-on'))).toMatchObject({ bot_id: ours });
});

test('a conversation of nobody, or of another bot, is not to be taken; both are refused alike', async () => {
  const said = (id: string, more = {}) => event('speech.final', id, 1, { turn_index: 0, text: 'Hi.' }, more);
  await admin.post('/v1/conversations/events', { events: [said('nobodys')] }).expect(200);
  await admin.post('/v1/conversations/events', { events: call('others', theirs) }).expect(200);
  const mine = { bot_id: ours };
  const answers = [
    await report([said('nobodys', mine)]),
    await report([said('others', mine)]),
    await report([said('others')]),
    await report([said('unheard-of')]),
  ];
  expect(answers.map(codesOf)).toEqual(Array(4).fill(['BOT_NOT_OF_KEY']));
  expect(new Set(answers.map(({ rejected }) => rejected[0]!.message)).size).toBe(1);
  expect(dataOf(await admin.get('/v1/conversations/nobodys'))).toMatchObject({ bot_id: null });
  expect(dataOf(await admin.get('/v1/conversations/others'))).toMatchObject({ bot_id: theirs });
  await admin.get('/v1/conversations/unheard-of').expect(404);
  // As if it had never come: the same event is taken once it says for whom.
  const again = said('unheard-of');
  expect(codesOf(await report([again]))).toEqual(['BOT_NOT_OF_KEY']);
  expect(await report([{ ...again, bot_id: ours }])).toMatchObject({ accepted: 1 });
});

test('what is reported to the feed moves on behind events of others', async () => {
  await converse(theirs);
  const read = async (after = '') =>
    dataOf<{ items: unknown[]; next_after: string }>(await bound.get(`/v1/events${after}`).expect(200));
  const first = await read();
  expect(first.items).toEqual([]);
  expect(first.next_after).not.toMatch(/^0-/);
  const own = await converse(ours);
  const next = await read(`?after=${first.next_after}`);
  expect(next.items).not.toHaveLength(0);
  expect(JSON.stringify(next.items)).toContain(own);
});

test('a successor is bound to the same bots, and a bound key with admin is not the last one', async () => {
  const organizationId = `bound-${(made += 1)}`;
  const api = voice.as(await voice.issueKey(organizationId));
  const issue = (body: object) => api.post('/v1/api-keys', { name: 'x', scopes: ['admin'], ...body });
  const { id } = dataOf<{ id: string }>(await issue({ bot_ids: ['a', 'b'] }).expect(201));
  const next = dataOf<{ bot_ids: string[]; key: string }>(
    await api.post(`/v1/api-keys/${id}/rotate`, { grace_seconds: 60 }).expect(201),
  );
  expect(next.bot_ids).toEqual(['a', 'b']);
  expect(dataOf<Items>(await voice.as(next.key).get('/v1/bots').expect(200)).items).toEqual([]);
  const me = dataOf<{ id: string }>(await api.get('/v1/api-keys/me').expect(200));
  const last = await api.delete(`/v1/api-keys/${me.id}`).expect(409);
  expect(last.body).toMatchObject({ error: { code: 'CONFLICT' } });
  await issue({ bot_ids: ['a', 'a'] }).expect(400);
  await issue({ bot_ids: [''] }).expect(400);
  await issue({ bot_ids: Array.from({ length: 101 }, (_, at) => `bot-${at}`) }).expect(400);
});
