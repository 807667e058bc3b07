// Rows with which workers crash are quarantined while concurrent rows continue. Operators get an
// alert and release them (docs/platform.md#quarantine). A killed worker is a claim that was never
// released.
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { resolveEnded } from '@parley/platform/alerts';
import { countQuarantined, createCrashIsolation, releaseQuarantined, quarantineEndedSql } from '@parley/jobs';
import { eventually, receiver, type Receiver } from '@parley/testing';
import { settleDue, settleSuspects } from '../src/conversations/settle-due.ts';
import { createDeliveryClaim } from '../src/deliveries/claim-deliveries.ts';
import { deliveryBatches } from '../src/deliveries/delivery-batches.ts';
import { createDeliverySender } from '../src/deliveries/send-deliveries.ts';
import { sweepDeliveries } from '../src/deliveries/sweep-deliveries.ts';
import type { Deps } from '../src/deps.ts';
import { event as conversationEvent, read, send } from './events.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';
import { commit, deliveries, event, forgetWebhooks, LOOPBACK, registered } from './webhooks.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

let service: VoiceApi;
let outside: Receiver;
beforeAll(async () => {
  service = await startVoiceApi({ env: LOOPBACK });
});
afterAll(() => service.stop());
beforeEach(async () => {
  outside = await receiver();
});
afterEach(async () => {
  await outside.close();
  await forgetWebhooks(service);
  await service.deps.sql('DELETE FROM outbox');
});

const SECOND = 1_000;
const MINUTE = 60_000;
const never = new AbortController().signal;
const later = (ms: number): Deps => ({ ...service.deps, clock: () => service.deps.clock() + ms });
const alerts = async (table: string) => {
  const rows = await service.deps.sql<{ message: string; resolved: boolean }>(
    `SELECT message, resolved_at IS NOT NULL AS resolved FROM alerts
     WHERE organization_id = 'acme' AND kind = 'work_quarantined' AND subject = $1`,
    [table],
  );
  return rows;
};
/** Runs the periodic task of a worker. */
const resolveAlerts = () =>
  resolveEnded(service.deps.sql, { work_quarantined: quarantineEndedSql('voice-api', 'alert') });
const countQuarantinedIn = async (table: string) =>
  (await countQuarantined(service.deps.sql, 'voice-api')).find((one) => one.table === table)!.count;

test('a delivery is quarantined, and the others of its batch arrive', async () => {
  const webhook = await registered(service, outside.url);
  await commit(service, [event({ metadata: { poison: true } }), event()], false);
  const batches = () =>
    service.deps.sql<{ id: string; event: string }>(
      `SELECT batch.id, event.body AS event FROM webhook_delivery_batches AS batch
     JOIN webhook_deliveries AS delivery ON delivery.id = batch.delivery_ids[1]
     JOIN webhook_events AS event ON event.id = delivery.event_id`,
    );
  const die = async (deps: Deps, id: string, alone = false) =>
    (await createDeliveryClaim(deps, deliveryBatches(deps))([id], 'a worker that is killed', alone)).batchIds;
  const { id } = (await batches())[0]!;
  expect(await die(later(0), id)).toEqual([id]);
  expect(await die(later(11 * SECOND), id)).toEqual([id]);

  const sender = createDeliverySender(later(22 * SECOND));
  await sender.accept([id], never);
  await eventually(async () => (await batches()).length === 2);
  const parts = await batches();
  const guilty = parts.find((one) => one.event.includes('poison'))!.id;
  expect(await die(later(22 * SECOND), guilty, true)).toEqual([guilty]);
  await sender.accept(
    parts.map((part) => part.id),
    never,
  );
  await eventually(() => outside.requests.length === 1);
  expect(outside.requests[0]!.body.toString()).not.toContain('poison');
  await sender.close();

  await sweepDeliveries(later(33 * SECOND));
  const listed = await deliveries(service, webhook.id);
  expect(listed.map(({ status }) => status).sort()).toEqual(['delivered', 'quarantined']);
  const aside = listed.find(({ status }) => status === 'quarantined')!.id;
  await resolveAlerts();
  expect(await alerts('webhook_delivery_batches')).toEqual([
    { message: expect.stringContaining(`delivery ${aside}`), resolved: false },
  ]);
  expect(await countQuarantinedIn('webhook_delivery_batches')).toBe(1);
  await service.api.post(`/v1/webhooks/${webhook.id}/deliveries/${aside}/retry`).expect(409);
  expect(await die(later(60 * MINUTE), guilty)).toEqual([]);

  const row = { table: 'webhook_delivery_batches', id: guilty };
  const now = new Date(service.deps.clock());
  expect(
    await releaseQuarantined(service.deps.sql, 'voice-api', { ...row, organizationId: 'globex' }, now),
  ).toBe(false);
  expect(
    await releaseQuarantined(service.deps.sql, 'voice-api', { ...row, organizationId: 'acme' }, now),
  ).toBe(true);
  const mended = createDeliverySender(later(0));
  await mended.accept([guilty], never);
  await eventually(() => outside.requests.length === 2);
  await mended.close();
  expect((await deliveries(service, webhook.id)).map(({ status }) => status)).toEqual([
    'delivered',
    'delivered',
  ]);
});

