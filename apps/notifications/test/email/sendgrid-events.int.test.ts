// SendGrid's event webhook: who may call it, and what each event does to a delivery, in any order
// and number.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EventWebhook } from '@sendgrid/eventwebhook';
import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import supertest from 'supertest';
import { setSetting } from '@parley/server/organizations';
import { eventually, fakeSendGrid, type FakeSendGrid } from '@parley/testing';
import { isSigned, parsePublicKey } from '../../src/channels/email/events/sendgrid-signature.ts';
import { EVENTS_REMEMBERED_MS, deleteOldEvents } from '../../src/channels/email/events/accept-mail-events.ts';
import { startNotifications, type NotificationsUnderTest } from '../service.ts';

const ours = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const theirs = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const publicKey = ours.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

let service: NotificationsUnderTest;
let sendgrid: FakeSendGrid;
let organization = '';
let counter = 0;

beforeAll(async () => {
  sendgrid = await fakeSendGrid();
  service = await startNotifications({
    worker: true,
    env: {
      SENDGRID_BASE_URL: sendgrid.url,
      TEST_SENDGRID: 'SG.key',
      TEST_EVENT_KEY: publicKey,
      TEST_NO_KEY: 'not a key',
      SETTING_DEFAULTS: JSON.stringify({ email_from: 'a@acme.example' }),
      DELIVERY_TIMEOUT_MS: '1500',
      DELIVERY_RETRY_WAITS_MS: '20',
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
  await set('sendgrid_api_key', 'env://TEST_SENDGRID');
  await set('sendgrid_event_key', 'env://TEST_EVENT_KEY');
});

const set = (key: string, reference: string) =>
  setSetting(service.deps.sql, organization, key, { reference }, Date.now());

const DAY_SECONDS = 24 * 60 * 60;
const NOW = String(Math.floor(Date.now() / 1000));
/** SendGrid's signature over the time stamp and the exact bytes. */
function signature(body: string, timestamp = NOW, key = ours.privateKey): string {
  return signBytes('sha256', Buffer.from(timestamp + body), key).toString('base64');
}

function post(body: string, given: { signature?: string; timestamp?: string; to?: string } = {}) {
  const { timestamp = NOW, to = organization } = given;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-timestamp': timestamp,
    'x-twilio-email-event-webhook-signature': given.signature ?? signature(body, timestamp),
  };
  return supertest(service.server.url).post(`/v1/providers/sendgrid/events/${to}`).set(headers).send(body);
}

let events = 0;
const event = (name: string, notificationId: string, more: object = {}) => {
  events += 1;
  return {
    event: name,
    sg_event_id: `sg-${events}`,
    timestamp: 1_732_132_800,
    notification_id: notificationId,
    ...more,
  };
};

async function tell(...batch: object[]): Promise<{ received: number; moved: number }> {
  const body = (await post(JSON.stringify(batch)).expect(200)).body as unknown;
  return body as { received: number; moved: number };
}

async function sent(answer: 202 | 'hang' | 503 = 202): Promise<string> {
  const api = service.as(await service.issueKey(organization));
  sendgrid.script(answer);
  const body = (
    await api
      .post('/v1/notify', { channels: ['email'], message: 'x', target: { email: 'ann@customer.example' } })
      .expect(202)
  ).body as unknown;
  const { notification_id: id } = body as { notification_id: string };
  await eventually(async () => !['queued', 'sending'].includes(await readStatus(id)));
  return id;
}

async function readStatus(id: string): Promise<string> {
  const api = service.as(await service.issueKey(organization, ['read']));
  const body = (await api.get(`/v1/notify/${id}`).expect(200)).body as unknown;
  return (body as { channels: { status: string }[] }).channels[0]!.status;
}

describe('an event', () => {
  test.each([
    ['delivered', {}, 'delivered'],
    ['processed', {}, 'sent'],
    ['deferred', {}, 'sent'],
    ['open', {}, 'delivered'],
    ['bounce', { type: 'bounce' }, 'bounced'],
    ['bounce', { type: 'blocked' }, 'bounced'],
    ['dropped', {}, 'failed'],
    ['something_new', {}, 'sent'],
  ])('%s %j makes a sent mail %s', async (name, more, status) => {
    const id = await sent();
    await tell(event(name, id, more));
    expect(await readStatus(id)).toBe(status);
  });

  test('reports whether a mail that timed out was accepted', async () => {
    const id = await sent('hang');
    expect(await readStatus(id)).toBe('unknown');
    expect(await tell(event('processed', id))).toEqual({ received: 1, moved: 1, unmatched: 0 });
    expect(await readStatus(id)).toBe('sent');
  });

  test('changes nothing when it is repeated', async () => {
    const id = await sent();
    const delivered = event('delivered', id);
    expect(await tell(delivered, delivered)).toEqual({ received: 2, moved: 1, unmatched: 0 });
    expect(await tell(delivered)).toEqual({ received: 1, moved: 0, unmatched: 0 });
    const repeated = await Promise.all(Array.from({ length: 5 }, () => tell(event('bounce', id), delivered)));
    expect(repeated.reduce((sum, { moved }) => sum + moved, 0)).toBe(1);
  });

  test('may come in any order: the last state counts', async () => {
    const story = ['processed', 'deferred', 'delivered', 'bounce', 'open'];
    for (const order of [story, [...story].reverse()]) {
      const [together, apart] = [await sent(), await sent()];
      await tell(...order.map((name) => event(name, together)));
      for (const name of order) await tell(event(name, apart));
      expect([await readStatus(together), await readStatus(apart)]).toEqual(['bounced', 'bounced']);
    }
  });

  test('of another organisation’s mail, of unknown mail, or of an unknown type is skipped', async () => {
    const id = await sent();
    const owner = organization;
    organization = `${owner}-rival`;
    await set('sendgrid_event_key', 'env://TEST_EVENT_KEY');
    expect(await tell(event('bounce', id))).toEqual({ received: 1, moved: 0, unmatched: 1 });
    organization = owner;
    const strange = [
      { event: 'delivered' },
      event('delivered', 'ntf_none'),
      7,
      null,
      { notification_id: id },
    ];
    expect(await tell(...(strange as object[]), event('delivered', id))).toEqual({
      received: 6,
      moved: 1,
      unmatched: 5,
    });
    expect(await readStatus(id)).toBe('delivered');
  });

  test('is deleted after a week', async () => {
    const id = await sent();
    await tell(event('delivered', id));
    const later = { ...service.deps, clock: () => Date.now() + EVENTS_REMEMBERED_MS + 1_000 };
    expect(await deleteOldEvents(service.deps)).toBe(0);
    expect(await deleteOldEvents(later)).toBeGreaterThan(0);
  });
});

describe('who sends', () => {
  // the exact bytes: another spelling has another signature
  const body = '[{"event": "processed" } ]\r\n';

  test('is authenticated by the signature over the exact bytes and the time stamp', async () => {
    await post(body).expect(200);
    const pem = ours.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(parsePublicKey(pem)?.equals(ours.publicKey)).toBe(true);
  });

  test('unknown organisation, no key, wrong key, wrong signature, no signature: one answer', async () => {
    await set('sendgrid_event_key', 'env://TEST_EVENT_KEY');
    const answers = [
      await post(body, { to: 'nobody' }),
      await post(body, { to: `org%00` }),
      await post(body, { signature: signature(body, '1', theirs.privateKey) }),
      await post(body, { signature: signature('[]') }),
      await post(body, { timestamp: String(Number(NOW) + 1), signature: signature(body) }),
      await post(body, { signature: 'AAAA' }),
      await post(body, { signature: '' }),
      await supertest(service.server.url).post(`/v1/providers/sendgrid/events/${organization}`).send([]),
      await service.api.post(`/v1/providers/sendgrid/events/${organization}`, []),
    ];
    await set('sendgrid_event_key', 'env://TEST_NO_KEY');
    await eventually(async () => (await post(body)).status === 401);
    answers.push(await post(body));
    for (const { status, body: refusal } of answers)
      expect({ status, refusal: refusal as unknown }).toEqual({
        status: 401,
        refusal: answers[0]!.body as unknown,
      });
  });

  test.each([
    ['signed in 2023', -3 * 365 * DAY_SECONDS, 401],
    ['repeated for longer than SendGrid does', -DAY_SECONDS - 60, 401],
    ['repeated for almost a day', -DAY_SECONDS + 60, 200],
    ['from a clock that is ahead', 240, 200],
    ['from the future', 360, 401],
  ])('%s: %d s from now is %d', async (_what, seconds, status) => {
    const timestamp = String(Math.floor(Date.now() / 1000) + seconds);
    await post(body, { timestamp }).expect(status);
  });

  test('accepts what @sendgrid/eventwebhook verifies', () => {
    const webhook = new EventWebhook();
    const key = parsePublicKey(publicKey)!;
    const spellings = [body, '[]', JSON.stringify([event('bounce', 'ntf_1', { reason: 'Grüße \u{1F600}' })])];
    for (const text of spellings) {
      for (const [by, valid] of [
        [ours, true],
        [theirs, false],
      ] as const) {
        const made = signature(text, '1732132800', by.privateKey);
        expect(isSigned(key, Buffer.from(text), made, '1732132800')).toBe(valid);
        const reference = webhook.convertPublicKeyToECDSA(publicKey);
        expect(webhook.verifySignature(reference, Buffer.from(text), made, '1732132800')).toBe(valid);
      }
    }
  });

  test('an address that keeps guessing must wait, for that organisation', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 300 }, () => post(body, { signature: 'AAAAAAAA' })),
    );
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await post(body)).status).toBe(429);
    organization = `${organization}-other`;
    await set('sendgrid_event_key', 'env://TEST_EVENT_KEY');
    await post(body).expect(200);
  });
});
