// E-mail over real connections: order of providers, retries, sender, headers, capture.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setSetting } from '@parley/server/organizations';
import {
  eventually,
  fakeMailServer,
  fakeSendGrid,
  type FakeMailServer,
  type FakeSendGrid,
} from '@parley/testing';
import { findSecrets } from '../canary.ts';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';

const KEY = 'SG.canary-first-key.5d2c8817e4';
const NEW_KEY = 'SG.canary-second-key.9a44f0c1b7';
const PASSWORD = 'canary-smtp-p%40ssword-41c7';
/** Long enough for a busy machine, short enough for a test. */
const TIMEOUT_MS = 1_500;

let service: NotificationsUnderTest;
let sendgrid: FakeSendGrid;
let server: FakeMailServer;
let home: string;
let organization = '';
let counter = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  sendgrid = await fakeSendGrid();
  server = await fakeMailServer({ password: PASSWORD });
  service = await startNotifications({ worker: true, env: createEnv() });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([sendgrid.close(), server.close()]);
  await rm(home, { recursive: true });
});
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  await set('email_from', 'Acme Alerts <alerts@acme.example>');
});
afterEach(() => {
  sendgrid.mails.length = 0;
  sendgrid.requests.length = 0;
  server.mails.length = 0;
});

function createEnv(): Record<string, string> {
  return {
    SENDGRID_BASE_URL: sendgrid.url,
    DELIVERY_TIMEOUT_MS: String(TIMEOUT_MS),
    DELIVERY_RETRY_WAITS_MS: '20,40',
    TEST_KEY_1: KEY,
    TEST_NO_KEY: 'whatever',
    TEST_SMTP: server.url,
    TEST_SMTP_WRONG: server.url.replace('canary', 'wrong'),
    TEST_SMTP_GONE: 'smtp://127.0.0.1:1',
    TEST_NO_URL: 'mail.acme.example',
    CAPTURE: join(home, 'captured'),
  };
}

async function set(key: string, value: string, of = service): Promise<void> {
  const given = value.includes('://') && !key.startsWith('email_') ? { reference: value } : { value };
  await setSetting(of.deps.sql, organization, key, given, Date.now());
}

async function notify(more: object = {}, to: unknown = { email: 'ann@customer.example' }, of = service) {
  const api = of.as(await of.issueKey(organization));
  return api.post('/v1/notify', {
    channels: ['email'],
    message: 'The kettle boils.',
    target: { email: to },
    ...more,
  });
}

interface Status {
  status: string;
  attempts: number;
  last_error_class: string | null;
}

async function outcome(more: object = {}, to?: unknown, of = service): Promise<Status> {
  const accepted = await notify(more, to, of);
  const body = accepted.body as unknown;
  expect({ status: accepted.status, body }).toMatchObject({ status: 202 });
  const api = of.as(await of.issueKey(organization));
  const read = async () => {
    const reply = await api
      .get(`/v1/notify/${(body as { notification_id: string }).notification_id}`)
      .expect(200);
    return (reply.body as { channels: Status[] }).channels[0]!;
  };
  await eventually(async () => !['queued', 'sending'].includes((await read()).status));
  return read();
}

