// Sends that kill workers are quarantined, and operators get an alert
// (docs/platform.md#quarantine). A killed worker never releases its claim.
import { expect, jest, test } from '@jest/globals';
import { countQuarantined, listQuarantined, releaseQuarantined } from '@parley/jobs';
import type { Deps } from '../src/deps.ts';
import { createDeliveryClaim } from '../src/deliver/delivery-table.ts';
import { deliveryTable } from '../src/deliver/delivery-table.ts';
import { chunkTable } from '../src/channels/web-push/chunk-table.ts';
import { sweepChunks } from '../src/channels/web-push/push-worker.ts';
import { SUSPECTED, claimRetries, retryDevices } from '../src/channels/web-push/retry-devices.ts';
import type { PushDeps } from '../src/channels/web-push/send-devices.ts';
import { registerMany, startPush } from './push/push.ts';
import type { NotificationsUnderTest } from './service.ts';
import { findDelivery, webhookSends } from './webhook-sends.ts';
import { deliver, never, sweep } from './work.ts';
import { createDeliverySender } from '../src/deliver/send-deliveries.ts';
import { eventually } from '@parley/testing';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

const sends = webhookSends();

const later = ({ deps }: NotificationsUnderTest, leases: number): Deps => ({
  ...deps,
  clock: () => deps.clock() + leases * deps.leaseMs,
});

/** Alerts of operators; end users see none. */
async function listAlerts({ deps }: NotificationsUnderTest, table: string): Promise<string[]> {
  expect(await deps.sql('SELECT title FROM in_app_items')).toEqual([]);
  const rows = await deps.sql<{ message: string }>(
    `SELECT message FROM alerts
     WHERE organization_id = 'acme' AND kind = 'work_quarantined' AND subject = $1 AND resolved_at IS NULL`,
    [table],
  );
  return rows.map(({ message }) => message);
}

const setAside = async ({ deps }: NotificationsUnderTest, table: string) =>
  (await countQuarantined(deps.sql, 'notifications')).find((one) => one.table === table)!.count;

test('a delivery: other deliveries in flight are sent', async () => {
  const service = await sends.start();
  const guilty = await sends.sendWebhook(service);
  const innocent = await sends.sendWebhook(service);
  const ids = [(await findDelivery(service, guilty)).id, (await findDelivery(service, innocent)).id];
  const die = async (leases: number, its: readonly string[], alone = false) => {
    const claim = createDeliveryClaim(deliveryTable(later(service, leases)));
    return (await claim(its, 'a worker that is killed', [], alone)).map(({ id }) => id).sort();
  };
  expect(await die(0, ids)).toEqual([...ids].sort());
  expect(await die(1, ids)).toEqual([...ids].sort());
  expect(await die(2, ids)).toEqual([]);
  const sender = createDeliverySender(later(service, 2));
  expect(await die(2, [ids[0]!], true)).toEqual([ids[0]]);
  for (const id of ids) await sender.accept(id, never);
  await eventually(() => sends.outside.requests.length === 1);
  await sender.close();
  expect(await findDelivery(service, innocent)).toMatchObject({ status: 'delivered', deaths: 0 });

  await sweep(later(service, 3));
  expect(await findDelivery(service, guilty)).toMatchObject({
    status: 'quarantined',
    last_error_class: 'quarantined',
  });
  const status = (await service.api.get(`/v1/notify/${guilty}`).expect(200)).body as unknown;
  expect(status).toMatchObject({ channels: [{ channel: 'webhook', status: 'quarantined' }] });
  expect(await listAlerts(service, 'deliveries')).toEqual([expect.stringContaining(guilty)]);
  expect(await setAside(service, 'deliveries')).toBe(1);
  await deliver(later(service, 100), ids[0]!);
  expect(sends.outside.requests).toHaveLength(1);

  const row = { table: 'deliveries', id: ids[0]!, organizationId: 'acme' };
  expect(
    await releaseQuarantined(service.deps.sql, 'notifications', row, new Date(service.deps.clock())),
  ).toBe(true);
  await deliver(later(service, 4), ids[0]!);
  expect(await findDelivery(service, guilty)).toMatchObject({ status: 'delivered' });
});

test('a chunk of a broadcast: the delivery shows it, and other chunks continue', async () => {
  const push = await startPush({ worker: false });
  await registerMany(push, 'acme', 3, () => null);
  const body = { channels: ['web_push'], message: 'To all.', target: { web_push: { broadcast: true } } };
  const sent = (await push.api.post('/v1/notify', body).expect(202)).body as { notification_id: string };
  await deliver(push.deps, (await findDelivery(push, sent.notification_id)).id);
  const [{ id }] = (await push.deps.sql('SELECT id FROM push_chunks')) as [{ id: string }];
  for (const leases of [0, 1, 2]) {
    const claim = chunkTable(later(push, leases)).prepareClaim<{ id: string }>({
      select: 'SELECT id FROM claimed',
    });
    expect(await claim([id], 'a worker that is killed', [], leases === 2)).toEqual([{ id }]);
  }
  await sweepChunks(later(push, 3));
  expect(await setAside(push, 'push_chunks')).toBe(1);
  const status = (await push.api.get(`/v1/notify/${sent.notification_id}`).expect(200)).body as unknown;
  expect(status).toMatchObject({ channels: [{ status: 'sending', last_error_class: 'quarantined' }] });
  expect(await listAlerts(push, 'push_chunks')).toEqual([expect.stringContaining(sent.notification_id)]);
  await push.stop();
});

test('a device that is retried: other devices of its send are reached', async () => {
  const push = await startPush({ worker: false });
  const devices = await registerMany(push, 'acme', 2, () => 'u-1');
  for (const device of devices) push.outside.always(500, device);
  const body = { channels: ['web_push'], message: 'To you.', target: { web_push: { user_id: 'u-1' } } };
  const sent = (await push.api.post('/v1/notify', body).expect(202)).body as { notification_id: string };
  const { id } = await findDelivery(push, sent.notification_id);
  await deliver(push.deps, id);
  for (const device of devices) push.outside.always(undefined, device);
  const at = (minutes: number) => ({
    ...(push.deps as PushDeps),
    clock: () => push.deps.clock() + minutes * 60_000,
  });
  const die = async (minutes: number, ...more: [string?, number?]) => {
    const claimedUntil = new Date(at(minutes).clock() + 30_000);
    return (await claimRetries(at(minutes), claimedUntil, ...more)).length;
  };
  expect(await die(10)).toBe(2);
  expect(await die(11)).toBe(2);
  expect(await die(12)).toBe(0);
  // The worker of the isolated row dies, in any order.
  expect(await die(12, SUSPECTED, 1)).toBe(1);
  await retryDevices(at(12), never);
  expect(push.outside.pushes.length).toBe(3); // two that failed, and the innocent one
  await retryDevices(at(13), never);
  expect(await setAside(push, 'push_retries')).toBe(1);
  const [row] = (await listQuarantined(push.deps.sql, 'notifications')).filter(
    ({ table }) => table === 'push_retries',
  );
  expect(row).toMatchObject({ organizationId: 'acme', id: expect.stringContaining(id) });
  expect(await listAlerts(push, 'push_retries')).toEqual([expect.stringContaining(sent.notification_id)]);
  await retryDevices(at(1_000), never);
  expect(push.outside.pushes.length).toBe(3);
  expect(await releaseQuarantined(push.deps.sql, 'notifications', row!, new Date(push.deps.clock()))).toBe(
    true,
  );
  await retryDevices(at(14), never);
  expect(push.outside.pushes.length).toBe(4);
  await push.stop();
});
