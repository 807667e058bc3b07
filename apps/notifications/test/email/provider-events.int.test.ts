// Events of Amazon SES, Mailgun, Postmark and Resend: who may send them, and what each word does to
// a delivery and to the address. The payloads are those of the pages named in each
// `*-events.rules.ts`.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHmac, randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { Webhook } from 'standardwebhooks';
import { setSetting } from '@parley/server/organizations';
import { hashAddress } from '../../src/addresses/address-hash.ts';
import { CERTIFICATE_URL, fakeSns, SNS_TOPIC, type SignedRequest } from './fake-sns.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from '../service.ts';

const ANN = 'ann@customer.example';
const MAILGUN_KEY = 'canary-mailgun-signing-key-77c1';
const POSTMARK_PASSWORD = 'canary-postmark:password-12ab';
const RESEND_SECRET = `whsec_${Buffer.from('canary-resend-secret-24bytes').toString('base64')}`;
const PROVIDERS = ['ses', 'mailgun', 'postmark', 'resend'] as const;
type Name = (typeof PROVIDERS)[number];

let service: NotificationsUnderTest;
let organization = '';
let counter = 0;
const sns = fakeSns();

beforeAll(async () => {
  service = await startNotifications({
    fetchAmazon: sns.fetchAmazon,
    env: {
      TEST_SMTP: 'smtp://127.0.0.1:9',
      TEST_MAILGUN: MAILGUN_KEY,
      TEST_POSTMARK: POSTMARK_PASSWORD,
      TEST_RESEND: RESEND_SECRET,
      SETTING_DEFAULTS: JSON.stringify({ email_from: 'a@acme.example', smtp_url: 'env://TEST_SMTP' }),
    },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  await set('ses_topic_arn', { value: SNS_TOPIC });
  await set('mailgun_signing_key', { reference: 'env://TEST_MAILGUN' });
  await set('postmark_webhook_password', { reference: 'env://TEST_POSTMARK' });
  await set('resend_signing_secret', { reference: 'env://TEST_RESEND' });
  sns.fetched.length = 0;
});

const set = (key: string, setting: { value: string } | { reference: string }) =>
  setSetting(service.deps.sql, organization, key, setting, Date.now());

/** A mail that was sent: no provider is needed for events about it. */
async function sent(messageId?: string): Promise<string> {
  const api = service.as(await service.issueKey(organization));
  const target = { email: { email: ANN, cc: ['copy@customer.example'] } };
  const body = {
    channels: ['email'],
    message: 'x',
    target,
    send_at: Math.round(Date.now() / 1000) + 3_600,
  };
  const { notification_id: id } = (await readBody(api.post('/v1/notify', body).expect(202))) as {
    notification_id: string;
  };
  const [delivery] = await service.deps.sql<{ id: string }>(
    `UPDATE deliveries SET status = 'sent' WHERE notification_id = $1 RETURNING id`,
    [id],
  );
  if (messageId !== undefined)
    await service.deps.sql(
      'INSERT INTO sent_mails (organization_id, message_id, address_hash, delivery_id) VALUES ($1, $2, $3, $4)',
      [organization, messageId, hashAddress(organization, ANN), delivery!.id],
    );
  return id;
}

async function readStatus(id: string): Promise<string> {
  const api = service.as(await service.issueKey(organization, ['read']));
  const { channels } = (await readBody(api.get(`/v1/notify/${id}`).expect(200))) as {
    channels: { status: string }[];
  };
  return channels[0]!.status;
}

async function listSuppressed() {
  const api = service.as(await service.issueKey(organization, ['read']));
  const { items } = (await readBody(api.get('/v1/suppressions').expect(200))) as {
    items: { email: string; reason: string; source: string }[];
  };
  return items.map(({ email, reason, source }) => `${source} ${reason} ${email}`);
}

/** What an event says, where each provider has other members. */
interface EventFacts {
  /** The word, with what follows in the keys of the tables. */
  word: string;
  id?: string | undefined;
  messageId?: string;
  address?: string;
}

const now = () => new Date().toISOString();

const SIGN: Readonly<Record<Name, (event: object, atMs?: number) => SignedRequest>> = {
  ses: (event, atMs = Date.now()) => sns.sign({ Type: 'Notification', Message: JSON.stringify(event) }, atMs),
  mailgun: (event, atMs = Date.now()) => {
    const [timestamp, token] = [String(Math.floor(atMs / 1000)), randomUUID().replaceAll('-', '')];
    const signature = createHmac('sha256', MAILGUN_KEY)
      .update(timestamp + token)
      .digest('hex');
    const body = JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event });
    return { body, headers: { 'content-type': 'application/json' } };
  },
  postmark: (event) => ({
    body: JSON.stringify(event),
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`parley:${POSTMARK_PASSWORD}`).toString('base64')}`,
    },
  }),
  resend: (event, atMs = Date.now()) => {
    const [body, id] = [JSON.stringify(event), `msg_${randomUUID()}`];
    const headers = {
      'content-type': 'application/json',
      'svix-id': id,
      'svix-timestamp': String(Math.floor(atMs / 1000)),
      'svix-signature': new Webhook(RESEND_SECRET).sign(id, new Date(atMs), body),
    };
    return { body, headers };
  },
};

const MAKE: Readonly<Record<Name, (said: EventFacts) => object>> = {
  ses: ({ word, id, messageId = 'EXAMPLE7c191be45', address = ANN }) => {
    const [eventType, detail, bounceSubType = 'General'] = word.split(':');
    const people = [{ emailAddress: address }];
    return {
      eventType,
      mail: {
        timestamp: now(),
        messageId,
        destination: [ANN, 'copy@customer.example'],
        tags: id === undefined ? {} : { notification_id: [id], 'ses:source-ip': ['192.0.2.0'] },
      },
      ...(eventType === 'Bounce'
        ? { bounce: { bounceType: detail, bounceSubType, bouncedRecipients: people } }
        : {}),
      ...(eventType === 'Complaint'
        ? {
            complaint: {
              complainedRecipients: people,
              complaintSubType: null,
              complaintFeedbackType: detail ?? 'abuse',
            },
          }
        : {}),
      ...(eventType === 'Delivery' ? { delivery: { recipients: [address] } } : {}),
    };
  },
  mailgun: ({ word, id, messageId = 'none@acme.example', address = ANN }) => {
    const [event, severity, reason, bounceType] = word.split(':');
    return {
      event,
      ...(severity === undefined ? {} : { severity, reason }),
      ...(bounceType === undefined ? {} : { 'delivery-status': { code: 550, 'bounce-type': bounceType } }),
      id: randomUUID(),
      timestamp: Date.now() / 1000,
      recipient: address,
      message: { headers: { 'message-id': messageId, to: address } },
      'user-variables': id === undefined ? {} : { notification_id: id },
    };
  },
  postmark: ({ word, id, messageId = randomUUID(), address = ANN }) => {
    const [RecordType, detail, Origin] = word.split(':');
    return {
      RecordType,
      MessageID: messageId,
      ...(RecordType === 'Bounce'
        ? { Type: detail, ID: 0, Email: address, BouncedAt: '2026-11-27T13:28:10.2735393-04:00' }
        : { Recipient: address, DeliveredAt: now() }),
      ...(RecordType === 'SubscriptionChange'
        ? { SuppressSending: detail !== 'reactivated', SuppressionReason: detail, Origin, ChangedAt: now() }
        : {}),
      Metadata: id === undefined ? {} : { notification_id: id },
    };
  },
  resend: ({ word, id, messageId = randomUUID(), address = ANN }) => {
    const [type, bounce] = word.split(':');
    return {
      type,
      created_at: now(),
      data: {
        email_id: messageId,
        from: 'Acme <a@acme.example>',
        to: [address],
        subject: 'x',
        ...(bounce === undefined ? {} : { bounce: { type: bounce, subType: 'General', message: 'x' } }),
        tags: id === undefined ? {} : { notification_id: id },
      },
    };
  },
};

const post = (name: Name, { body, headers }: SignedRequest, to = organization) =>
  supertest(service.server.url).post(`/v1/providers/${name}/events/${to}`).set(headers).send(body);

const tell = (name: Name, said: EventFacts) => readBody(post(name, SIGN[name](MAKE[name](said))).expect(200));

describe('the words of', () => {
  const BOUNCED = ['bounced', 'hard_bounce'];
  const SOFT = ['bounced', null];
  test.each<[Name, string, string, string | null]>([
    ...([
      ['Send', 'sent', null],
      ['DeliveryDelay', 'sent', null],
      ['Delivery', 'delivered', null],
      ['Open', 'delivered', null],
      ['Click', 'delivered', null],
      ['Complaint:abuse', 'delivered', 'complaint'],
      ['Complaint:not-spam', 'delivered', null],
      ['Bounce:Permanent', ...BOUNCED],
      ['Bounce:Permanent:NoEmail', ...BOUNCED],
      ['Bounce:Permanent:Suppressed', 'failed', 'hard_bounce'],
      ['Bounce:Permanent:OnAccountSuppressionList', 'failed', 'hard_bounce'],
      ['Bounce:Transient:MailboxFull', ...SOFT],
      ['Bounce:Undetermined', ...SOFT],
      ['Reject', 'failed', null],
      ['Rendering Failure', 'failed', null],
    ].map((row) => ['ses', ...row]) as [Name, string, string, string | null][]),
    ...([
      ['accepted', 'sent', null],
      ['delivered', 'delivered', null],
      ['opened', 'delivered', null],
      ['clicked', 'delivered', null],
      ['complained', 'delivered', 'complaint'],
      ['unsubscribed', 'delivered', 'unsubscribe'],
      ['failed:temporary:generic', 'sent', null],
      ['failed:permanent:bounce', ...BOUNCED],
      ['failed:permanent:bounce:soft', ...SOFT],
      ['failed:permanent:old', ...SOFT],
      ['failed:permanent:suppress-bounce', 'failed', 'hard_bounce'],
      ['failed:permanent:suppress-complaint', 'failed', 'complaint'],
      ['failed:permanent:suppress-unsubscribe', 'failed', 'unsubscribe'],
      ['rejected', 'failed', null],
    ].map((row) => ['mailgun', ...row]) as [Name, string, string, string | null][]),
    ...([
      ['Delivery', 'delivered', null],
      ['Open', 'delivered', null],
      ['Click', 'delivered', null],
      ['SpamComplaint', 'delivered', 'complaint'],
      ['Bounce:HardBounce', ...BOUNCED],
      ['Bounce:BadEmailAddress', ...BOUNCED],
      ['Bounce:SoftBounce', ...SOFT],
      ['Bounce:Transient', 'sent', null],
      ['Bounce:AutoResponder', 'delivered', null],
      ['Bounce:SMTPApiError', 'failed', null],
      ['SubscriptionChange:ManualSuppression:Recipient', 'delivered', 'unsubscribe'],
      ['SubscriptionChange:ManualSuppression:Customer', 'sent', null],
      ['SubscriptionChange:reactivated', 'sent', null],
    ].map((row) => ['postmark', ...row]) as [Name, string, string, string | null][]),
    ...([
      ['email.sent', 'sent', null],
      ['email.delivery_delayed', 'sent', null],
      ['email.delivered', 'delivered', null],
      ['email.opened', 'delivered', null],
      ['email.clicked', 'delivered', null],
      ['email.complained', 'delivered', 'complaint'],
      ['email.bounced:Permanent', ...BOUNCED],
      ['email.bounced:Transient', ...SOFT],
      ['email.suppressed', 'failed', null],
      ['email.failed', 'failed', null],
    ].map((row) => ['resend', ...row]) as [Name, string, string, string | null][]),
  ])('%s: %s makes a sent mail %s and suppresses %s', async (name, word, status, reason) => {
    const id = await sent();
    await tell(name, { word, id });
    expect(await readStatus(id)).toBe(status);
    expect(await listSuppressed()).toEqual(reason === null ? [] : [`${name} ${reason} ${ANN}`]);
  });
});

describe.each(PROVIDERS)('an event of %s', (name) => {
  const words = {
    ses: { delivered: 'Delivery', bounced: 'Bounce:Permanent', odd: 'Levitated' },
    mailgun: { delivered: 'delivered', bounced: 'failed:permanent:bounce', odd: 'levitated' },
    postmark: { delivered: 'Delivery', bounced: 'Bounce:HardBounce', odd: 'Bounce:Levitated' },
    resend: { delivered: 'email.delivered', bounced: 'email.bounced:Permanent', odd: 'email.levitated' },
  }[name];

  test('without our id is matched by message id and receiver', async () => {
    const id = await sent('id-of-the-provider');
    const strange = { word: words.bounced, messageId: 'id-of-the-provider', address: 'eve@customer.example' };
    expect(await tell(name, strange)).toEqual({ received: 1, moved: 0, unmatched: 1 });
    expect(await readStatus(id)).toBe('sent');
    const known = { word: words.delivered, messageId: 'id-of-the-provider' };
    expect(await tell(name, known)).toEqual({ received: 1, moved: 1, unmatched: 0 });
    expect(await readStatus(id)).toBe('delivered');
  });

  test('about a copy suppresses the copy and leaves the delivery', async () => {
    const id = await sent();
    await tell(name, { word: words.bounced, id, address: 'copy@customer.example' });
    expect(await readStatus(id)).toBe('sent');
    expect(await listSuppressed()).toEqual([`${name} hard_bounce copy@customer.example`]);
  });

  test('with an unknown word is stored and counted, and changes nothing', async () => {
    const id = await sent();
    expect(await tell(name, { word: words.odd, id })).toEqual({ received: 1, moved: 0, unmatched: 1 });
    expect(await readStatus(id)).toBe('sent');
    const rows = await service.deps.sql('SELECT event FROM email_events WHERE organization_id = $1', [
      organization,
    ]);
    expect(rows).toEqual([{ event: words.odd.split(':')[0] }]);
    const metrics = await supertest(service.server.url).get('/metrics').expect(200);
    expect(metrics.text).toMatch(new RegExp(`mail_events_unmatched_total\\{[^}]*provider="${name}"`));
  });

  test('of another organisation’s mail is counted, and changes nothing', async () => {
    const id = await sent();
    const owner = organization;
    organization = `${owner}-rival`;
    for (const key of ['mailgun_signing_key', 'postmark_webhook_password', 'resend_signing_secret'])
      await set(key, { reference: `env://TEST_${key.split('_')[0]!.toUpperCase()}` });
    await set('ses_topic_arn', { value: SNS_TOPIC });
    expect(await tell(name, { word: words.bounced, id })).toEqual({ received: 1, moved: 0, unmatched: 1 });
    organization = owner;
    expect(await readStatus(id)).toBe('sent');
  });

  test('that is unreadable is counted, and repetitions change nothing', async () => {
    const odd = SIGN[name]({ surprise: true, ID: 4_323_372_036_854_775_807 });
    expect(await readBody(post(name, odd).expect(200))).toEqual({ received: 1, moved: 0, unmatched: 1 });
    const id = await sent();
    const signed = SIGN[name](MAKE[name]({ word: words.delivered, id }));
    const first = await readBody(post(name, signed).expect(200));
    const second = await readBody(post(name, signed).expect(200));
    expect([first, second]).toEqual([
      { received: 1, moved: 1, unmatched: 0 },
      { received: 1, moved: 0, unmatched: 0 },
    ]);
  });

  test('is refused with one answer when it is not the provider’s', async () => {
    const event = MAKE[name]({ word: words.delivered, id: await sent() });
    const good = SIGN[name](event);
    const DAY_MS = 24 * 60 * 60_000;
    const answers = [
      await post(name, good, 'nobody'),
      await post(name, { ...good, headers: { 'content-type': good.headers['content-type']! }, body: '{}' }),
      await post(name, { ...good, body: 'not JSON' }).set('authorization', 'Basic bm86bm8='),
      ...(name === 'postmark' ? [] : [await post(name, SIGN[name](event, Date.now() - DAY_MS - 60_000))]),
      ...(name === 'postmark' ? [] : [await post(name, SIGN[name](event, Date.now() + 360_000))]),
    ];
    if (name !== 'postmark') {
      // the last character of each signature, changed
      const flip = (text: string) =>
        text.replace(
          /("signature":"|"Signature":"|^v1,)(.)/i,
          (_all, head: string, first: string) => head + (first === 'a' ? 'b' : 'a'),
        );
      const headers = good.headers['svix-signature']
        ? { ...good.headers, 'svix-signature': flip(good.headers['svix-signature']) }
        : good.headers;
      answers.push(await post(name, { body: flip(good.body), headers }));
    }
    for (const { status, body } of answers)
      expect({ status, body: body as unknown }).toEqual({ status: 401, body: answers[0]!.body as unknown });
    await post(name, good).expect(200);
  });
});

