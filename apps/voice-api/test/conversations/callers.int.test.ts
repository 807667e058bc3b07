// Callers: read from conversations, and erased with all of them (docs/voice-api.md#callers).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { at, event, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';

jest.setTimeout(120_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
  const talk = (id: string, seconds: number, data: Record<string, unknown>) => [
    event('conversation.started', id, seconds, { channel: 'phone', direction: 'inbound', ...data }),
    event('conversation.ended', id, seconds + 10, { end_reason: 'silence' }),
  ];
  await send(service, [
    ...talk('tel-1', 100, { from: '+49 30 555-01', language: 'de' }),
    ...talk('tel-2', 200, { from: '0049 (30) 55501', language: 'en' }),
    ...talk('tel-3', 300, { direction: 'outbound', from: '+1', to: 'sip:+493055501@carrier.example' }),
    ...talk('mail-1', 400, { channel: 'chat', from: 'Jane@Example.com' }),
    ...talk('web-1', 500, { channel: 'web', from: '12345' }),
    ...talk('own-1', 600, { from: '+4915112345', metadata: { customer_id: '4711' } }),
    ...talk('own-2', 50, { from: '+4915199999', metadata: { customer_id: '4711' } }),
    ...talk('nobody', 700, {}),
  ]);
  await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 });
  const other = { api: service.as(await service.issueKey('globex')) };
  await send(other, talk('theirs', 800, { from: '+493055501' }));
});
afterAll(() => service.stop());

interface Caller {
  id: string;
}
const list = async (query = '') =>
  (
    (await service.api.get(`/v1/callers?${query}`).expect(200)).body as {
      data: { items: Caller[]; next_cursor: string | null };
    }
  ).data;
const path = (id: string) => `/v1/callers/${encodeURIComponent(id)}`;

test('the caller of the latest conversation comes first, each once', async () => {
  const expected = ['id:4711', 'id:12345', 'mailto:jane@example.com', 'tel:+493055501'];
  expect((await list()).items.map(({ id }) => id)).toEqual(expected);
  const paged: string[] = [];
  for (let cursor = ''; ;) {
    const { items, next_cursor } = await list(`limit=1${cursor}`);
    paged.push(...items.map(({ id }) => id));
    if (next_cursor === null) break;
    cursor = `&cursor=${next_cursor}`;
  }
  expect(paged).toEqual(expected);
});

test('a caller has its conversations, languages and outcomes', async () => {
  const answer = await service.api.get(path('tel:+493055501')).expect(200);
  expect(answer.body).toMatchObject({
    data: {
      id: 'tel:+493055501',
      kind: 'phone',
      addresses: ['+49 30 555-01', '0049 (30) 55501', 'sip:+493055501@carrier.example'].sort(),
      conversations: 3,
      first_at: at(100),
      last_at: at(300),
      last_conversation_id: 'tel-3',
      languages: ['de', 'en'],
      outcomes: { completed: 3 },
      end_reasons: { silence: 3 },
    },
  });
  await service.api.get(path('tel:+1')).expect(404);
  await service.api.get(path('id:nobody')).expect(404);
});

test('caller is a filter of conversations', async () => {
  const answer = await service.api.get('/v1/conversations?caller=id:4711&total=true').expect(200);
  expect(answer.body).toMatchObject({ data: { total: 2, items: [{ id: 'own-1' }, { id: 'own-2' }] } });
});

test('both read an index', async () => {
  const [row] = await service.deps.sql<{ 'QUERY PLAN': unknown }>(
    `EXPLAIN (FORMAT JSON) SELECT * FROM conversations WHERE organization_id = 'acme'
       AND caller_of(channel, direction, from_address, to_address, metadata) = 'tel:+1'
     ORDER BY coalesce(started_at, created_at) DESC, id DESC LIMIT 10`,
  );
  expect(JSON.stringify(row)).toContain('conversations_caller_idx');
});

test('a caller is erased with all conversations, and the certificate has no personal data', async () => {
  const dry = await service.api.delete(`${path('tel:+493055501')}?dry_run=true`).expect(200);
  expect(dry.body).toMatchObject({ data: { dry_run: true, matched: 3, complete: false, certificate: null } });
  const answer = await service.api.delete(path('tel:+493055501')).expect(200);
  const { data } = answer.body as { data: { certificate: { caller_sha256: string } } };
  const digest = createHash('sha256').update('["acme","tel:+493055501"]').digest('hex');
  expect(data).toMatchObject({
    complete: true,
    matched: 3,
    certificate: { organization_id: 'acme', caller_sha256: digest, erased: { conversations: 3 } },
  });
  expect(JSON.stringify(data.certificate)).not.toContain('55501');
  await service.api.get(path('tel:+493055501')).expect(404);
  // As after a crash before the certificate: the request is repeated.
  const again = await service.api.delete(path('tel:+493055501')).expect(200);
  expect(again.body).toMatchObject({ data: { matched: 0, certificate: { caller_sha256: digest } } });
  await service.api.get('/v1/conversations/tel-1').expect(404);
  const left = await service.deps.sql(
    `SELECT 1 FROM conversation_events WHERE conversation_id = ANY('{tel-1,tel-2,tel-3}')`,
  );
  expect(left).toEqual([]);
  const [entry] = await service.deps.sql<{ target: string; details: object }>(
    `SELECT target, details FROM audit_log WHERE action = 'caller.erased' ORDER BY at, id LIMIT 1`,
  );
  expect(entry).toEqual({ target: digest, details: { count: 3 } });
  const other = service.as(await service.issueKey('globex'));
  await other.get(path('tel:+493055501')).expect(200);
  // Notifications are asked to erase the same person, once for each complete erasure.
  const asked = await service.deps.sql<{ payload: string }>(
    `SELECT payload FROM outbox WHERE contract = 'person.erased' AND organization_id = 'acme'`,
  );
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked)).not.toContain('55501'); // sealed
});

test('an id that no person can have is certified, and notifications are not asked', async () => {
  const api = service.as(await service.issueKey('initech'));
  for (const id of ['id:', '\u202E\u0007', `id:${'a'.repeat(280)}`]) {
    const erased = await api.delete(`/v1/callers/${encodeURIComponent(id)}`).expect(200);
    expect(erased.body).toMatchObject({
      data: { complete: true, certificate: { organization_id: 'initech' } },
    });
  }
  const asked = await service.deps.sql(
    `SELECT 1 AS one FROM outbox WHERE contract = 'person.erased' AND organization_id = 'initech'`,
  );
  expect(asked).toEqual([]);
});
