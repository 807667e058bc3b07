// Suppressed addresses: what suppresses them, what that stops, and how the list is read and
// changed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { generateKeyPairSync, sign } from 'node:crypto';
import supertest from 'supertest';
import { setSetting } from '@parley/server/organizations';
import {
  eventually,
  fakeMailServer,
  fakeSendGrid,
  type FakeMailServer,
  type FakeSendGrid,
} from '@parley/testing';
import { makeLink } from '../../src/people/links.ts';
import { findRecipients } from '../../src/people/recipient.ts';
import { addSuppressions, findSuppressed } from '../../src/people/suppression.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../../src/people/suppression.rules.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from '../service.ts';

const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const ANN = 'ann@customer.example';

let service: NotificationsUnderTest;
let sendgrid: FakeSendGrid;
let server: FakeMailServer;
let organization = '';
let counter = 0;
let api: ReturnType<NotificationsUnderTest['as']>;

beforeAll(async () => {
  [sendgrid, server] = await Promise.all([fakeSendGrid(), fakeMailServer()]);
  service = await startNotifications({
    worker: true,
    env: {
      SENDGRID_BASE_URL: sendgrid.url,
      PUBLIC_URL: 'https://notify.acme.example',
      TEST_SENDGRID: 'SG.key',
      TEST_SMTP: server.url,
      TEST_EVENT_KEY: keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      SETTING_DEFAULTS: JSON.stringify({ email_from: 'a@acme.example' }),
    },
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([sendgrid.close(), server.close()]);
});
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  api = service.as(await service.issueKey(organization));
  await set('sendgrid_api_key', 'env://TEST_SENDGRID');
  await set('sendgrid_event_key', 'env://TEST_EVENT_KEY');
  sendgrid.mails.length = 0;
  server.mails.length = 0;
});

const set = (key: string, reference: string) =>
  setSetting(service.deps.sql, organization, key, { reference }, Date.now());

async function useSmtp(): Promise<void> {
  await set('smtp_url', 'env://TEST_SMTP');
  await setSetting(service.deps.sql, organization, 'email_providers', { value: 'smtp' }, Date.now());
}

const suppress = (reason: SuppressionReason, address = ANN) =>
  addSuppressions(service.deps, service.deps.sql, organization, [
    { address, reason, source: 'sendgrid', detail: 'test', notificationId: null },
  ]);

interface Sent {
  notification_id: string;
  accepted_channels: string[];
  suppressed?: { channel: string; reason: string }[];
}
interface ChannelStatus {
  channel: string;
  status: string;
  attempts: number;
  last_error_class: string | null;
}

const send = async (more: object = {}) =>
  (await readBody(
    api
      .post('/v1/notify', { channels: ['email'], message: 'x', target: { email: { email: ANN } }, ...more })
      .expect(202),
  )) as Sent;

async function readEmail(id: string): Promise<ChannelStatus> {
  const { channels } = (await readBody(api.get(`/v1/notify/${id}`).expect(200))) as {
    channels: ChannelStatus[];
  };
  return channels.find(({ channel }) => channel === 'email')!;
}

async function settle(id: string): Promise<ChannelStatus> {
  await eventually(async () => !['queued', 'sending'].includes((await readEmail(id)).status));
  return readEmail(id);
}

interface Listed {
  id: string;
  email: string | null;
  email_hash: string;
  reason: string;
  source: string;
  detail: string;
  notification_id: string | null;
}
const list = async (query = '') =>
  ((await readBody(api.get(`/v1/suppressions${query}`).expect(200))) as { items: Listed[] }).items;

let events = 0;
async function tell(...batch: object[]) {
  const body = JSON.stringify(
    batch.map((event) => ({ sg_event_id: `sg-${(events += 1)}`, timestamp: 1_732_132_800, ...event })),
  );
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = sign('sha256', Buffer.from(timestamp + body), keys.privateKey).toString('base64');
  const request = supertest(service.server.url)
    .post(`/v1/providers/sendgrid/events/${organization}`)
    .set({
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-timestamp': timestamp,
      'x-twilio-email-event-webhook-signature': signature,
    })
    .send(body);
  return readBody(request.expect(200));
}

