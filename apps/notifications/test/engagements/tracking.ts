// Fixtures for tests of opens and clicks: a service with PUBLIC_URL, an organisation for each test,
// mails and pushes.
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { setSetting } from '@parley/server/organizations';
import { fakeSendGrid, type FakeSendGrid } from '@parley/testing';
import { startPush, type PushUnderTest } from '../push/push.ts';
import { deliver } from '../work.ts';

export const PUBLIC_URL = 'https://notify.acme.example';
export const HTML =
  '<body><a href="https://shop.example/tea?a=1&amp;b=2">Tea</a> <a href="/here">Here</a></body>';
export const BOTH = { opens: true, clicks: true };

export interface Channel {
  channel: string;
  status: string;
  opened_at?: number;
  clicked_at?: number;
  dismissed_at?: number;
  clicks?: number;
}

export function tracking() {
  let service: PushUnderTest;
  let sendgrid: FakeSendGrid;
  let organization = '';
  let counter = 0;
  let api: PushUnderTest['api'];
  beforeAll(async () => {
    sendgrid = await fakeSendGrid();
    service = await startPush({
      worker: false,
      env: {
        PUBLIC_URL: `${PUBLIC_URL}/`,
        SENDGRID_BASE_URL: sendgrid.url,
        TEST_SENDGRID: 'SG.key',
        SIGNING: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      },
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
    await set('email_from', { value: 'Acme <alerts@acme.example>' });
    await set('sendgrid_api_key', { reference: 'env://TEST_SENDGRID' });
    sendgrid.mails.length = 0;
    service.outside.pushes.length = 0;
  });

  const set = (key: string, given: { value: string } | { reference: string }) =>
    setSetting(service.deps.sql, organization, key, given, Date.now());

  async function send(body: object): Promise<string> {
    const reply = await api.post('/v1/notify', { message: 'Tea.', ...body }).expect(202);
    return (reply.body as { notification_id: string }).notification_id;
  }

  /** One attempt of a channel. */
  async function attempt(id: string, channel: string): Promise<void> {
    const [row] = await service.deps.sql<{ id: string }>(
      'SELECT id FROM deliveries WHERE notification_id = $1 AND channel = $2',
      [id, channel],
    );
    await deliver(service.deps, row!.id);
  }

  return {
    get service() {
      return service;
    },
    get sendgrid() {
      return sendgrid;
    },
    get api() {
      return api;
    },
    get organization() {
      return organization;
    },
    set,
    send,
    attempt,
    statusOf: async (id: string, channel: string): Promise<Channel> => {
      const { channels } = (await api.get(`/v1/notify/${id}`).expect(200)).body as { channels: Channel[] };
      return channels.find((one) => one.channel === channel)!;
    },
    /** The answer to a reader who opens an address of a mail or a push. */
    follow: (address: string, init: RequestInit = {}) =>
      fetch(address.replace(PUBLIC_URL, service.server.url), { redirect: 'manual', ...init }),
    mailed: async (more: object = { track: BOTH }) => {
      const id = await send(mailTo(more));
      await attempt(id, 'email');
      const mail = sendgrid.mails.at(-1)! as unknown as { content: { type: string; value: string }[] };
      expect(mail.content[0]).toEqual({ type: 'text/plain', value: 'Tea.' });
      const html = mail.content[1]!.value;
      const [, link = ''] = /href="([^"]+)"/.exec(html) ?? [];
      const [, picture = ''] = /<img src="([^"]+)"/.exec(html) ?? [];
      return { id, html, link, picture };
    },
  };
}

export const mailTo = (more: object = {}) => ({
  channels: ['email'],
  target: { email: { email: 'ann@customer.example', html: HTML } },
  ...more,
});
