// Sending through Amazon SES, Mailgun, Postmark and Resend: the whole mail arrives, and each
// documented refusal has the right end.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import {
  eventually,
  fakeMailApis,
  fakeMailServer,
  MAIL_API_KEYS,
  MAIL_RATE_LIMITS,
  type FakeMailApis,
  type FakeMailServer,
} from '@parley/testing';
import { findSecrets } from '../canary.ts';
import { readBody, startNotifications, type NotificationsUnderTest } from '../service.ts';

const ANN = 'ann@customer.example';
const HTTP = ['mailgun', 'postmark', 'resend'] as const;
type HttpName = (typeof HTTP)[number];
const SECRETS: Readonly<Record<HttpName | 'ses', string>> = {
  ses: 'ses_smtp_url',
  mailgun: 'mailgun_api_key',
  postmark: 'postmark_server_token',
  resend: 'resend_api_key',
};

let service: NotificationsUnderTest;
let apis: FakeMailApis;
let ses: FakeMailServer;
let organization = '';
let counter = 0;

beforeAll(async () => {
  [apis, ses] = await Promise.all([
    fakeMailApis(),
    fakeMailServer({ reply: (count) => `Ok 010201922b9f-${count}-000000` }),
  ]);
  service = await startNotifications({
    worker: true,
    env: {
      MAILGUN_BASE_URL: apis.url,
      POSTMARK_BASE_URL: apis.url,
      RESEND_BASE_URL: apis.url,
      TEST_SES: ses.url,
      TEST_MAILGUN: MAIL_API_KEYS.mailgun,
      TEST_POSTMARK: MAIL_API_KEYS.postmark,
      TEST_RESEND: MAIL_API_KEYS.resend,
      TEST_WRONG: 'canary-wrong-key-55e1',
      DELIVERY_TIMEOUT_MS: '1500',
      DELIVERY_RETRY_WAITS_MS: '20,40',
    },
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([apis.close(), ses.close()]);
});
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  await value('email_from', 'Acme, "Best" <alerts@acme.example>');
  apis.mails.length = 0;
  ses.mails.length = 0;
});

const value = (key: string, text: string) =>
  setSetting(service.deps.sql, organization, key, { value: text }, Date.now());
const use = (name: HttpName | 'ses', variable = `TEST_${name.toUpperCase()}`) =>
  setSetting(service.deps.sql, organization, SECRETS[name], { reference: `env://${variable}` }, Date.now());

interface ChannelStatus {
  status: string;
  last_error_class: string | null;
}
async function send(more: object = {}, email: object = {}) {
  const api = service.as(await service.issueKey(organization));
  const body = { channels: ['email'], subject: 'Grüße', message: 'Text', ...more };
  const target = { email: { email: ANN, ...email } };
  const { notification_id: id } = (await readBody(
    api.post('/v1/notify', { ...body, target }).expect(202),
  )) as {
    notification_id: string;
  };
  const read = async () =>
    ((await readBody(api.get(`/v1/notify/${id}`).expect(200))) as { channels: ChannelStatus[] }).channels[0]!;
  await eventually(async () => !['queued', 'sending'].includes((await read()).status));
  return { id, ...(await read()) };
}

const RICH = {
  html: '<p>Text</p>',
  cc: ['Copy, Inc. <copy@customer.example>'],
  bcc: ['blind@customer.example'],
  reply_to: 'reply@acme.example',
  attachments: [{ filename: 'Rechnung März.pdf', content: 'aGVsbG8=', content_id: 'bill' }],
};