describe('what a suppression stops', () => {
  const CATEGORIES = ['none', 'news', 'alarm'] as const;
  const CHANNELS = ['email', 'in_app', 'webhook'] as const;
  /** `alarm` is required. */
  const isStopped = (reason: SuppressionReason, category: string, channel: string) =>
    channel === 'email' && !(reason === 'unsubscribe' && category === 'alarm');
  const table = SUPPRESSION_REASONS.flatMap((reason) =>
    CATEGORIES.flatMap((category) => CHANNELS.map((channel) => [reason, category, channel] as const)),
  );

  test.each(table)('%s, category %s, %s', async (reason, category, channel) => {
    await api.put('/v1/categories/news', { name: 'News' }).expect(201);
    await api.put('/v1/categories/alarm', { name: 'Alarm', required: true }).expect(201);
    await api.put('/v1/recipients/ann', { email: ANN }).expect(201);
    await suppress(reason);
    const webhook = { url: `${sendgrid.url}/hook` };
    const target = channel === 'webhook' ? { webhook } : { [channel]: { user_id: 'ann' } };
    const more = category === 'none' ? {} : { category };
    const { accepted_channels: accepted, suppressed = [] } = await send({
      channels: [channel],
      target,
      ...more,
    });
    const stopped = isStopped(reason, category, channel);
    expect(accepted).toEqual(stopped ? [] : [channel]);
    expect(suppressed.map((one) => one.channel)).toEqual(stopped ? ['email'] : []);
  });

  test('another spelling of the address, another organisation', async () => {
    await suppress('hard_bounce', 'Ann@CUSTOMER.example');
    const { notification_id: id, suppressed } = await send();
    expect(suppressed).toEqual([{ channel: 'email', reason: 'the address does not accept mail' }]);
    const email = { status: 'suppressed', attempts: 0, last_error_class: 'hard_bounce' };
    expect(await readEmail(id)).toMatchObject(email);
    expect(sendgrid.mails).toEqual([]);
    expect((await send({ target: { email: 'ben@customer.example' } })).suppressed).toBeUndefined();
    expect((await findSuppressed(service.deps.sql, `${organization}-other`, [ANN])).size).toBe(0);
  });

  test('a scheduled mail that was accepted before, without an attempt', async () => {
    const later = { send_at: Math.round(Date.now() / 1000) + 3_600 };
    const { notification_id: id, accepted_channels: accepted } = await send(later);
    expect(accepted).toEqual(['email']);
    await suppress('complaint');
    await service.deps.sql(
      'UPDATE deliveries SET next_attempt_at = now(), next_ring_at = now() WHERE notification_id = $1',
      [id],
    );
    const email = { status: 'suppressed', attempts: 0, last_error_class: 'complaint' };
    expect(await settle(id)).toMatchObject(email);
    expect(((await readBody(api.get(`/v1/notify/${id}/attempts`))) as { items: unknown[] }).items).toEqual(
      [],
    );
  });

  test('copies, while the mail goes to the others', async () => {
    await suppress('hard_bounce', 'cc@customer.example');
    await suppress('complaint', 'bcc@customer.example');
    const cc = ['cc@customer.example', 'other@customer.example'];
    const target = { email: { email: ANN, cc, bcc: ['bcc@customer.example'] } };
    await settle((await send({ target })).notification_id);
    expect(sendgrid.mails[0]!.personalizations).toEqual([
      expect.objectContaining({ to: [{ email: ANN }], cc: [{ email: 'other@customer.example' }] }),
    ]);
    expect(sendgrid.mails[0]!.personalizations[0]).not.toHaveProperty('bcc');
  });

  test('members of a topic', async () => {
    for (const user of ['ann', 'ben'])
      await api.put(`/v1/recipients/${user}`, { email: `${user}@customer.example` }).expect(201);
    await api.put('/v1/topics/kitchen/members', { user_ids: ['ann', 'ben'] }).expect(200);
    await suppress('unsubscribe');
    const { notification_id: id } = await send({ target: { topic_id: 'kitchen' } });
    await eventually(async () => {
      const { topic } = (await readBody(api.get(`/v1/notify/${id}`))) as { topic: object };
      expect(topic).toMatchObject({ status: 'sent', accepted: 2, suppressed: 1 });
      return true;
    });
    await eventually(() => sendgrid.mails.length === 1);
    expect(sendgrid.mails[0]!.personalizations[0]!.to).toEqual([{ email: 'ben@customer.example' }]);
  });
});

