// Changes after the call and deletion, singly and by filter. A deletion leaves nothing in any table
// or in Redis (docs/voice-api.md#changing-conversations, docs/voice-api.md#deletion).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { foldFacts } from '../../src/analytics/fold-facts.ts';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { event, read, send, sentEvents } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf, forgetWebhooks, LOOPBACK, registered } from '../webhooks.ts';

jest.setTimeout(120_000);

let service: VoiceApi;
let outside: Receiver;
beforeAll(async () => {
  service = await startVoiceApi({ env: LOOPBACK, workers: true });
});
afterAll(() => service.stop());
beforeEach(async () => {
  outside = await receiver();
});
afterEach(async () => {
  await outside.close();
  await forgetWebhooks(service);
});

const later = () => ({ ...service.deps, clock: () => Date.now() + 60_000 });
async function settleAll(): Promise<void> {
  while ((await settleDue(later())) > 0);
}
const patch = (id: string, body: object) => service.api.patch(`/v1/conversations/${id}`, body);

describe('after the call', () => {
  const said = {
    metadata: { crm: { case: 7, open: true } },
    tags: ['vip', 'refund'],
    recording_url: 'https://recordings.example.com/1.wav',
    summary: 'They want their money back.',
    sentiment: 'negative',
    success: false,
    cost: { currency: 'EUR', total: 0.42, parts: [{ name: 'llm', amount: 0.42 }] },
    analysis: { topics: ['refund'], score: { value: 3 } },
  };

  test('data is stored, found and removed again', async () => {
    await send(service, [event('conversation.started', 'patched', 0, { metadata: { plan: 'gold' } })]);
    const changed = dataOf<object>(await patch('patched', said).expect(200));
    expect(changed).toMatchObject({ id: 'patched', status: 'in_progress', ...said });
    expect(await read(service, 'patched')).toMatchObject(said);
    const listed = dataOf<{ items: { id: string }[] }>(
      await service.api.get('/v1/conversations?tags=vip,refund').expect(200),
    );
    expect(listed.items.map(({ id }) => id)).toEqual(['patched']);
    const less = dataOf<object>(await patch('patched', { summary: null, cost: null, tags: [] }).expect(200));
    expect(less).toMatchObject({ sentiment: 'negative', metadata: said.metadata });
    for (const gone of ['summary', 'cost', 'tags']) expect(less).not.toHaveProperty(gone);
  });

  test('events do not change data that was set', async () => {
    await send(service, [event('conversation.started', 'set', 0, { metadata: { plan: 'gold' } })]);
    await patch('set', { metadata: { mine: 1 }, cost: null }).expect(200);
    await patch('set', { recording_url: said.recording_url }).expect(200);
    await send(service, [
      event('conversation.ended', 'set', 9, {
        metadata: { theirs: '1' },
        cost: { currency: 'USD', total: 1 },
        recording_url: 'https://example.com/other.wav',
      }),
    ]);
    await settleAll();
    const one = await read(service, 'set');
    expect(one).toMatchObject({ metadata: { mine: 1 }, recording_url: said.recording_url });
    expect(one).not.toHaveProperty('cost');
  });

  test.each([
    ['nothing', {}],
    ['an unknown member', { sumary: 'x' }],
    ['metadata that is not an object', { metadata: [1] }],
    ['too much metadata', { metadata: { k: 'x'.repeat(16 * 1024) } }],
    ['too much analysis', { analysis: { k: 'x'.repeat(64 * 1024) } }],
    ['an invalid address', { recording_url: 'javascript:alert(1)' }],
    ['an invalid currency', { cost: { currency: 'euro', total: 1 } }],
  ])('rejects %s', async (_what, body) => {
    await patch('patched', body).expect(400);
  });

  test('unknown and inaccessible conversations are 404', async () => {
    await patch('nobody', { summary: 'x' }).expect(404);
    const other = service.as(await service.issueKey('globex'));
    await other.patch('/v1/conversations/patched', { summary: 'x' }).expect(404);
    await other.delete('/v1/conversations/patched').expect(404);
  });

  test('all matches of a filter are changed in batches', async () => {
    await send(
      service,
      Array.from({ length: 450 }, (_, index) =>
        event('conversation.started', `bulk-${index}`, 0, {}, { bot_id: index < 440 ? 'bulk' : 'other' }),
      ),
    );
    const filter = { bot_id: 'bulk' };
    const bulk = (body: object) => service.api.post('/v1/conversations/bulk-update', body);
    const changes = { tags: ['checked'] };
    expect(dataOf(await bulk({ filter, changes, dry_run: true }).expect(200))).toEqual({
      dry_run: true,
      matched: 440,
      next_cursor: null,
    });
    expect(dataOf(await bulk({ filter, changes }).expect(200))).toMatchObject({ matched: 440 });
    const [tagged] = await service.deps.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM conversations WHERE tags @> '{checked}'`,
    );
    expect(tagged!.count).toBe(440);
    await bulk({ filter: {}, changes }).expect(400);
    await bulk({ filter, changes: {} }).expect(400);
    await bulk({ filter: { bot: 'bulk' }, changes }).expect(400);
  });
});

const CANARY = 'zanzibarcanary';

/** All places that contain a text. */
async function traces(of = CANARY): Promise<string[]> {
  const tables = await service.deps.sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.deps.sql<{ row: string }>(
      `SELECT one::text AS row FROM "${name}" AS one WHERE one::text ILIKE '%' || $1 || '%'`,
      [of],
    );
    if (rows.length > 0) found.push(`${name}: ${rows[0]!.row}`);
  }
  const redis = new Redis(service.env['QUEUE_URL'] as string);
  for (const key of await redis.keys('*')) {
    const dump = await redis.dumpBuffer(key);
    if (key.includes(of) || dump?.includes(of)) found.push(`redis ${key}`);
  }
  redis.disconnect();
  return found;
}

function tell(id: string): object[] {
  const more = { bot_id: 'canaries' };
  return [
    event(
      'conversation.started',
      id,
      0,
      { from: `+1${CANARY}`, to: CANARY, metadata: { [CANARY]: CANARY } },
      more,
    ),
    event('speech.final', id, 1, { turn_index: 0, text: `I am ${CANARY}`, words: [{ word: CANARY }] }, more),
    event('tool.called', id, 2, { turn_index: 1, text: CANARY }, more),
    event('conversation.error', id, 3, { code: CANARY, message: CANARY, fatal: false }, more),
    event(
      'conversation.ended',
      id,
      4,
      { end_reason: CANARY, recording_url: `https://${CANARY}.example.com/` },
      more,
    ),
  ];
}

describe('deletion', () => {
  test('leaves nothing in any table or in Redis, and notifies webhooks', async () => {
    outside.script(...Array.from({ length: 3 }, () => ({ status: 500, body: `no ${CANARY}` })));
    const webhook = await registered(service, outside.url);
    await send(service, tell('erased'));
    await patch('erased', { summary: CANARY, tags: [CANARY], analysis: { [CANARY]: 1 } }).expect(200);
    await settleAll();
    await outside.received(3); // the end is emitted a minute from now
    await foldFacts(service.deps.pool, service.deps.sql);
    await eventually(async () => (await traces()).some((one) => one.startsWith('webhook_delivery_attempts')));
    expect((await traces()).map((one) => one.split(':')[0])).toEqual(
      expect.arrayContaining(['conversations', 'turns', 'conversation_events', 'webhook_events']),
    );
    const callers = () =>
      service.deps.sql<{ digest: string }>(
        `SELECT encode(digest, 'hex') AS digest FROM analytics_callers WHERE organization_id = 'acme' ORDER BY number`,
      );
    // Another fold may be under way.
    await eventually(async () => (await callers()).length > 0);
    const before = await callers();

    const answer = dataOf<{ erased: Record<string, number> }>(
      await service.api.delete('/v1/conversations/erased').expect(200),
    );
    expect(answer).toEqual({
      id: 'erased',
      deleted: true,
      erased: {
        conversations: 1,
        turns: 2,
        recorded_turns: 0,
        events: 5,
        webhook_events: 5,
        deliveries: 5,
        callers: 1,
        recording_copies: 0,
      },
    });
    await eventually(async () => (await traces()).length === 0);
    // The flow builder erases what it handed over.
    const messages = await service.deps.sql<{ payload: string }>(
      `SELECT payload FROM outbox WHERE contract = 'conversation.erased' AND organization_id = 'acme'`,
    );
    expect(messages).toEqual([{ payload: JSON.stringify({ conversation_ids: ['erased'] }) }]);
    const after = await callers();
    expect(after).toHaveLength(before.length);
    expect(after.at(-1)).not.toEqual(before.at(-1));
    const told = await sentEvents(service, 'erased');
    expect(told).toMatchObject([
      {
        event: 'conversation.deleted',
        data: { conversation_id: 'erased', bot_id: 'canaries', metadata: {}, sequence: 6 },
      },
    ]);
    await service.api.get('/v1/conversations/erased').expect(404);
    await service.api.delete('/v1/conversations/erased').expect(404);
    const query = 'from=2026-01-15&to=2026-01-16&bot_id=canaries';
    const usage = dataOf<{ totals: object }>(
      await service.api.get(`/v1/analytics/usage?${query}`).expect(200),
    );
    expect(usage.totals).toMatchObject({ conversations: 1, unique_callers: 1 });
    await service.api.delete(`/v1/webhooks/${webhook.id}`).expect(200);
  });

  test('is not undone by late events', async () => {
    await send(service, tell('late'));
    await service.api.delete('/v1/conversations/late').expect(200);
    const late = tell('late');
    expect(await send(service, [...late, event('conversation.started', 'not-late', 0)])).toMatchObject({
      accepted: 1,
      rejected: late.map((_, index) => ({ index, code: 'CONVERSATION_DELETED' })),
    });
    await service.api.get('/v1/conversations/late').expect(404);
    expect(await traces()).toEqual([]);
    const [left] = await service.deps.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM conversations WHERE id = 'late'`,
    );
    expect(left!.count).toBe(0);
  });

  test('anonymises a caller with the last of their conversations', async () => {
    await send(service, [...tell('first'), ...tell('second')]);
    await settleAll();
    const erased = async (id: string) =>
      dataOf<{ erased: { callers: number } }>(await service.api.delete(`/v1/conversations/${id}`).expect(200))
        .erased.callers;
    expect([await erased('first'), await erased('second')]).toEqual([0, 1]);
  });

  test('by filter counts first, then deletes only matches of the organisation', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `gone-${index}`);
    const started = (id: string, bot_id: string) => event('conversation.started', id, 0, {}, { bot_id });
    await send(service, [...ids.map((id) => started(id, 'leaving')), started('stays', 'staying')]);
    const other = { api: service.as(await service.issueKey('globex')) };
    await send(other, [started('theirs', 'leaving')]);
    const bulk = (body: object) => service.api.post('/v1/conversations/bulk-delete', body);
    const filter = { bot_id: 'leaving' };
    expect(dataOf(await bulk({ filter, dry_run: true }).expect(200))).toMatchObject({ matched: 250 });
    await service.api.get('/v1/conversations/gone-0').expect(200);
    expect(dataOf(await bulk({ filter }).expect(200))).toMatchObject({
      dry_run: false,
      matched: 250,
      next_cursor: null,
      erased: { conversations: 250, events: 250 },
    });
    await service.api.get('/v1/conversations/gone-0').expect(404);
    await service.api.get('/v1/conversations/stays').expect(200);
    await other.api.get('/v1/conversations/theirs').expect(200);
    await bulk({ filter: {} }).expect(400);
    await bulk({}).expect(400);
    const writer = service.as(await service.issueKey('acme', ['read', 'write']));
    await writer.post('/v1/conversations/bulk-delete', { filter }).expect(403);
    const audited = dataOf<{ items: object[] }>(
      await service.api.get('/v1/audit-log?action=conversations.deleted').expect(200),
    );
    expect(audited.items).toMatchObject([{ details: { count: 50 } }, { details: { count: 200 } }]);
  });
});
