// Senders that a send or a template names, and display names of receivers.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import { eventually, fakeSendGrid, type FakeSendGrid } from '@parley/testing';
import { addSuppressions } from '../../src/people/suppression.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from '../service.ts';

let service: NotificationsUnderTest;
let sendgrid: FakeSendGrid;
let organization = '';
let counter = 0;
let api: ReturnType<NotificationsUnderTest['as']>;

beforeAll(async () => {
  sendgrid = await fakeSendGrid();
  service = await startNotifications({
    worker: true,
    env: { SENDGRID_BASE_URL: sendgrid.url, TEST_SENDGRID: 'SG.key' },
  });
});
afterAll(async () => {
  await service.stop();
  await sendgrid.close();
});
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  api = service.as(await service.issueKey(organization));
  await set('sendgrid_api_key', { reference: 'env://TEST_SENDGRID' });
  await set('email_from', { value: 'Acme <alerts@acme.example>' });
  await set('email_senders', { value: 'news@acme.example,@mail.acme.example' });
  sendgrid.mails.length = 0;
});

const set = (key: string, given: { value: string } | { reference: string }) =>
  setSetting(service.deps.sql, organization, key, given, Date.now());

const notify = (email: object, more: object = { message: 'The kettle boils.' }) =>
  api.post('/v1/notify', { channels: ['email'], target: { email }, ...more });

async function sentMail(email: object, more?: object) {
  const { notification_id: id } = (await readBody(notify(email, more).expect(202))) as {
    notification_id: string;
  };
  const status = async () =>
    (await readBody(api.get(`/v1/notify/${id}`).expect(200))) as { channels: { status: string }[] };
  await eventually(async () => (await status()).channels[0]!.status === 'sent');
  return sendgrid.mails.at(-1);
}

const ANN = 'ann@customer.example';

describe('the sender', () => {
  test.each([
    ['news@acme.example', { email: 'news@acme.example' }],
    ['The News <news@acme.example>', { email: 'news@acme.example', name: 'The News' }],
    ['any@mail.acme.example', { email: 'any@mail.acme.example' }],
    ['Other Name <alerts@acme.example>', { email: 'alerts@acme.example', name: 'Other Name' }],
  ])('of a send may be %s', async (from, expected) => {
    expect(await sentMail({ email: ANN, from })).toMatchObject({ from: expected });
  });

  test.each(['ceo@acme.example', 'x@evil.example', 'x@sub.mail.acme.example'])(
    '%s is refused, and nothing is sent',
    async (from) => {
      const refused = await notify({ email: ANN, from }).expect(400);
      expect(JSON.stringify(refused.body)).toContain('/target/email/from');
      expect(JSON.stringify(refused.body)).toContain('is not a sender of the organisation');
      expect(sendgrid.mails).toEqual([]);
    },
  );

  test('of a template replaces the setting, that of the send replaces both', async () => {
    const email = {
      text: 'Hello {{ recipient.id }}',
      from: 'The News <news@acme.example>',
      headers: { 'X-Campaign': 'spring', 'Feedback-ID': 'of the template' },
    };
    await api
      .put('/v1/templates/news', { default_locale: 'en', locales: [{ locale: 'en', message: 'Hi', email }] })
      .expect(201);
    await api.put('/v1/recipients/ann', { email: `Ann Lee <${ANN}>` }).expect(201);
    const template = { template: { id: 'news' } };
    expect(await sentMail({ user_id: 'ann' }, template)).toMatchObject({
      from: { email: 'news@acme.example', name: 'The News' },
      personalizations: [{ to: [{ email: ANN, name: 'Ann Lee' }] }],
      headers: { 'X-Campaign': 'spring', 'Feedback-ID': 'of the template' },
      content: [{ value: 'Hello ann' }],
    });
    const own = { user_id: 'ann', from: 'any@mail.acme.example', headers: { 'feedback-id': 'of the send' } };
    const mail = await sentMail(own, template);
    expect(mail).toMatchObject({
      from: { email: 'any@mail.acme.example' },
      headers: { 'X-Campaign': 'spring', 'feedback-id': 'of the send' },
    });
    expect(JSON.stringify(mail)).not.toContain('of the template');
  });

  test('that is no longer listed ends the mail', async () => {
    const sendAt = Date.now() / 1_000 + 1_000;
    const { notification_id: id } = (await readBody(
      notify({ email: ANN, from: 'news@acme.example' }, { message: 'x', send_at: sendAt }).expect(202),
    )) as { notification_id: string };
    await set('email_senders', { value: '@mail.acme.example' });
    await service.deps.sql(
      'UPDATE deliveries SET next_attempt_at = now(), next_ring_at = now() WHERE notification_id = $1',
      [id],
    );
    const channel = async () =>
      ((await readBody(api.get(`/v1/notify/${id}`).expect(200))) as { channels: object[] }).channels[0];
    await eventually(
      async () => (await channel()) && !/queued|sending/.test(JSON.stringify(await channel())),
    );
    expect(await channel()).toMatchObject({ status: 'failed', last_error_class: 'unconfigured' });
  });

  test('can be looked up', async () => {
    expect(await readBody(api.get('/v1/senders').expect(200))).toEqual({
      items: [
        { sender: 'Acme <alerts@acme.example>', kind: 'address', is_default: true },
        { sender: 'news@acme.example', kind: 'address', is_default: false },
        { sender: '@mail.acme.example', kind: 'domain', is_default: false },
      ],
      next_cursor: null,
    });
  });
});

describe('display names', () => {
  test('stand everywhere an address does', async () => {
    const mail = await sentMail({
      email: '"Lee, Ann" <ann@customer.example>',
      cc: ['Bob <bob@customer.example>'],
      bcc: ['Eve <eve@customer.example>'],
      reply_to: 'Help Desk <help@acme.example>',
    });
    expect(mail).toMatchObject({
      personalizations: [
        {
          to: [{ email: ANN, name: 'Lee, Ann' }],
          cc: [{ email: 'bob@customer.example', name: 'Bob' }],
          bcc: [{ email: 'eve@customer.example', name: 'Eve' }],
        },
      ],
      reply_to: { email: 'help@acme.example', name: 'Help Desk' },
    });
  });

  test('do not hide an address: duplicates are refused, suppressions found', async () => {
    await notify({ email: ANN, cc: [`Ann <${ANN}>`] }).expect(400);
    await notify({ email: 'Ann <ann@customer.example> <eve@customer.example>' }).expect(400);
    const facts = { reason: 'complaint', source: 'sendgrid', detail: 'test', notificationId: null } as const;
    await addSuppressions(service.deps, service.deps.sql, organization, [{ address: ANN, ...facts }]);
    const accepted = (await readBody(notify({ email: `Ann <${ANN}>` }).expect(202))) as object;
    expect(accepted).toMatchObject({ accepted_channels: [], suppressed: [{ channel: 'email' }] });
    const mail = await sentMail({ email: 'bob@customer.example', cc: [`Ann <${ANN}>`] });
    expect(JSON.stringify(mail)).not.toContain(ANN);
  });
});