describe('what suppresses an address', () => {
  test.each([
    [{ event: 'bounce', type: 'bounce' }, 'hard_bounce'],
    [{ event: 'bounce', type: 'blocked' }, undefined],
    [{ event: 'blocked' }, undefined],
    [{ event: 'deferred' }, undefined],
    [{ event: 'dropped', reason: 'Bounced Address' }, 'hard_bounce'],
    [{ event: 'dropped', reason: 'Invalid' }, 'hard_bounce'],
    [{ event: 'dropped', reason: 'Spam Reporting Address' }, 'complaint'],
    [{ event: 'dropped', reason: 'Unsubscribed Address' }, 'unsubscribe'],
    [{ event: 'dropped', reason: 'Recipient List over Package Quota' }, undefined],
    [{ event: 'dropped' }, undefined],
    [{ event: 'spamreport' }, 'complaint'],
    [{ event: 'unsubscribe' }, 'unsubscribe'],
    [{ event: 'group_unsubscribe' }, undefined],
    [{ event: 'delivered' }, undefined],
  ])('SendGrid: %j', async (event, reason) => {
    const { notification_id: id } = await send();
    await settle(id);
    await tell({ ...event, email: ANN, notification_id: id });
    const known = { email: ANN, reason, source: 'sendgrid', detail: event.event, notification_id: id };
    expect(await list()).toEqual(reason ? [expect.objectContaining(known)] : []);
  });

  test('SendGrid: events without our arguments are matched by message id and receiver', async () => {
    const [one, other] = [(await send()).notification_id, (await send()).notification_id];
    await Promise.all([settle(one), settle(other)]);
    const rows = await service.deps.sql<{ message_id: string }>(
      `SELECT message_id FROM sent_mails JOIN deliveries ON deliveries.id = delivery_id WHERE notification_id = $1`,
      [one],
    );
    const about = {
      event: 'delivered',
      sg_message_id: `${rows[0]!.message_id}.recvd-5f54b5d587-pczjm-1-67.0`,
    };
    expect(await tell({ ...about, email: 'eve@customer.example' })).toMatchObject({ moved: 0, unmatched: 1 });
    expect(await tell({ ...about, email: ANN })).toEqual({ received: 1, moved: 1, unmatched: 0 });
    expect([(await readEmail(one)).status, (await readEmail(other)).status]).toEqual(['delivered', 'sent']);
  });

  test('SendGrid: events of unknown mail are stored and counted, and suppress all the same', async () => {
    const unknown = { email: ANN, event: 'spamreport', sg_message_id: 'elsewhere.filter0001.1.A.0' };
    expect(await tell(unknown)).toEqual({ received: 1, moved: 0, unmatched: 1 });
    const stored = await service.deps.sql<{ event: string; notification_id: string | null }>(
      'SELECT event, notification_id FROM email_events WHERE organization_id = $1',
      [organization],
    );
    expect(stored).toEqual([{ event: 'spamreport', notification_id: null }]);
    expect(await list()).toMatchObject([{ reason: 'complaint', notification_id: null }]);
    const { text } = await supertest(service.server.url).get('/metrics').expect(200);
    expect(text).toMatch(/^mail_events_unmatched_total\{.*provider="sendgrid".*\} [1-9]/m);
  });

  test.each([
    ['recipient', 550, '5.1.1 No such user', 'bounced', '5.1.1'],
    ['data', 550, '5.2.1 Mailbox disabled', 'failed', '5.2.1'],
    ['recipient', 550, '5.7.1 Blocked by policy', 'bounced', undefined],
    ['recipient', 550, 'No such user', 'bounced', undefined],
    ['sender', 550, '5.1.1 No such sender', 'failed', undefined],
  ] as const)('SMTP: at %s, %i %s', async (at, code, text, status, detail) => {
    await useSmtp();
    server.script({ at, code, text });
    const { notification_id: id } = await send();
    expect(await settle(id)).toMatchObject({ status });
    const known = { email: ANN, reason: 'hard_bounce', source: 'smtp', detail, notification_id: id };
    expect(await list()).toEqual(detail ? [expect.objectContaining(known)] : []);
  });

  test('SMTP: a copy that the server refuses while it accepts the mail', async () => {
    await useSmtp();
    server.script({ at: 'recipient', code: 550, text: '5.1.1 Unknown', only: 'gone@customer.example' });
    const { notification_id: id } = await send({
      target: { email: { email: ANN, cc: ['gone@customer.example'] } },
    });
    expect(await settle(id)).toMatchObject({ status: 'sent' });
    expect((await list()).map(({ email }) => email)).toEqual(['gone@customer.example']);
  });

  test('the unsubscribe page, for all mail that is not required', async () => {
    await api.put('/v1/categories/news', { name: 'News' }).expect(201);
    await api.put('/v1/recipients/ann', { email: ANN }).expect(201);
    const recipient = (await findRecipients(service.deps, service.deps.sql, organization, ['ann'])).get(
      'ann',
    )!;
    const link = makeLink(recipient, { kind: 'unsubscribe', category: 'news', channel: 'email' });
    const page = await supertest(service.server.url).get(`/v1/unsubscribe?link=${link}`).expect(200);
    const [, action] = /<form method="post" action="([^"]+)">/.exec(page.text)!;
    expect(await list()).toEqual([]);
    const post = () =>
      supertest(service.server.url)
        .post(`/v1/unsubscribe${action!.replace('&amp;', '&')}`)
        .type('form')
        .send('List-Unsubscribe=One-Click')
        .expect(200);
    await post();
    await post();
    expect(await list()).toMatchObject([
      { email: ANN, reason: 'unsubscribe', source: 'link', detail: 'news' },
    ]);
    expect((await send()).accepted_channels).toEqual([]);
  });
});

