// The fan-out of a topic: a killed worker loses and repeats nothing, one of two workers writes, a
// large topic delays nobody, and it never runs far ahead of its deliveries.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setOrganization } from '@parley/server/organizations';
import { eventually } from '@parley/testing';
import { sweepTopicSends } from '../../src/topic-sends/topic-worker.ts';
import {
  CHUNK_MEMBERS,
  createTopicSendClaim,
  createTopicSender,
  sendChunk,
} from '../../src/topic-sends/send-topic.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from '../service.ts';
import { never } from '../work.ts';

const LEASE_MS = 500;

let service: NotificationsUnderTest;
let organization = '';
let counter = 0;
beforeAll(async () => {
  service = await startNotifications({
    leaseMs: LEASE_MS,
    env: {
      CHAT: 'https://chat.example/hook',
      SETTING_DEFAULTS: JSON.stringify({ chat_webhook_url: 'env://CHAT' }),
    },
  });
});
afterAll(() => service.stop());
beforeEach(() => {
  counter += 1;
  organization = `org-${counter}`;
});

async function readTopic(count: number, of = organization): Promise<void> {
  const { sql } = service.deps;
  await sql(
    'INSERT INTO topics (organization_id, id, member_count, created_at, updated_at) VALUES ($1, $2, $3, now(), now())',
    [of, 'all', count],
  );
  await sql(
    `INSERT INTO topic_members (organization_id, topic_id, user_id, created_at)
     SELECT $1::text, 'all', 'user-' || n, now() - interval '1 second' FROM generate_series(1, $2::int) AS n`,
    [of, count],
  );
}

async function send(body: object = {}, of = organization): Promise<string> {
  const api = service.as(await service.issueKey(of));
  const request = { channels: ['in_app'], message: 'To all.', target: { topic_id: 'all' }, ...body };
  const accepted = await readBody(api.post('/v1/notify', request).expect(202));
  return (accepted as { notification_id: string }).notification_id;
}

interface Row {
  outcome: string | null;
  targeted: number;
  done_id: string;
  due_at: Date;
}
const findRow = async (id: string) =>
  (
    await service.deps.sql<Row>('SELECT outcome, targeted, done_id, due_at FROM topic_sends WHERE id = $1', [
      id,
    ])
  )[0]!;

/** Users with items, and items in all. */
async function items(of = organization) {
  const [row] = await service.deps.sql<{ users: number; items: number }>(
    'SELECT count(DISTINCT user_id)::int AS users, count(*)::int AS items FROM in_app_items WHERE organization_id = $1',
    [of],
  );
  return row!;
}

async function work(ids: readonly string[], until: () => Promise<boolean>): Promise<void> {
  const sender = createTopicSender(service.deps);
  await eventually(
    async () => {
      for (const id of ids) await sender.accept([id], never);
      return until();
    },
    { timeoutMs: 60_000 },
  );
  await sender.close();
}

test('a worker that is killed in the middle: every member has one item, none has two', async () => {
  const count = 5 * CHUNK_MEMBERS + 7;
  await readTopic(count);
  const id = await send();
  const [claimed] = await createTopicSendClaim(service.deps)([id], 'killed');
  const at = (await sendChunk(service.deps, claimed!, 'killed', '')) as string;
  // Killed here, with its second chunk planned and not committed; the lease runs out.
  expect(await items()).toEqual({ users: CHUNK_MEMBERS, items: CHUNK_MEMBERS });
  await work([id], async () => (await findRow(id)).outcome === 'sent');
  expect(await items()).toEqual({ users: count, items: count });
  expect(await findRow(id)).toMatchObject({ targeted: count });
  // It was only slow and continues, but another worker holds the row.
  expect(await sendChunk(service.deps, claimed!, 'killed', at)).toBeNull();
  expect(await items()).toEqual({ users: count, items: count });
});

test('of two workers with the same send, the one that lost the claim writes nothing', async () => {
  await readTopic(2 * CHUNK_MEMBERS);
  const id = await send();
  const [claimed] = await createTopicSendClaim(service.deps)([id], 'first');
  await service.deps.sql("UPDATE topic_sends SET lease = 'second' WHERE id = $1", [id]);
  expect(await sendChunk(service.deps, claimed!, 'first', '')).toBeNull();
  expect(await sendChunk(service.deps, claimed!, 'second', '')).not.toBeNull();
  expect(await sendChunk(service.deps, claimed!, 'second', '')).toBeNull();
  expect(await items()).toEqual({ users: CHUNK_MEMBERS, items: CHUNK_MEMBERS });
});

