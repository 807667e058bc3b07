// Probes of operations that are open to bound keys (docs/platform.md#bound-keys): data of another
// bot, and data of their own. Used by bound-keys.int.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Operation } from '@parley/testing-services';
import { eventually } from '@parley/testing';
import { call } from '../events.ts';
import { dataOf } from '../webhooks.ts';
import { named, type Items, type TwoBots } from './two-bots.ts';

export type Probe = (world: TwoBots, operation: Operation) => Promise<void>;

/** Data of another bot is invisible and unchanged afterwards; own data is visible. */
const oneOfTwo =
  (body?: object): Probe =>
  async ({ placesOf, rowsOf, statusOf, ours, theirs }, { method, path }) => {
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

const LONG_AGO = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };

/** By operation id. */
export const probes: Readonly<Record<string, Probe>> = {
  getMyApiKey: async ({ bound, ours }) => {
    const key = dataOf<{ bot_ids: string[] }>(await bound.get('/v1/api-keys/me').expect(200));
    expect(key.bot_ids).toEqual([ours]);
  },
  takeConversationEvents: async ({ admin, bound, ours, theirs }) => {
    const [foreign, own] = [named('foreign'), named('own')];
    const events = [...call(foreign, theirs), ...call(own, ours)];
    const answer = dataOf<{ accepted: number; rejected: { code: string; index: number }[] }>(
      await bound.post('/v1/conversations/events', { events }).expect(200),
    );
    expect(answer).toMatchObject({ accepted: 6, rejected: Array(6).fill({ code: 'BOT_NOT_OF_KEY' }) });
    expect(answer.rejected.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    await admin.get(`/v1/conversations/${foreign}`).expect(404);
    await admin.get(`/v1/conversations/${own}`).expect(200);
  },
  importVapiCall: (world) => imported(world, 'vapi', 'vapi-end-of-call'),
  importRetellCall: (world) => imported(world, 'retell', 'retell-call-ended'),
  importElevenLabsCall: (world) => imported(world, 'elevenlabs', 'elevenlabs-transcription'),
  importLiveKitCall: (world) => imported(world, 'livekit', 'livekit-room-finished'),
  listConversations: async ({ bound, ours, theirs, converse }) => {
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
  getRecording: oneOfTwo(),
  listRecordedTurns: oneOfTwo(),
  updateConversation: oneOfTwo({ summary: 'They called.' }),
  deleteConversation: oneOfTwo(),
  holdConversation: oneOfTwo({ reason: 'A case' }),
  releaseConversation: oneOfTwo(),
  updateConversations: async ({ admin, bound, ours, theirs, converse }) => {
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
  deleteConversations: async ({ admin, bound, ours, theirs, converse }) => {
    const [other, own] = [await converse(theirs), await converse(ours)];
    const body = { filter: { channel: 'phone' } };
    await bound.post('/v1/conversations/bulk-delete', body).expect(200);
    await admin.get(`/v1/conversations/${own}`).expect(404);
    await admin.get(`/v1/conversations/${other}`).expect(200);
  },
  listCallers: async ({ bound, ours, theirs, converse }) => {
    const [, own] = [await converse(theirs), await converse(ours)];
    const { items } = dataOf<Items>(await bound.get('/v1/callers').expect(200));
    expect(items).toMatchObject([{ conversations: 1, last_conversation_id: own }]);
  },
  getCaller: async ({ bound, ours, theirs, converse }) => {
    const [, own] = [await converse(theirs), await converse(ours)];
    const answer = await bound.get('/v1/callers/tel:%2B15550100').expect(200);
    expect(dataOf(answer)).toMatchObject({ conversations: 1, last_conversation_id: own });
  },
  eraseCaller: async ({ admin, bound, ours, theirs, converse }) => {
    const [other, own] = [await converse(theirs), await converse(ours)];
    const answer = await bound.delete('/v1/callers/tel:%2B15550100').expect(200);
    expect(dataOf(answer)).toMatchObject({ matched: 1 });
    await admin.get(`/v1/conversations/${own}`).expect(404);
    await admin.get(`/v1/conversations/${other}`).expect(200);
  },
  createExport: async ({ bound, ours, theirs, converse, exportBy, webhookOf }) => {
    const [others, ofOurs] = [await webhookOf([]), await webhookOf([ours])];
    const [other, own] = [await converse(theirs), await converse(ours)];
    const id = await exportBy(bound);
    const { text } = await bound.get(`/v1/exports/${id}/parts/1`).expect(200);
    expect(text).toContain(own);
    expect(text).not.toContain(other);
    const deliveries = await exportBy(bound, { of: 'deliveries' });
    const told = await bound.get(`/v1/exports/${deliveries}/parts/1`).expect(200);
    expect(told.text).toContain(ofOurs);
    expect(told.text).not.toContain(others);
    expect(told.text).not.toContain(other);
  },
  listExports: async ({ admin, bound, exportBy }) => {
    await exportBy(admin);
    const own = await exportBy(bound);
    expect(dataOf<Items>(await bound.get('/v1/exports').expect(200)).items).toMatchObject([{ id: own }]);
    expect(dataOf<Items>(await admin.get('/v1/exports').expect(200)).items).toHaveLength(2);
  },
  getExport: oneOfTwo(),
  getExportPart: oneOfTwo(),
  listBots: async ({ bound, ours }) => {
    expect(dataOf<Items>(await bound.get('/v1/bots').expect(200)).items).toMatchObject([{ id: ours }]);
  },
  getBot: oneOfTwo(),
  updateBot: oneOfTwo({ name: 'Eve' }),
  deleteBot: oneOfTwo(),
  listBotVersions: oneOfTwo(),
  restoreBot: oneOfTwo(),
  getUsage: (world) => figures(world, 'usage'),
  getPerformance: (world) => figures(world, 'performance'),
  readEvents: async ({ bound, ours, theirs, converse }) => {
    const [other, own] = [await converse(theirs), await converse(ours)];
    let told = '';
    // The feed ends at open transactions, which other tests may have.
    await eventually(async () => {
      told = (await bound.get('/v1/events').expect(200)).text;
      return told.includes(own);
    });
    expect(told).not.toContain(other);
  },
  registerWebhook: async ({ bound, ours, theirs }) => {
    const register = (more: object) =>
      bound.post('/v1/webhooks', { url: 'https://8.8.8.8/hook', events: ['*'], ...more });
    for (const more of [{}, { bot_ids: [] }, { bot_ids: [theirs] }, { bot_ids: [ours, theirs] }]) {
      const refused = await register(more).expect(403);
      expect(refused.body).toMatchObject({ error: { code: 'BOT_NOT_OF_KEY' } });
    }
    const secret = { authorization: 'secret://crm' };
    const refused = await register({ bot_ids: [ours], headers: secret }).expect(403);
    expect(refused.body).toMatchObject({ error: { code: 'NOT_FOR_BOUND_KEYS' } });
    await register({ bot_ids: [ours], headers: { authorization: 'Bearer of-mine' } }).expect(201);
  },
  listEventTypes: async ({ bound }) => {
    expect(dataOf<Items>(await bound.get('/v1/event-types').expect(200)).items).not.toEqual([]);
  },
  listWebhooks: async ({ bound, ours, theirs, webhookOf }) => {
    for (const bots of [[], [theirs], [ours, theirs]]) await webhookOf(bots);
    const own = await webhookOf([ours]);
    expect(dataOf<Items>(await bound.get('/v1/webhooks').expect(200)).items).toMatchObject([{ id: own }]);
  },
  getWebhook: oneOfTwo(),
  changeWebhook: async (world, operation) => {
    const { bound, ours, theirs, webhookOf } = world;
    await oneOfTwo({ description: 'Changed.', bot_ids: [ours] })(world, operation);
    const own = await webhookOf([ours]);
    for (const [change, code] of [
      [{ bot_ids: [] }, 'BOT_NOT_OF_KEY'],
      [{ bot_ids: [ours, theirs] }, 'BOT_NOT_OF_KEY'],
      [{ url: 'https://8.8.8.8/other' }, 'NOT_FOR_BOUND_KEYS'],
      [{ headers: { 'x-key': 'secret://crm' } }, 'NOT_FOR_BOUND_KEYS'],
    ] as const) {
      const refused = await bound.patch(`/v1/webhooks/${own}`, change).expect(403);
      expect(refused.body).toMatchObject({ error: { code } });
    }
  },
  deleteWebhook: oneOfTwo(),
  testWebhook: oneOfTwo({}),
  rotateWebhookSecret: oneOfTwo({}),
  listAllDeliveries: async ({ admin, bound, ours, theirs, converse, webhookOf, deliveriesBy }) => {
    const [others, own] = [await webhookOf([]), await webhookOf([ours])];
    const conversation = await converse(ours);
    await converse(theirs);
    for (const query of ['', `?conversation_id=${conversation}`]) {
      const { items } = dataOf<Items>(await bound.get(`/v1/deliveries${query}`).expect(200));
      expect(new Set(items.map(({ webhook_id }) => webhook_id))).toEqual(new Set([own]));
    }
    const [ofAll] = await deliveriesBy(admin, others);
    const ofEvent = await bound.get(`/v1/deliveries?event_id=${String(ofAll!['event_id'])}`).expect(200);
    expect(dataOf<Items>(ofEvent).items.map(({ webhook_id }) => webhook_id)).not.toContain(others);
    await bound.get(`/v1/deliveries/${String(ofAll!['id'])}`).expect(404);
  },
  getDeliveryOfAll: oneOfTwo(),
  listDeliveries: oneOfTwo(),
  getDelivery: oneOfTwo(),
  retryDelivery: oneOfTwo(),
  replayDeliveries: oneOfTwo({ ...LONG_AGO, dry_run: true }),
  verifyDelivery: oneOfTwo({ body: '{}', headers: {} }),
  streamConversation: oneOfTwo(),
  makeStreamTicket: oneOfTwo({}),
};

/** A report about the call with that id. */
const CALL_IDS = {
  vapi: ({ message, ...rest }: Record<string, { call: object }>, id: string) => ({
    ...rest,
    message: { ...message, call: { ...message!.call, id } },
  }),
  retell: ({ call: ended, ...rest }: Record<string, object>, id: string) => ({
    ...rest,
    call: { ...ended, call_id: id },
  }),
  elevenlabs: ({ data, ...rest }: Record<string, object>, id: string) => ({
    ...rest,
    data: { ...data, conversation_id: id },
  }),
  livekit: ({ room, ...rest }: Record<string, object>, id: string) => ({
    ...rest,
    room: { ...room, name: id },
  }),
};

/** The vendor's sample of another bot leaves nothing. */
async function imported(
  { admin, bound, ours, theirs }: TwoBots,
  source: keyof typeof CALL_IDS,
  sample: string,
) {
  const text = readFileSync(join(import.meta.dirname, `../conversations/reports/${sample}.json`), 'utf8');
  const body = (id: string) => CALL_IDS[source](JSON.parse(text) as Record<string, { call: object }>, id);
  const [foreign, own] = [named('foreign'), named('own')];
  const to = (botId: string) => `/v1/conversations/import/${source}?bot_id=${botId}`;
  const refused = await bound.post(to(theirs), body(foreign)).expect(403);
  expect(refused.body).toMatchObject({ error: { code: 'BOT_NOT_OF_KEY' } });
  await admin.get(`/v1/conversations/${foreign}`).expect(404);
  await bound.post(to(ours), body(own)).expect(200);
  expect(dataOf(await admin.get(`/v1/conversations/${own}`).expect(200))).toMatchObject({ bot_id: ours });
}

async function figures({ bound, ours, theirs }: TwoBots, kind: 'usage' | 'performance') {
  for (const query of ['', `?bot_id=${theirs}`, '?group_by=bot_id']) {
    const refused = await bound.get(`/v1/analytics/${kind}${query}`).expect(403);
    expect(refused.body).toMatchObject({ error: { code: 'BOT_NOT_OF_KEY' } });
  }
  await bound.get(`/v1/analytics/${kind}?bot_id=${ours}`).expect(200);
}