describe('the list', () => {
  test('pages, newest first, and filters by address and reason', async () => {
    await suppress('hard_bounce');
    await suppress('unsubscribe');
    await suppress('hard_bounce', 'ben@customer.example');
    expect((await list()).map(({ email }) => email)).toEqual(['ben@customer.example', ANN, ANN]);
    expect(await list('?email=ANN@customer.example&reason=unsubscribe')).toHaveLength(1);
    const page = (await readBody(api.get('/v1/suppressions?limit=2'))) as { next_cursor: string };
    expect(await list(`?limit=2&cursor=${page.next_cursor}`)).toMatchObject([{ reason: 'hard_bounce' }]);
    await api.get('/v1/suppressions?email=nobody').expect(400);
  });

  test('addresses are added in bulk, once for each reason, with one entry in the audit log', async () => {
    const add = (emails: string[], reason = 'unsubscribe') =>
      api.post('/v1/suppressions', { emails, reason });
    const emails = [ANN, ANN.toUpperCase(), 'ben@customer.example'];
    expect(await readBody(add(emails).expect(200))).toEqual({ added: 2, known: 0 });
    expect(await readBody(add(emails).expect(200))).toEqual({ added: 0, known: 2 });
    expect(await readBody(add([ANN], 'complaint').expect(200))).toEqual({ added: 1, known: 0 });
    expect(await list(`?email=${ANN}&reason=unsubscribe`)).toMatchObject([{ source: 'api', detail: null }]);
    expect((await send()).accepted_channels).toEqual([]);
    const audit = await readBody(api.get('/v1/audit-log?action=suppression.added').expect(200));
    expect(audit).toMatchObject({
      items: [
        { target: organization, details: { reason: 'complaint', count: 1 } },
        { target: organization, details: { reason: 'unsubscribe', count: 2 } },
      ],
    });
    expect(JSON.stringify(audit)).not.toContain('customer.example');
    await add(['nobody']).expect(400);
    await add(Array.from({ length: 1_001 }, (_, index) => `u${index}@customer.example`)).expect(400);
  });

  test('a full list refuses additions and stores what mail servers report', async () => {
    await service.deps.sql(
      `INSERT INTO suppressions (id, organization_id, address_hash, reason, source, created_at)
       SELECT 'sup_' || $1 || n, $1, sha256(n::text::bytea), 'unsubscribe', 'api', now() FROM generate_series(1, 99999) AS n`,
      [organization],
    );
    const add = (emails: string[]) => api.post('/v1/suppressions', { emails, reason: 'hard_bounce' });
    const refused = await readBody(add([ANN, 'ben@customer.example']).expect(422));
    expect(refused).toMatchObject({
      error: expect.stringContaining('suppressions: the organisation has 100000'),
    });
    // A process trusts the count of a full list for a moment.
    await eventually(async () => (await add([ANN])).status === 200);
    expect(await readBody(add([ANN]).expect(200))).toEqual({ added: 0, known: 1 });
    await add(['ben@customer.example']).expect(422);
    await suppress('hard_bounce', 'ben@customer.example');
    expect(await list('?email=ben@customer.example')).toHaveLength(1);
    const { used, limits } = (await readBody(api.get('/v1/organization').expect(200))) as {
      used: object;
      limits: object;
    };
    expect([used, limits]).toMatchObject([{ suppressions: 100_000 }, { suppressions: 100_000 }]);
  });

  test('a removal is audited, without the address, and lets mail out again', async () => {
    await suppress('hard_bounce');
    const [known] = await list();
    await api.delete(`/v1/suppressions/${known!.id}`).expect(204);
    await api.delete(`/v1/suppressions/${known!.id}`).expect(404);
    expect((await send()).accepted_channels).toEqual(['email']);
    const audit = await readBody(api.get('/v1/audit-log?action=suppression.removed').expect(200));
    expect(audit).toMatchObject({
      items: [{ target: known!.id, details: { reason: 'hard_bounce', email_hash: known!.email_hash } }],
    });
    expect(JSON.stringify(audit)).not.toContain(ANN);
  });

  test('one reason of two stays when the other is removed', async () => {
    await suppress('unsubscribe');
    await suppress('hard_bounce');
    const [bounce] = await list('?reason=hard_bounce');
    await api.delete(`/v1/suppressions/${bounce!.id}`).expect(204);
    expect((await send()).suppressed).toMatchObject([
      { reason: 'the address has unsubscribed from all mail' },
    ]);
  });

  test('an erased recipient leaves a digest, which still stops mail to the address', async () => {
    await api.put('/v1/recipients/ann', { email: ANN }).expect(201);
    await suppress('unsubscribe');
    await api.delete('/v1/recipients/ann').expect(204);
    expect(await list()).toMatchObject([{ email: null, notification_id: null, reason: 'unsubscribe' }]);
    expect(await list(`?email=${ANN}`)).toHaveLength(1);
    await api.put('/v1/recipients/ann-again', { email: ANN }).expect(201);
    expect((await send({ target: { email: { user_id: 'ann-again' } } })).accepted_channels).toEqual([]);
  });
});
