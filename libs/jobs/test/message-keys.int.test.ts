// Authentication of messages: an unsigned message is stored, counted and reported, and never
// applied.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSecrets } from '@parley/server/runtime';
import { eventually } from '@parley/testing';
import { ackKind } from '../src/messages/acks.ts';
import { messageKind, toNewJob, type Envelope, type OutboxRow } from '../src/messages/envelope.ts';
import { parseMessageKeys } from '../src/messages/message-keys.ts';
import {
  createMessageKeys,
  startOutboxSweeper,
  type MessageKeys,
  type Queues,
  type Service,
} from '../src/index.ts';
import { conversationEvent, KEYRING, openBench, type Bench } from './bench.ts';

const keyring = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const keysOf = (service: Service, text: string): Promise<MessageKeys> =>
  createMessageKeys(createSecrets({ env: { KEYS: text }, clock: Date.now }), 'env://KEYS', service);

let bench: Bench;
let queues: Queues;
beforeAll(async () => {
  bench = await openBench('redis');
});
beforeEach(async () => {
  queues = await bench.openReadyQueues();
});
afterEach(() => bench.reset());
afterAll(() => bench.close());

const kind = messageKind('conversation.event');
const put = (payload: Envelope) =>
  queues.producer(kind).enqueue([{ row: payload.id, attempt: 1, enqueueNumber: 0, payload }]);
const row = async () => (await bench.commit(queues, [conversationEvent('a')])).rows[0]!;
const signed = async (one: OutboxRow, keys: MessageKeys = bench.messageKeys['flow-builder']) =>
  toNewJob({ ...one, contract: 'conversation.event' }, await keys.current()).payload;

describe('a message is refused', () => {
  const strangers = keyring('k1');
  const cases: [string, (message: Envelope, one: OutboxRow) => Envelope | Promise<Envelope>][] = [
    ['without a MAC', ({ mac: _, ...message }) => message],
    ['with a wrong MAC', (message) => ({ ...message, mac: `${message.mac!.slice(0, -2)}AA` })],
    ['with nonsense for one', (message) => ({ ...message, mac: 'k1' })],
    ['under a key that is not known', (message) => ({ ...message, mac: message.mac!.replace('k1', 'k9') })],
    [
      'under another key of the same name',
      async (_, one) =>
        signed(one, await keysOf('flow-builder', `voice-api=${strangers} notifications=${KEYRING}`)),
    ],
    ['of another organisation', (message) => ({ ...message, organization_id: 'other' })],
    ['with another payload', (message) => ({ ...message, payload: JSON.stringify({}) })],
    ['with another id', (message) => ({ ...message, id: 'msg_again' })],
    ['made younger', (message) => ({ ...message, created_at_ms: Date.now() })],
    ['in the name of another producer', ({ producer: _, ...message }) => message],
    ['of a service that does not send such', (message) => ({ ...message, producer: 'notifications' })],
  ];

  test.each(cases)('%s', async (_, change) => {
    const one = { ...(await row()), dueAt: new Date(Date.now() - 5_000) };
    bench.consume(queues);
    await put(await change(await signed(one), one));
    await eventually(() => bench.outcomes.includes('unauthenticated'));
    await eventually(async () => (await queues.readStats(['conversation-events']))[0]?.failed === 1);
    expect(await bench.effects()).toEqual([]);
    expect(bench.logged.text()).toContain('job.unauthenticated');
    expect(bench.logged.text()).toContain('unauthenticated: '); // as the dashboard shows it
    expect(bench.logged.text()).not.toContain(KEYRING.slice(4));
  });
});

test('a key rotation loses no message: all known keys verify, the first one signs', async () => {
  const [old, next] = [keyring('k1'), keyring('k2')];
  const consumer = await keysOf('voice-api', `flow-builder=${old},${next} notifications=${old}`);
  bench.consume(queues, { messageKeys: consumer });
  const senders = await Promise.all(
    [`${old}`, `${next},${old}`].map((keys) =>
      keysOf('flow-builder', `voice-api=${keys} notifications=${KEYRING}`),
    ),
  );
  const messages = [await signed(await row(), senders[0]), await signed(await row(), senders[1])];
  expect(messages.map(({ mac }) => mac!.split('.')[0])).toEqual(['k1', 'k2']);
  for (const message of messages) await put(message);
  await eventually(() => bench.outcomes.filter((one) => one === 'done').length === 2);
});

test('only the consumer of a message can acknowledge it', async () => {
  const { producing: pool, now: clock, log } = bench;
  const messageKeys = bench.messageKeys['flow-builder'];
  const tending = startOutboxSweeper({ service: 'flow-builder', pool, queues, messageKeys, clock, log });
  bench.onClose(() => tending.close());
  const { id } = await row();
  const acks = queues.producer(ackKind('flow-builder'));
  const acknowledge = async (from: Service, change: object = {}) => {
    const keys = await bench.messageKeys[from].current();
    const mac = keys.sign(['outbox.ack', from, 'flow-builder'], JSON.stringify([id]));
    const ack = { from, message_ids: [id], mac, ...change };
    await acks.enqueue([
      { row: `ack_${Math.random()}`.replace('.', ''), attempt: 1, enqueueNumber: 0, payload: ack },
    ]);
  };
  await acknowledge('voice-api', { mac: undefined });
  await acknowledge('voice-api', { message_ids: [id, 'another'] });
  await acknowledge('notifications');
  await eventually(async () => {
    const [stats] = await queues.readStats(['outbox-acks.flow-builder']);
    expect(stats).toMatchObject({ failed: 2, waiting: 0, active: 0 });
    return true;
  });
  expect(await bench.outboxRows()).toHaveLength(1);
  await acknowledge('voice-api');
  await eventually(async () => (await bench.outboxRows()).length === 0);
});

test.each([
  ['voice', /entry 1 of the message keys must be/],
  [`telephone=${KEYRING}`, /entry 1/],
  [`voice-api=${KEYRING} voice-api=${KEYRING}`, /entry 2 .* repeats "voice-api"/],
  ['voice-api=k1:short', /entry 1 of the keyring/],
])('invalid keys are refused without repeating them (%#)', (text, message) => {
  expect(() => parseMessageKeys(text)).toThrow(message);
});

test('a service does not start without a key for each peer', async () => {
  await expect(keysOf('voice-api', `flow-builder=${KEYRING}`)).rejects.toThrow(
    'lack a key for notifications',
  );
  await expect(keysOf('flow-builder', `voice-api=${KEYRING}`)).rejects.toThrow(
    'lack a key for notifications',
  );
  await expect(
    keysOf('voice-api', `flow-builder=${KEYRING}\nnotifications=${KEYRING}`),
  ).resolves.toBeDefined();
});
