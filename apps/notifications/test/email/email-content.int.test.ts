// The content of a mail besides its text: HTML, copies, reply-to, attachments from the request and
// from addresses.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import {
  eventually,
  fakeMailServer,
  fakeSendGrid,
  receiver,
  type FakeMailServer,
  type FakeSendGrid,
  type Receiver,
} from '@parley/testing';
import { ATTACHMENT_BYTES_MAX } from '../../src/channels/email/mail-target.ts';
import { findSecrets } from '../canary.ts';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';
import { HTML_BYTES_MAX } from '../../src/rendering/text-limits.ts';

const PDF = Buffer.from('%PDF-1.7 \0\xff', 'latin1');

let service: NotificationsUnderTest;
let sendgrid: FakeSendGrid;
let server: FakeMailServer;
let files: Receiver;
let organization = '';
let counter = 0;

beforeAll(async () => {
  sendgrid = await fakeSendGrid();
  server = await fakeMailServer();
  files = await receiver();
  service = await startNotifications({
    worker: true,
    env: {
      SENDGRID_BASE_URL: sendgrid.url,
      DELIVERY_TIMEOUT_MS: '4000',
      DELIVERY_RETRY_WAITS_MS: '20',
      TEST_SENDGRID: 'SG.key',
      TEST_SMTP: server.url,
    },
  });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([sendgrid.close(), server.close(), files.close()]);
});
beforeEach(async () => {
  counter += 1;
  organization = `org-${counter}`;
  await set('email_from', { value: 'Acme <alerts@acme.example>' });
});
afterEach(() => {
  sendgrid.mails.length = 0;
  server.mails.length = 0;
  files.requests.length = 0;
});

const set = (key: string, given: { value: string } | { reference: string }) =>
  setSetting(service.deps.sql, organization, key, given, Date.now());
const withSendGrid = () => set('sendgrid_api_key', { reference: 'env://TEST_SENDGRID' });
const withServer = () => set('smtp_url', { reference: 'env://TEST_SMTP' });

async function notify(email: object, more: object = {}) {
  const api = service.as(await service.issueKey(organization));
  const target = { email: { email: 'ann@customer.example', ...email } };
  return api.post('/v1/notify', {
    channels: ['email'],
    subject: 'Tea',
    message: 'The kettle boils.',
    target,
    ...more,
  });
}

interface Status {
  status: string;
  attempts: number;
  last_error_class: string | null;
}

async function outcome(email: object): Promise<Status & { id: string }> {
  const accepted = await notify(email);
  const body = accepted.body as { notification_id: string };
  expect({ status: accepted.status, body }).toMatchObject({ status: 202 });
  const api = service.as(await service.issueKey(organization));
  const read = async () => {
    const reply = await api.get(`/v1/notify/${body.notification_id}`).expect(200);
    return (reply.body as { channels: Status[] }).channels[0]!;
  };
  await eventually(async () => !['queued', 'sending'].includes((await read()).status));
  return { ...(await read()), id: body.notification_id };
}

const rich = {
  cc: ['bob@customer.example'],
  bcc: ['eve@customer.example'],
  reply_to: 'desk@acme.example',
  html: '<p>The <b>kettle</b> boils.</p><img src="cid:logo">',
  attachments: [
    { filename: 'Größe.pdf', content: PDF.toString('base64') },
    { filename: 'logo.png', content_type: 'image/png', content: 'AAEC', content_id: 'logo' },
  ],
};

