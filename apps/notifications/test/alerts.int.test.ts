// No alert of the platform reaches an end user. Raises and sends every kind, from this service and
// the others, and checks every inbox. Operators get alerts by mail, in their chat and at /v1/alerts
// (docs/platform.md#alerts).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ALERT_KINDS, raise, tendAlerts, type OperatorNotice } from '@parley/platform/alerts';
import { setOrganization, setSetting } from '@parley/server/organizations';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { acceptMessage, acceptOwnAlerts } from '../src/accept/accept-message.ts';
import { deliver } from './work.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from './service.ts';

let service: NotificationsUnderTest;
let chat: Receiver;
beforeAll(async () => {
  chat = await receiver();
  service = await startNotifications({
    env: { CHAT_OF_OPERATORS: chat.url },
  });
});
afterAll(async () => {
  await service.stop();
  await chat.close();
});

interface AlertBody {
  id: string;
  kind: string;
  status: string;
}
type AlertPage = { items: AlertBody[]; next_cursor: string | null };
const page = async (query = '') =>
  (await readBody(service.api.get(`/v1/alerts${query}`).expect(200))) as AlertPage;

async function raiseAll(organization: string): Promise<void> {
  for (const kind of ALERT_KINDS)
    await raise(service.deps.sql, organization, { kind, subject: 's', message: `The cause of ${kind}.` });
}

/** The notices that services enqueue for new alerts of `organization`. */
async function createNotices(organization: string): Promise<OperatorNotice[]> {
  await raiseAll(organization);
  const collected: OperatorNotice[] = [];
  await tendAlerts({
    pool: service.deps.pool,
    endings: {},
    send: async (_sql, alerts) => void collected.push(...alerts.map(({ notice }) => notice)),
  });
  return collected;
}

test('every kind of alert reaches the operators and no inbox', async () => {
  const { deps } = service;
  await setOrganization(deps.sql, 'acme', { alertEmail: 'ops@acme.example' }, Date.now());
  await setOrganization(deps.sql, 'globex', { alertEmail: 'ops@globex.example' }, Date.now());
  await setSetting(
    deps.sql,
    'acme',
    'alert_chat_webhook_url',
    { reference: 'env://CHAT_OF_OPERATORS' },
    Date.now(),
  );
  await eventually(async () => (await deps.settings.stored('acme', 'alert_chat_webhook_url')) !== undefined);
  // The alerts and the inbox were read.
  await service.api
    .post('/v1/notify', { channels: ['in_app'], message: 'hello', target: { in_app: { user_id: 'ann' } } })
    .expect(202);

  await raiseAll('acme');
  await tendAlerts({
    pool: deps.pool,
    endings: {},
    send: (sql, alerts) => acceptOwnAlerts(deps, sql, alerts),
  });
  const fromOthers = await createNotices('globex');
  expect(fromOthers).toHaveLength(ALERT_KINDS.length);
  for (const [index, payload] of fromOthers.entries())
    await deps.transact((sql) =>
      acceptMessage(deps, sql, { ...payload, organization_id: 'acme' }, context('voice-api', index)),
    );

  const sent = await deps.sql<{ id: string; channel: string }>(
    `SELECT deliveries.id, channel FROM deliveries JOIN notifications ON notifications.id = notification_id
     WHERE source <> 'api'`,
  );
  expect(sent.filter(({ channel }) => channel === 'email')).toHaveLength(2 * ALERT_KINDS.length);
  const chats = sent.filter(({ channel }) => channel === 'chat');
  expect(chats).toHaveLength(2 * ALERT_KINDS.length);
  expect(sent).toHaveLength(4 * ALERT_KINDS.length);
  await deliver(deps, chats[0]!.id);
  expect(chat.requests[0]!.body.toString()).toMatch(/The cause of .* resolves when its cause is gone/s);

  expect(await deps.sql('SELECT body FROM in_app_items')).toEqual([{ body: 'hello' }]);
  for (const user of ['ann', 'bob']) {
    const inbox = (await readBody(service.api.get(`/v1/notifications?user_id=${user}`).expect(200))) as {
      items: { body: string }[];
    };
    expect(inbox.items.map(({ body }) => body)).toEqual(user === 'ann' ? ['hello'] : []);
  }
  expect((await page('?limit=100')).items.map(({ kind }) => kind).sort()).toEqual([...ALERT_KINDS].sort());
});

test('lists by status, kind and page; acknowledges; shows nothing to end users or other organisations', async () => {
  const { items } = await page('?status=open&limit=3');
  expect(items).toHaveLength(3);
  const half = Math.ceil(ALERT_KINDS.length / 2);
  const first = await page(`?limit=${half}`);
  const second = await page(`?limit=${half}&cursor=${first.next_cursor}`);
  const ids = [...first.items, ...second.items].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ALERT_KINDS.length);
  const { id } = items[0]!;
  expect(await readBody(service.api.put(`/v1/alerts/${id}/acknowledgement`, {}).expect(200))).toMatchObject({
    id,
    status: 'acknowledged',
    acknowledged_by: expect.stringMatching(/^key_/),
  });
  expect((await page('?status=acknowledged')).items.map((one) => one.id)).toEqual([id]);
  expect((await page('?kind=clock_off')).items).toMatchObject([{ kind: 'clock_off' }]);
  await service.api.get('/v1/alerts?kind=nonsense').expect(400);

  const other = service.as(await service.issueKey('initech'));
  expect(await readBody(other.get('/v1/alerts').expect(200))).toMatchObject({ items: [] });
  await other.put(`/v1/alerts/${id}/acknowledgement`, {}).expect(404);
  await service
    .as(await service.issueKey('acme', ['read', 'write']))
    .get('/v1/alerts')
    .expect(403);
});

function context(producer: 'voice-api', index: number) {
  return {
    organizationId: 'acme',
    messageId: `m${index}`,
    createdAtMs: Date.now(),
    producer,
    attempt: 1,
    signal: new AbortController().signal,
    afterCommit: () => undefined,
  };
}