test('a conversation is quarantined, and the others become final', async () => {
  const { deps } = service;
  await send(service, [conversationEvent('conversation.started', 'poisoned', 0)]);
  await send(service, [conversationEvent('conversation.started', 'fine', 0)]);
  await deps.sql(`UPDATE conversations SET due_at = due_at - interval '1 second' WHERE id = 'poisoned'`);
  /** A process that claims and is killed in its transaction; the first `lives` succeed. */
  const killed = (at: Deps, lives = 0): Deps => {
    let connections = 0;
    const connect = () => ((connections += 1) > lives ? new Promise(() => undefined) : deps.pool.connect());
    const pool = Object.assign(Object.create(deps.pool) as typeof deps.pool, { connect });
    return { ...at, pool, queues: { ...deps.queues, isolation: createCrashIsolation() } };
  };
  const deaths = async () => {
    const rows = await deps.sql<{ deaths: number; until: Date }>(
      `SELECT deaths, leased_until AS until FROM conversations WHERE id IN ('poisoned', 'fine') ORDER BY due_at, id`,
    );
    return rows.map((row) => `${row.deaths} ${row.until?.getTime() > deps.clock() + 35 * MINUTE}`);
  };
  void settleDue(killed(later(36 * MINUTE)));
  await eventually(async () => (await deaths()).join() === '0 true,0 true');
  expect(await settleDue(later(36 * MINUTE + 5 * SECOND))).toBe(0);
  void settleDue(killed(later(38 * MINUTE)));
  await eventually(async () => (await deaths()).join() === '1 true,1 true');
  expect(await settleDue(later(40 * MINUTE))).toBe(0);
  void settleSuspects(killed(later(40 * MINUTE), 1));
  await eventually(async () => (await deaths()).join() === '2 true,1 true');

  await settleSuspects(later(42 * MINUTE));
  expect(await read(service, 'fine')).toMatchObject({ status: 'failed' });
  const aside = await read(service, 'poisoned');
  expect(aside).toMatchObject({ status: 'in_progress', quarantined_at: expect.any(String) });
  await resolveAlerts();
  expect(await alerts('conversations')).toEqual([
    { message: expect.stringContaining('conversation poisoned'), resolved: false },
  ]);
  expect(await countQuarantinedIn('conversations')).toBe(1);

  // Its new events are accepted, but it stays quarantined.
  await send(service, [conversationEvent('conversation.ended', 'poisoned', 60)]);
  await settleSuspects(later(43 * MINUTE));
  expect(await settleDue(later(43 * MINUTE))).toBe(0);
  await resolveAlerts();
  expect(await alerts('conversations')).toEqual([
    { message: expect.stringContaining('conversation poisoned'), resolved: false },
  ]);
  const row = { table: 'conversations', id: 'poisoned', organizationId: 'acme' };
  expect(await releaseQuarantined(deps.sql, 'voice-api', row, new Date(deps.clock()))).toBe(true);
  await resolveAlerts();
  expect(await alerts('conversations')).toMatchObject([{ resolved: true }]);
  expect(await settleDue(later(0))).toBe(1);
  expect(await read(service, 'poisoned')).toMatchObject({ status: 'completed' });
  expect(await read(service, 'poisoned')).not.toHaveProperty('quarantined_at');
});

test('a failure that a worker survives does not count', async () => {
  await send(service, [conversationEvent('conversation.started', 'unlucky', 0)]);
  const ids = (): never => {
    throw new Error('no ids');
  };
  const broken = { ...later(36 * MINUTE), ids };
  await registered(service, outside.url);
  for (let times = 0; times < 4; times += 1) await expect(settleDue(broken)).rejects.toThrow('no ids');
  const [row] = await service.deps.sql(`SELECT deaths, leased_until FROM conversations WHERE id = 'unlucky'`);
  expect(row).toEqual({ deaths: 0, leased_until: null });
  expect(await settleDue(later(36 * MINUTE))).toBe(1);
});