describe('HTML, copies and attachments', () => {
  test('SendGrid gets all of them, the text first', async () => {
    await withSendGrid();
    await set('email_reply_to', { value: 'help@acme.example' });
    expect(await outcome(rich)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(sendgrid.mails[0]).toMatchObject({
      personalizations: [
        {
          to: [{ email: 'ann@customer.example' }],
          cc: [{ email: 'bob@customer.example' }],
          bcc: [{ email: 'eve@customer.example' }],
        },
      ],
      reply_to: { email: 'desk@acme.example' },
      content: [
        { type: 'text/plain', value: 'The kettle boils.' },
        { type: 'text/html', value: rich.html },
      ],
      attachments: [
        { filename: 'Größe.pdf', content: PDF.toString('base64') },
        {
          filename: 'logo.png',
          type: 'image/png',
          content: 'AAEC',
          content_id: 'logo',
          disposition: 'inline',
        },
      ],
    });
  });

  test('a mail server gets one document for all receivers; blind copies are in no header', async () => {
    await withServer();
    expect(await outcome(rich)).toMatchObject({ status: 'sent', attempts: 1 });
    const [{ to, document }] = server.mails as [(typeof server.mails)[number]];
    expect(to).toEqual(['ann@customer.example', 'bob@customer.example', 'eve@customer.example']);
    expect(document).toMatch(/^Cc: bob@customer\.example\r$/m);
    expect(document).toMatch(/^Reply-To: desk@acme\.example\r$/m);
    expect(document).not.toContain('eve@');
    const parts = [...document.matchAll(/^Content-Type: ([a-z]+\/[a-z]+)/gm)].map(([, type]) => type);
    expect(parts).toEqual([
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'multipart/related',
      'text/html',
      'image/png',
      'application/pdf',
    ]);
    expect(document).toContain(PDF.toString('base64'));
    expect(document).toMatch(/^Content-I[dD]: <logo>\r$/m);
  });

  test('the document is the same in every attempt', async () => {
    await withServer();
    server.script('reset');
    const documents: string[] = [];
    expect(await outcome(rich)).toMatchObject({ status: 'sent', attempts: 2 });
    documents.push(server.mails[0]!.document);
    const preview = (await notify(rich, { dry_run: true })).body as {
      preview: { email: { providers: { body: string }[] } };
    };
    const again = (await notify(rich, { dry_run: true })).body as typeof preview;
    const boundaries = ({ preview: { email } }: typeof preview) =>
      email.providers[0]!.body.match(/boundary="[^"]+"/g);
    expect(boundaries(preview)).toEqual(boundaries(again));
  });

  test('large and possibly secret content is sealed and deleted with the last attempt', async () => {
    await withServer();
    const secret = 'canary-html-7c1a';
    const { id } = await outcome({ html: `<p>${secret}</p>` });
    expect(await findSecrets(service, [secret])).toEqual([]);
    const rows = await service.deps.sql('SELECT sealed FROM deliveries WHERE notification_id = $1', [id]);
    expect(rows).toEqual([{ sealed: null }]);
  });

  test.each([
    ['/cc/0', { cc: ['Ann@customer.example'] }, 'is a duplicate'],
    ['/bcc/0', { cc: ['b@customer.example'], bcc: ['b@customer.example'] }, 'is a duplicate'],
    ['', { cc: Array.from({ length: 21 }, (_, index) => `a${index}@b.example`) }, 'cc: Too big'],
    ['/reply_to', { reply_to: 'x@y.example\r\nBcc: z@y.example' }, 'must be an e-mail address'],
    ['/html', { html: 'ä'.repeat(HTML_BYTES_MAX / 2 + 1) }, `at most ${HTML_BYTES_MAX} bytes`],
    ['/attachments/0', { attachments: [{ filename: 'a.txt' }] }, 'exactly one of content and url'],
    [
      '/attachments/0/filename',
      { attachments: [{ filename: '../a"\r\nX: y', content: 'AAAA' }] },
      '200 characters',
    ],
    ['/attachments/0/content', { attachments: [{ filename: 'a', content: 'not base64!' }] }, 'base64'],
    [
      '/attachments/0/content_type',
      { attachments: [{ filename: 'a', content: 'AAAA', content_type: 'text/html\r\nX: y' }] },
      'application/pdf',
    ],
    ['/attachments/0/url', { attachments: [{ filename: 'a', url: 'https://10.0.0.1/a' }] }, 'private'],
  ])('%s: %j is refused', async (path, email, problem) => {
    await withSendGrid();
    const reply = await notify(email);
    expect(reply.status).toBe(400);
    const { error } = reply.body as { error: string };
    expect(error).toContain(`/target/email${path}`);
    expect(error).toContain(problem);
  });
});

describe('attachments by address', () => {
  beforeEach(withSendGrid);
  const by = (path: string, filename = 'a.bin') => ({
    attachments: [{ filename, url: `${files.url}${path}` }],
  });

  test('are fetched when the mail is sent, under the outbound policy, and their address is never shown', async () => {
    files.script({ status: 200, body: PDF });
    const dry = await notify(by('/a?token=canary-3f'), { dry_run: true });
    expect(dry.text).not.toContain('canary-3f');
    expect(dry.body).toMatchObject({
      preview: { email: { fetched_attachments: [{ filename: 'a.bin', url: { hash: expect.any(String) } }] } },
    });
    expect(files.requests).toEqual([]);
    expect(await outcome(by('/a?token=canary-3f'))).toMatchObject({
      status: 'sent',
      attempts: 1,
      last_error_class: null,
    });
    const [mail] = sendgrid.mails as unknown as { attachments: object[] }[];
    expect(mail!.attachments).toEqual([{ filename: 'a.bin', content: PDF.toString('base64') }]);
    expect(files.requests.map(({ method, path }) => [method, path])).toEqual([['GET', '/a?token=canary-3f']]);
    expect(await findSecrets(service, ['canary-3f'])).toEqual([]);
  });

  test('are retried when they are unavailable now, and end the mail when they always will be', async () => {
    files.script(503, { status: 200, body: 'x' });
    expect(await outcome(by('/a'))).toMatchObject({ status: 'sent', attempts: 2 });
    files.script(404);
    expect(await outcome(by('/a'))).toMatchObject({
      status: 'failed',
      attempts: 1,
      last_error_class: 'attachment_http_status',
    });
    files.script({ status: 302, headers: { location: 'http://169.254.169.254/' } });
    expect(await outcome(by('/a'))).toMatchObject({ status: 'failed', attempts: 1 });
    files.script('hang', 'hang');
    expect(await outcome(by('/a'))).toMatchObject({
      status: 'failed',
      attempts: 2,
      last_error_class: 'attachment_timeout',
    });
    expect(sendgrid.mails).toHaveLength(1);
  });

  test('are sent up to 10 MiB in all, and not a byte more', async () => {
    const half = Buffer.alloc(ATTACHMENT_BYTES_MAX / 2, 1);
    const two = { attachments: [...by('/a').attachments, ...by('/b').attachments] };
    files.script({ status: 200, body: half }, { status: 200, body: half });
    expect(await outcome(two)).toMatchObject({ status: 'sent' });
    files.script({ status: 200, body: half }, { status: 200, body: Buffer.concat([half, Buffer.from('x')]) });
    expect(await outcome(two)).toMatchObject({
      status: 'failed',
      attempts: 1,
      last_error_class: 'attachment_too_large',
    });
  });
});

describe('headers and threads', () => {
  const headersOf = (document: string) =>
    new Map(
      document
        .split('\r\n\r\n')[0]!
        .replaceAll(/\r\n\s+/g, ' ')
        .split('\r\n')
        .map((line) => line.split(/: (.*)/s))
        .map(([name = '', value = '']) => [name.toLowerCase(), value] as const),
    );

  test('headers of the send arrive at a mail server and at SendGrid', async () => {
    const headers = { 'X-Order': '7', 'Feedback-ID': 'orders:acme' };
    await withServer();
    await outcome({ headers });
    const [mail] = await server.received(1);
    expect(headersOf(mail!.document).get('x-order')).toBe('7');
    expect(headersOf(mail!.document).get('feedback-id')).toBe('orders:acme');
    await withSendGrid();
    await outcome({ headers });
    expect(sendgrid.mails[0]!.headers).toMatchObject(headers);
  });

  test('mail with one key refers to one root, that of other keys and organisations to others', async () => {
    await withServer();
    await outcome({ thread_key: 'order-7' });
    await outcome({ thread_key: 'order-7', in_reply_to: '<question@customer.example>' });
    await outcome({ thread_key: 'order-8' });
    await outcome({ in_reply_to: '<question@customer.example>' });
    const found = (await server.received(4)).map(({ document }) => headersOf(document));
    const root = found[0]!.get('references')!;
    expect(root).toMatch(/^<thread\.[0-9a-f]{32}@acme\.example>$/);
    expect(found.map((mail) => [mail.get('in-reply-to'), mail.get('references')])).toEqual([
      [root, root],
      ['<question@customer.example>', `${root} <question@customer.example>`],
      [expect.not.stringContaining(root), expect.not.stringContaining(root)],
      ['<question@customer.example>', '<question@customer.example>'],
    ]);
    organization = `${organization}-rival`;
    await set('email_from', { value: 'alerts@acme.example' });
    await withServer();
    await outcome({ thread_key: 'order-7' });
    const mails = await server.received(5);
    expect(headersOf(mails[4]!.document).get('references')).not.toBe(root);
  });

  test.each([
    ['a line break', { headers: { 'X-Order': '7\r\nBcc: eve@customer.example' } }, 'headers/X-Order'],
    ['a header of the mail itself', { headers: { Bcc: 'eve@customer.example' } }, 'headers/Bcc'],
    ['a header for a provider', { headers: { 'X-SES-CONFIGURATION-SET': 'x' } }, 'headers/X-SES'],
    ['a header of Parley', { headers: { 'X-Notification-Id': 'ntf_1' } }, 'headers/X-Notification-Id'],
    ['one header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'headers'],
    [
      'too many',
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, '1'])) },
      'headers',
    ],
    ['an id without brackets', { in_reply_to: 'a@b.example' }, 'in_reply_to'],
    ['an id with a line break', { in_reply_to: '<a@b.example>\r\nBcc: <c@d.example>' }, 'in_reply_to'],
  ])('%s is refused', async (_what, email, path) => {
    await withServer();
    const reply = await notify(email);
    expect(reply.status).toBe(400);
    expect((reply.body as { error: string }).error).toContain(path);
  });
});