describe('Amazon SNS', () => {
  test('has its subscription confirmed, at Amazon only', async () => {
    const url = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${SNS_TOPIC}&Token=2336412f37`;
    const given = {
      Type: 'SubscriptionConfirmation',
      Message: 'x',
      Token: '2336412f37',
      SubscribeURL: url,
    } as const;
    await post('ses', sns.sign(given)).expect(200);
    expect(sns.fetched.at(-1)).toBe(url);
    await post('ses', sns.sign({ ...given, SubscribeURL: 'https://evil.example/' })).expect(503);
    expect(sns.fetched).not.toContain('https://evil.example/');
    sns.confirmation = undefined;
    const { headers } = await post('ses', sns.sign(given)).expect(503);
    expect(headers['retry-after']).toBe('60');
    sns.confirmation = 'ok';
  });

  test('may sign with SHA-1, the default of topics', async () => {
    const event = MAKE.ses({ word: 'Delivery', id: await sent() });
    await post(
      'ses',
      sns.sign({ Type: 'Notification', Message: JSON.stringify(event) }, Date.now(), '1'),
    ).expect(200);
  });

  test.each([
    ['another topic', { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:evil' }],
    ['a certificate elsewhere', { SigningCertURL: 'https://evil.example/SimpleNotificationService-1.pem' }],
    [
      'a host that only begins like Amazon’s',
      { SigningCertURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem' },
    ],
    [
      'a bucket at Amazon',
      { SigningCertURL: 'https://sns.s3.amazonaws.com.s3.amazonaws.com/SimpleNotificationService-1.pem' },
    ],
    ['a certificate without TLS', { SigningCertURL: CERTIFICATE_URL.replace('https', 'http') }],
    ['another file', { SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/evil.pem' }],
  ])('with %s is refused, and nothing is fetched', async (_what, more) => {
    const message = { Type: 'Notification', Message: '{}', ...more } as const;
    await post('ses', sns.sign(message)).expect(401);
    expect(sns.fetched).toEqual([]);
  });
});

test('a Mailgun signature counts once, whatever event it comes with', async () => {
  const [first, second] = [await sent(), await sent()];
  const signed = SIGN.mailgun(MAKE.mailgun({ word: 'delivered', id: first }));
  await post('mailgun', signed).expect(200);
  const stolen = JSON.parse(signed.body) as Record<string, unknown>;
  stolen['event-data'] = MAKE.mailgun({ word: 'failed:permanent:bounce', id: second });
  expect(await readBody(post('mailgun', { ...signed, body: JSON.stringify(stolen) }).expect(200))).toEqual({
    received: 1,
    moved: 0,
    unmatched: 0,
  });
  expect(await readStatus(second)).toBe('sent');
});