describe('a whole mail', () => {
  test('through Postmark has every part by the names of its API', async () => {
    await use('postmark');
    const { id, status } = await send({}, RICH);
    expect(status).toBe('sent');
    expect(apis.mails).toEqual([
      {
        provider: 'postmark',
        body: {
          From: '"Acme, \\"Best\\"" <alerts@acme.example>',
          To: ANN,
          Cc: '"Copy, Inc." <copy@customer.example>',
          Bcc: 'blind@customer.example',
          ReplyTo: 'reply@acme.example',
          Subject: 'Grüße',
          TextBody: 'Text',
          HtmlBody: '<p>Text</p>',
          Headers: [{ Name: 'X-Notification-Id', Value: id }],
          Metadata: { notification_id: id },
          Attachments: [
            {
              Name: 'Rechnung März.pdf',
              Content: 'aGVsbG8=',
              ContentType: 'application/pdf',
              ContentID: 'cid:bill',
            },
          ],
        },
      },
    ]);
  });

  test('through Resend has every part by the names of its API, and a key against repetition', async () => {
    await use('resend');
    const { id, status } = await send({}, RICH);
    expect(status).toBe('sent');
    expect(apis.mails).toEqual([
      {
        provider: 'resend',
        body: {
          from: '"Acme, \\"Best\\"" <alerts@acme.example>',
          to: [ANN],
          cc: ['"Copy, Inc." <copy@customer.example>'],
          bcc: ['blind@customer.example'],
          reply_to: 'reply@acme.example',
          subject: 'Grüße',
          text: 'Text',
          html: '<p>Text</p>',
          headers: { 'X-Notification-Id': id },
          tags: [{ name: 'notification_id', value: id }],
          attachments: [{ filename: 'Rechnung März.pdf', content: 'aGVsbG8=', content_id: 'bill' }],
        },
      },
    ]);
    expect(apis.requests.at(-1)!.headers['idempotency-key']).toMatch(/^dlv_/);
  });

  test('through Mailgun and Amazon SES is the document of SMTP', async () => {
    await use('mailgun');
    await value('mailgun_domain', 'mg.acme.example');
    const first = await send({}, RICH);
    const [{ body: form } = { body: {} }] = apis.mails;
    expect(form).toMatchObject({
      to: `${ANN},copy@customer.example,blind@customer.example`,
      notification_id: first.id,
    });
    expect(apis.requests.at(-1)!.path).toBe('/v3/mg.acme.example/messages.mime');

    await value('email_providers', 'ses');
    await use('ses');
    const second = await send({}, RICH);
    const [mail] = await ses.received(1);
    expect(mail!.to).toEqual([ANN, 'copy@customer.example', 'blind@customer.example']);
    expect(mail!.document).toMatch(new RegExp(`^X-SES-MESSAGE-TAGS: notification_id=${second.id}`, 'im'));
    expect([first.status, second.status]).toEqual(['sent', 'sent']);
    for (const document of [String((form as { message: string }).message), mail!.document]) {
      expect(document).toMatch(/^Cc: "Copy, Inc\." <copy@customer\.example>/m);
      expect(document).toMatch(/^From: "Acme, \\"Best\\"" <alerts@acme\.example>/m);
      // RFC 2231: the name keeps its letter outside ASCII
      expect(document).toMatch(/filename\*(0\*)?=utf-8''Rechnung%20M%C3%A4rz\.pdf/i);
      expect(document).not.toContain('blind@customer.example');
    }
  });
});

describe('a refusal', () => {
  test.each([
    ['postmark', 'inactive@customer.example', 'bounced', 'recipient_refused'],
    ['mailgun', ANN, 'failed', 'http_status'],
  ] as const)('of the receiver or mail by %s is final', async (name, email, status, errorClass) => {
    await use(name);
    if (name === 'mailgun') apis.script({ status: 400, body: { message: 'to parameter is not valid' } });
    expect(await send({}, { email })).toMatchObject({ status, last_error_class: errorClass });
  });

  test.each([
    ['postmark', 'a wrong token (401, ErrorCode 10)', undefined],
    ['resend', 'an invalid API key (403)', undefined],
    ['mailgun', 'a wrong key (401 Forbidden)', undefined],
    ['postmark', 'a sender that is not verified (422, ErrorCode 400)', 'other@elsewhere.example'],
    ['resend', 'a domain that is not verified (403)', 'other@elsewhere.example'],
  ] as const)('of the account by %s, %s, goes to the next provider', async (name, _what, from) => {
    await use(name, from === undefined ? 'TEST_WRONG' : undefined);
    if (from !== undefined) await value('email_from', from);
    await use('ses');
    await value('email_providers', `${name},ses`);
    expect(await send()).toMatchObject({ status: 'sent' });
    expect(apis.mails).toEqual([]);
    expect(ses.mails).toHaveLength(1);
  });

  test.each([
    '554 Message rejected: Email address is not verified. The following identities failed the check',
    '554 Access denied: User is not authorized to perform ses:SendRawEmail',
  ])('of the account by Amazon SES goes to the next provider: %s', async (reply) => {
    await use('ses');
    await use('mailgun');
    ses.script({ at: 'data', code: 554, text: reply.slice(4) });
    expect(await send()).toMatchObject({ status: 'sent' });
    expect(apis.mails).toHaveLength(1);
  });

  test.each(HTTP)('of %s for now (429, 503) is retried', async (name) => {
    await use(name);
    apis.script(MAIL_RATE_LIMITS[name], 503);
    expect(await send()).toMatchObject({ status: 'sent' });
    expect(apis.mails).toHaveLength(1);
  });

  test('leaves a mail unknown after a time-out, except where the provider recognises a repetition', async () => {
    await use('postmark');
    apis.script('hang');
    expect(await send()).toMatchObject({ status: 'unknown', last_error_class: 'timeout' });
    await value('email_providers', 'resend');
    await use('resend');
    apis.script('hang', { status: 409, body: { statusCode: 409, name: 'concurrent_idempotent_requests' } });
    expect(await send()).toMatchObject({ status: 'sent' });
    const keys = apis.requests.slice(-3).map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    apis.script({ status: 409, body: { statusCode: 409, name: 'invalid_idempotent_request' } });
    expect(await send()).toMatchObject({ status: 'unknown' });
  });
});

test('no key stands in a row or a log line', async () => {
  const keys = [...Object.values(MAIL_API_KEYS), 'canary-wrong-key-55e1'];
  expect(await findSecrets(service, keys)).toEqual([]);
});