test('canceled in the middle, it ends there; expired, it does not begin', async () => {
  await readTopic(2 * CHUNK_MEMBERS);
  const id = await send();
  const [claimed] = await createTopicSendClaim(service.deps)([id], 'one');
  const at = (await sendChunk(service.deps, claimed!, 'one', '')) as string;
  const api = service.as(await service.issueKey(organization));
  await api.delete(`/v1/notify/${id}`).expect(200);
  expect(await sendChunk(service.deps, claimed!, 'one', at)).toBeNull();
  expect(await items()).toEqual({ users: CHUNK_MEMBERS, items: CHUNK_MEMBERS });
  expect((await findRow(id)).outcome).toBe('canceled');
  await work([id], async () => true);
  expect(await items()).toEqual({ users: CHUNK_MEMBERS, items: CHUNK_MEMBERS });

  const late = await send({ expires_at: Date.now() / 1000 + 3_600 });
  await service.deps.sql('UPDATE notifications SET expires_at = $2 WHERE id = $1', [
    late,
    new Date(Date.now() - 1_000),
  ]);
  await work([late], async () => (await findRow(late)).outcome === 'expired');
  expect(await items()).toEqual({ users: CHUNK_MEMBERS, items: CHUNK_MEMBERS });
});

test('waits for its own deliveries, and continues when they are attempted', async () => {
  await readTopic(5 * CHUNK_MEMBERS);
  const { sql } = service.deps;
  const id = await send();
  // As if the member notifications used a slow channel.
  const [claimed] = await createTopicSendClaim(service.deps)([id], 'one');
  let at = '';
  for (let chunk = 0; chunk < 2; chunk += 1)
    at = (await sendChunk(service.deps, claimed!, 'one', at)) as string;
  await sql(
    `UPDATE deliveries SET status = 'queued', attempts = 0, next_attempt_at = now(), next_ring_at = now() + interval '1 hour'
     FROM notifications WHERE notification_id = notifications.id AND parent_id = $1`,
    [id],
  );
  await sql('UPDATE topic_sends SET lease = NULL, leased_until = NULL WHERE id = $1', [id]);
  const sender = createTopicSender(service.deps);
  await sender.accept([id], never);
  await eventually(async () => (await findRow(id)).due_at.getTime() > Date.now());
  expect(await findRow(id)).toMatchObject({ targeted: 2 * CHUNK_MEMBERS, outcome: null });
  await sql(
    `UPDATE deliveries SET status = 'delivered', attempts = 1, next_ring_at = NULL
     FROM notifications WHERE notification_id = notifications.id AND parent_id = $1`,
    [id],
  );
  await sender.close();
  await work([id], async () => (await findRow(id)).outcome === 'sent');
  expect(await items()).toEqual({ users: 5 * CHUNK_MEMBERS, items: 5 * CHUNK_MEMBERS });
});

test('a small topic does not wait for a large one', async () => {
  const [large, small] = [organization, `${organization}-small`];
  await readTopic(40 * CHUNK_MEMBERS, large);
  await readTopic(3, small);
  const ids = [await send({}, large), await send({}, small)];
  await work(ids, async () => (await findRow(ids[1]!)).outcome === 'sent');
  expect(await items(small)).toEqual({ users: 3, items: 3 });
  expect((await findRow(ids[0]!)).outcome).toBeNull();
});

test('the sweeper re-enqueues lost sends, and quarantines those that kill workers', async () => {
  await readTopic(3);
  const id = await send();
  await service.deps.sql(
    "UPDATE topic_sends SET deaths = 2, lease = 'dead', leased_until = now() - interval '1 second', next_ring_at = now() WHERE id = $1",
    [id],
  );
  await sweepTopicSends(service.deps);
  const api = service.as(await service.issueKey(organization));
  expect(await readBody(api.get(`/v1/notify/${id}`).expect(200))).toMatchObject({
    topic: { status: 'quarantined' },
  });
  expect(await readBody(api.get('/v1/alerts').expect(200))).toMatchObject({
    items: [{ kind: 'work_quarantined', subject: 'topic_sends', message: expect.stringContaining(id) }],
  });
  expect(await readBody(api.get('/v1/notifications').expect(200))).toMatchObject({ items: [] });
});

test('members count as sends: it continues at the organisation’s rate, and leaves room for calls', async () => {
  await readTopic(150);
  const { sql, clock } = service.deps;
  const allow = async (notifyPerMinute: number) => {
    await setOrganization(sql, organization, { notifyPerMinute }, clock());
    // the longest delay of a change between replicas
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  };
  await allow(100);
  const id = await send();
  await work([id], async () => (await items()).items === 90);
  const { due_at: dueAt, outcome } = await findRow(id);
  expect(outcome).toBeNull();
  expect(dueAt.getTime()).toBeGreaterThan(Date.now() + 30_000);
  // The call paid for the first member; the other ten remain for calls.
  const api = service.as(await service.issueKey(organization));
  const one = { channels: ['in_app'], message: 'x', target: { in_app: { user_id: 'ann' } } };
  const answer = await api.post('/v1/notify', one).expect(202);
  expect(answer.headers['ratelimit']).toContain('"notify";r=9');
  await allow(1_000);
  await work([id], async () => {
    // As if the minute were over; a worker may not have received the new limit yet.
    await sql('UPDATE topic_sends SET due_at = now() WHERE id = $1 AND outcome IS NULL', [id]);
    return (await findRow(id)).outcome === 'sent';
  });
  expect(await items()).toEqual({ users: 151, items: 151 });
});