describe('SendGrid', () => {
  beforeEach(() => set('sendgrid_api_key', 'env://TEST_KEY_1'));

  test('gets the mail with the organisation’s key, sender and reply-to', async () => {
    await set('email_reply_to', 'help@acme.example');
    expect(await outcome({ subject: 'Tea' })).toEqual(
      expect.objectContaining({ status: 'sent', attempts: 1 }),
    );
    const [mail] = sendgrid.mails;
    expect(mail).toMatchObject({
      from: { email: 'alerts@acme.example', name: 'Acme Alerts' },
      reply_to: { email: 'help@acme.example' },
      subject: 'Tea',
      content: [{ type: 'text/plain', value: 'The kettle boils.' }],
      personalizations: [{ to: [{ email: 'ann@customer.example' }] }],
      custom_args: { notification_id: expect.stringMatching(/^ntf_/) },
    });
    expect(sendgrid.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('a target may be the address itself; an invalid one is refused', async () => {
    expect(await outcome({}, 'bob@customer.example')).toMatchObject({ status: 'sent' });
    expect(sendgrid.mails[0]!.personalizations[0]!.to).toEqual([{ email: 'bob@customer.example' }]);
    for (const wrong of [
      'bob',
      'bob@customer.example\r\nBcc: eve@evil.example',
      { email: '' },
      { address: 'x' },
      7,
      {},
    ]) {
      const reply = await notify({}, wrong);
      expect({ wrong, status: reply.status }).toEqual({ wrong, status: 400 });
      expect((reply.body as { error: string }).error).toContain('/target/email');
    }
  });

  test('a line break in the subject stays in the subject', async () => {
    await outcome({ message: 'First line\r\nBcc: eve@evil.example\r\n\r\nBody' });
    expect(sendgrid.mails[0]!.subject).toMatch(/^First line Bcc: eve@evil\.example Body$/);
    expect(sendgrid.mails[0]!.content[0]!.value).toBe('First line\r\nBcc: eve@evil.example\r\n\r\nBody');
  });

  test('a dry run shows the body that is sent and the reference of the key', async () => {
    const body = (await notify({ dry_run: true, subject: 'Tea' })).body as unknown;
    await outcome({ subject: 'Tea' });
    const { providers } = (body as { preview: { email: { providers: Record<string, unknown>[] } } }).preview
      .email;
    expect(providers).toHaveLength(1);
    const sent = sendgrid.mails[0]!;
    const withoutId = (mail: object) => JSON.stringify(mail).replaceAll(/ntf_[0-9a-z]+/g, 'ntf');
    expect(withoutId(providers[0]!['body'] as object)).toBe(withoutId(sent));
    expect(providers[0]).toMatchObject({ provider: 'sendgrid', secret_reference: 'env://TEST_KEY_1' });
  });

  test('401: reads the secret again and sends with the new one', async () => {
    const path = join(home, `key-${counter}`);
    await writeFile(path, KEY);
    await set('sendgrid_api_key', `file://${path}`);
    // The operator stores another key of the account at this moment.
    sendgrid.script(() => {
      writeFileSync(path, NEW_KEY);
      return 401;
    });
    expect(await outcome()).toMatchObject({ status: 'sent', attempts: 1 });
    const keys = sendgrid.requests.map(({ headers }) => headers.authorization);
    expect(keys).toEqual([`Bearer ${KEY}`, `Bearer ${NEW_KEY}`]);
  });

  test('401 without another key ends it after one request', async () => {
    sendgrid.script(401);
    expect(await outcome()).toMatchObject({ status: 'failed', attempts: 1, last_error_class: 'http_status' });
    expect(sendgrid.requests).toHaveLength(1);
  });

  test('an invalid key is sent nowhere; an unreadable one is waited for', async () => {
    await set('sendgrid_api_key', 'env://TEST_NO_KEY');
    expect(await outcome()).toMatchObject({ status: 'failed', last_error_class: 'unusable_secret' });
    await set('sendgrid_api_key', 'env://TEST_NOT_SET');
    expect(await outcome()).toMatchObject({
      status: 'failed',
      attempts: 3,
      last_error_class: 'secret_unavailable',
    });
    expect(sendgrid.requests).toHaveLength(0);
  });

  test('a redirect is not followed, since the key would follow it', async () => {
    sendgrid.script({ status: 302, headers: { location: `${sendgrid.url}/elsewhere` } });
    expect(await outcome()).toMatchObject({ status: 'failed', attempts: 1 });
    expect(sendgrid.requests.map(({ path }) => path)).toEqual(['/v3/mail/send']);
  });

  test('a time-out after the last byte is unknown and not retried', async () => {
    sendgrid.script('hang');
    expect(await outcome()).toMatchObject({ status: 'unknown', attempts: 1, last_error_class: 'timeout' });
    expect(sendgrid.requests).toHaveLength(1);
  });

  test('unless EMAIL_RETRY_AMBIGUOUS allows it', async () => {
    const eager = await startNotifications({
      worker: true,
      env: { ...createEnv(), EMAIL_RETRY_AMBIGUOUS: 'true', DELIVERY_TIMEOUT_MS: '5000' },
    });
    try {
      await set('email_from', 'a@acme.example', eager);
      await set('sendgrid_api_key', 'env://TEST_KEY_1', eager);
      sendgrid.script('hang');
      expect(await outcome({}, undefined, eager)).toMatchObject({ status: 'sent', attempts: 2 });
    } finally {
      await eager.stop();
    }
  });
});

describe('a mail server', () => {
  beforeEach(() => set('smtp_url', 'env://TEST_SMTP'));

  test('gets the mail from an authenticated user', async () => {
    expect(await outcome({ subject: 'Tee für zwei' })).toMatchObject({ status: 'sent', attempts: 1 });
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from: 'alerts@acme.example', to: ['ann@customer.example'], user: 'parley' });
    expect(mail!.document).toMatch(/^From: Acme Alerts <alerts@acme\.example>\r$/m);
    expect(mail!.document).toMatch(/^X-Notification-I[dD]: ntf_[0-9a-z]+\r$/m);
    expect(mail!.document).toMatch(/^Message-ID: <dlv_[0-9a-z]+@acme\.example>\r$/m);
    expect(mail!.document).toMatch(/^Subject: =\?UTF-8\?Q\?Tee_f=C3=BCr_zwei\?=\r$/m);
    expect(mail!.document).toMatch(/\r\n\r\nThe kettle boils\.\r\n$/);
  });

  test('subject and message cannot add headers', async () => {
    await outcome({ subject: 'a', message: '.\r\nBcc: eve@evil.example' });
    await outcome({ message: 'Hi\r\nBcc: eve@evil.example\r\n\r\nx' });
    for (const { document, to } of server.mails) {
      expect(to).toEqual(['ann@customer.example']);
      expect(document.slice(0, document.indexOf('\r\n\r\n'))).not.toMatch(/^bcc:/im);
    }
    // a lone dot does not end the mail
    expect(server.mails[0]!.document).toContain('\r\n\r\n.\r\nBcc:');
  });

  test.each([
    [{ at: 'recipient', code: 550 }, 'bounced', 1, 'recipient_refused'],
    [{ at: 'data', code: 554 }, 'failed', 1, 'message_refused'],
    [{ at: 'sender', code: 553 }, 'failed', 1, 'smtp_status'],
    [{ at: 'login', code: 535 }, 'failed', 1, 'authentication_failed'],
    [{ at: 'recipient', code: 451 }, 'sent', 2, 'smtp_status'],
    [{ at: 'data', code: 452 }, 'sent', 2, 'smtp_status'],
    [{ at: 'connect', code: 421 }, 'sent', 2, 'smtp_status'],
    ['drop', 'sent', 2, 'connection_lost'],
    ['reset', 'sent', 2, 'connection_lost'],
    ['silent', 'sent', 2, 'timeout'],
    ['hang', 'unknown', 1, 'timeout'],
  ] as const)('%j: %s after %i', async (answer, status, attempts, errorClass) => {
    server.script(answer);
    expect(await outcome()).toMatchObject({ status, attempts, last_error_class: errorClass });
    expect(server.mails).toHaveLength(status === 'sent' ? 1 : 0);
  });

  test('a wrong password, an invalid address, an unreachable server', async () => {
    await set('smtp_url', 'env://TEST_SMTP_WRONG');
    expect(await outcome()).toMatchObject({
      status: 'failed',
      attempts: 1,
      last_error_class: 'authentication_failed',
    });
    await set('smtp_url', 'env://TEST_NO_URL');
    expect(await outcome()).toMatchObject({
      status: 'failed',
      attempts: 1,
      last_error_class: 'unusable_secret',
    });
    await set('smtp_url', 'env://TEST_SMTP_GONE');
    expect(await outcome()).toMatchObject({
      status: 'failed',
      attempts: 3,
      last_error_class: 'connect_refused',
    });
  });
});

describe('providers in order', () => {
  beforeEach(async () => {
    await set('sendgrid_api_key', 'env://TEST_KEY_1');
    await set('smtp_url', 'env://TEST_SMTP');
  });

  test.each([500, 429, 401, 'reset'] as const)(
    'the mail server gets what SendGrid does not accept (%s)',
    async (answer) => {
      sendgrid.script(answer);
      expect(await outcome()).toMatchObject({ status: 'sent', attempts: 1 });
      expect([sendgrid.mails.length, server.mails.length]).toEqual([0, 1]);
    },
  );

  test('in the order of the organisation', async () => {
    await set('email_providers', 'smtp,sendgrid');
    await outcome();
    server.script({ at: 'connect', code: 554 });
    await outcome();
    expect([sendgrid.mails.length, server.mails.length]).toEqual([1, 1]);
    await set('email_providers', 'sendgrid');
    sendgrid.script(500);
    expect(await outcome()).toMatchObject({ status: 'sent', attempts: 2 });
    expect([sendgrid.mails.length, server.mails.length]).toEqual([2, 1]);
  });

  test.each([
    ['refuses the mail', 400, 'failed'],
    ['may have taken it', 'hang', 'unknown'],
  ] as const)('a provider that %s is the last one tried', async (_what, answer, status) => {
    sendgrid.script(answer);
    expect(await outcome()).toMatchObject({ status, attempts: 1 });
    expect(server.mails).toHaveLength(0);
  });

  test('when none accepts now, all of them are tried again later', async () => {
    sendgrid.script(503, 503);
    server.script({ at: 'connect', code: 421 });
    expect(await outcome()).toMatchObject({ status: 'sent', attempts: 2 });
    expect([sendgrid.requests.length, server.mails.length]).toEqual([2, 1]);
  });
});

describe('a missing configuration', () => {
  test('no provider or no sender: 422, and next to other channels only e-mail is omitted', async () => {
    const refused = await notify();
    expect(refused.status).toBe(422);
    expect((refused.body as { error: string }).error).toContain('no mail provider');
    const partly = await notify({ channels: ['email', 'in_app'] });
    expect(partly.body).toMatchObject({
      accepted_channels: ['in_app'],
      rejected: [{ channel: 'email', reason: expect.stringContaining('sendgrid_api_key') }],
    });
    organization = `${organization}-without-sender`;
    await set('sendgrid_api_key', 'env://TEST_KEY_1');
    expect((await notify()).body).toEqual({ error: expect.stringContaining('email_from') });
    await set('email_from', 'a@acme.example');
    await set('email_providers', 'capture'); // not available in this deployment
    expect((await notify()).status).toBe(422);
  });
});

describe('capture', () => {
  test('capture receives mail in development and sends nothing', async () => {
    const dir = join(home, 'captured');
    const development = await startNotifications({
      worker: true,
      env: { ...createEnv(), EMAIL_CAPTURE_DIR: dir },
    });
    try {
      organization = `${organization}-development`;
      expect(await outcome({ subject: 'Tea' }, undefined, development)).toMatchObject({
        status: 'sent',
        attempts: 1,
      });
      const [file, ...others] = await readdir(dir);
      expect([file, others]).toEqual([expect.stringMatching(/^\d{4}-.*-ntf_[0-9a-z]+\.eml$/), []]);
      const document = await readFile(join(dir, file!), 'utf8');
      expect(document).toMatch(/^Subject: Tea\r$/m);
      expect(document).toMatch(/^To: ann@customer\.example\r$/m);
      expect(development.log.with('email.captured')).toHaveLength(1);
      // A configured provider replaces it.
      await set('email_from', 'a@acme.example', development);
      await set('sendgrid_api_key', 'env://TEST_KEY_1', development);
      await outcome({}, undefined, development);
      expect([(await readdir(dir)).length, sendgrid.mails.length]).toEqual([1, 1]);
    } finally {
      await development.stop();
    }
  });
});

test('no key or password is in Postgres, the queue or the log after all of this', async () => {
  await set('sendgrid_api_key', 'env://TEST_KEY_1');
  await set('smtp_url', 'env://TEST_SMTP');
  sendgrid.script(
    { status: 400, body: { errors: [{ message: `no such key: ${KEY}`, field: 'key' }] } },
    'reset',
  );
  await outcome();
  await outcome();
  expect(service.log.text()).toContain('no such key: [secret]');
  expect(await findSecrets(service, [KEY, NEW_KEY, PASSWORD, decodeURIComponent(PASSWORD)])).toEqual([]);
});
