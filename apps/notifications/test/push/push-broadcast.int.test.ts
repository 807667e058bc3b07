// Broadcasts: chunks, progress after every fifty devices, and a worker that is killed.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setOrganization } from '@parley/server/organizations';
import { eventually } from '@parley/testing';
import { registerMany, startPush, type PushUnderTest } from './push.ts';

const workerScript = fileURLToPath(new URL('../killed-worker.ts', import.meta.url));
const root = fileURLToPath(new URL('../../../..', import.meta.url));

interface Channel {
  status: string;
  counts?: { targeted: number; sent: number; gone: number; failed: number };
}

async function broadcast({ api }: PushUnderTest, more: object = {}): Promise<string> {
  const body = {
    channels: ['web_push'],
    message: 'To all.',
    target: { web_push: { broadcast: true, ...more } },
  };
  return ((await api.post('/v1/notify', body).expect(202)).body as { notification_id: string })
    .notification_id;
}

async function ended({ api }: PushUnderTest, id: string, timeoutMs: number): Promise<Channel> {
  const read = async () => {
    const body = (await api.get(`/v1/notify/${id}`).expect(200)).body as unknown;
    return (body as { channels: [Channel] }).channels[0];
  };
  await eventually(async () => !['queued', 'sending'].includes((await read()).status), { timeoutMs });
  return read();
}

describe('a broadcast', () => {
  let push: PushUnderTest;
  beforeAll(async () => {
    push = await startPush({ env: { PUSH_CHUNKS_AT_ONCE: '3', PUSH_THREADS: '2' } });
  });
  afterAll(() => push.stop());

  test('reaches every device of the organisation once, and no other; counts, history, pruning', async () => {
    // Three chunks. The first users have two devices each, some devices have no user.
    const chooseUser = (index: number) =>
      index < 200 ? `u-${index >> 1}` : index < 400 ? null : `u-${index}`;
    const devices = await registerMany(push, 'acme', 1_120, chooseUser);
    const strangers = await registerMany(push, 'globex', 60, () => 'u-0');
    const [gone, refused, slow] = [devices[10]!, devices[510]!, devices[1_110]!];
    push.outside.always(410, gone);
    push.outside.always(413, refused);
    push.outside.always(500, slow);
    const id = await broadcast(push);
    await eventually(() => received(slow) >= 2);
    await registerMany(push, 'acme', 5, () => 'u-late');
    push.outside.always(undefined, slow);

    expect(await ended(push, id, 20_000)).toMatchObject({
      status: 'partial',
      counts: { targeted: 1_120, sent: 1_118, gone: 1, failed: 1 },
    });
    const counts = new Map<string, number>();
    for (const { device } of push.outside.pushes) counts.set(device, (counts.get(device) ?? 0) + 1);
    expect(counts.size).toBe(1_120);
    for (const device of devices) if (device !== slow) expect(received(device)).toBe(1);
    for (const device of strangers) expect(received(device)).toBe(0);
    expect(push.outside.problems).toEqual([]);
    expect(push.outside.connections()).toBe(1);

    const rows = await push.deps.sql<{ user_id: string; status: string; delivered_count: number }>(
      'SELECT user_id, status, delivered_count FROM push_history WHERE notification_id = $1',
      [id],
    );
    expect(rows).toHaveLength(100 + 720);
    expect(rows.every(({ status, delivered_count }) => status === 'broadcast' && delivered_count === 0)).toBe(
      true,
    );
    const body = (await push.api.get('/v1/push/history?user_id=u-0').expect(200)).body as unknown;
    expect(body).toMatchObject({ items: [{ notification_id: id, body: 'To all.', status: 'broadcast' }] });
    expect(await push.deps.sql('SELECT 1 FROM push_chunks')).toEqual([]);
    expect(await push.deps.sql('SELECT 1 FROM push_retries')).toEqual([]);

    function received(device: { endpoint: string }): number {
      return push.outside.pushes.filter((one) => one.device === push.outside.getDevice(device)).length;
    }
  }, 40_000);

  test('without devices: no_devices', async () => {
    const other = push.as(await push.issueKey('initech'));
    const empty = { ...push, api: other };
    expect(await ended(empty, await broadcast(empty), 5_000)).toMatchObject({
      status: 'no_devices',
      counts: { targeted: 0, sent: 0, gone: 0, failed: 0 },
    });
  });

  test('exactly 500 devices make one chunk and an empty one', async () => {
    const other = { ...push, api: push.as(await push.issueKey('hooli')) };
    await registerMany(push, 'hooli', 500, () => null);
    expect(await ended(other, await broadcast(other), 15_000)).toMatchObject({
      status: 'sent',
      counts: { targeted: 500, sent: 500, gone: 0, failed: 0 },
    });
  });

  test('counts its devices as sends, and continues at the organisation’s rate', async () => {
    const { sql, clock } = push.deps;
    const organization = 'slow-org';
    const devices = await registerMany(push, organization, 75, () => null);
    await setOrganization(sql, organization, { notifyPerMinute: 66 }, clock());
    const api = push.as(await push.issueKey(organization));
    const id = await broadcast({ ...push, api });
    const reached = () => new Set(push.outside.pushes.map(({ device }) => device));
    const left = () => devices.filter((device) => reached().has(push.outside.getDevice(device))).length;
    // A tenth remains for calls; the call paid for the first device.
    await eventually(() => left() === 59);
    const waiting =
      "SELECT due_at FROM push_chunks WHERE organization_id = $1 AND due_at > now() + interval '30 s'";
    await eventually(async () => (await sql(waiting, [organization])).length === 1);
    expect(left()).toBe(59);
    await setOrganization(sql, organization, { notifyPerMinute: 1_000 }, clock());
    await eventually(
      async () => {
        // As if the minute were over. The new limit may take a second to arrive.
        const bringForward =
          'UPDATE push_chunks SET due_at = now(), next_ring_at = now(), rings = rings + 1 WHERE organization_id = $1';
        await sql(bringForward, [organization]);
        return left() === 75;
      },
      { timeoutMs: 30_000, intervalMs: 1_000 },
    );
    const end = await ended({ ...push, api }, id, 20_000);
    expect(end).toMatchObject({ status: 'sent', counts: { targeted: 75, sent: 75 } });
  }, 60_000);
});

describe('a worker that is killed during a broadcast', () => {
  const DEVICES = 10_000;
  const LEASE_MS = 15_000;
  let push: PushUnderTest;
  const workers: ChildProcess[] = [];
  beforeAll(async () => {
    // HTTP here, workers in their own processes. The lease is short enough to wait for and long
    // enough to renew on a busy machine: each lease lost by a living worker repeats fifty more.
    push = await startPush({ worker: false, leaseMs: LEASE_MS });
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    await push.stop();
  });

  async function startWorkerProcess(): Promise<ChildProcess> {
    const args = ['--import', 'tsx', workerScript, JSON.stringify(push.env), String(LEASE_MS)];
    const worker = spawn(process.execPath, args, {
      cwd: root,
      env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: push.outside.caFile },
      stdio: 'ignore',
    });
    workers.push(worker);
    return worker;
  }

  test('every device is reached, at most fifty of them twice', async () => {
    const devices = await registerMany(push, 'acme', DEVICES, (index) => `u-${index}`);
    const id = await broadcast(push);
    const first = await startWorkerProcess();
    await push.outside.received(620, 120_000);
    first.kill('SIGKILL');
    expect(push.outside.pushes.length).toBeLessThan(DEVICES); // in the middle
    await startWorkerProcess();
    expect(await ended(push, id, 240_000)).toMatchObject({
      status: 'sent',
      counts: { targeted: DEVICES, sent: DEVICES, gone: 0, failed: 0 },
    });
    const reached = new Set(push.outside.pushes.map(({ device }) => device));
    expect(reached.size).toBe(DEVICES);
    expect(devices.every((device) => reached.has(push.outside.getDevice(device)))).toBe(true);
    expect(push.outside.pushes.length - DEVICES).toBeLessThanOrEqual(50);
    const history = await push.deps.sql('SELECT 1 FROM push_history WHERE notification_id = $1', [id]);
    expect(history).toHaveLength(DEVICES);
  }, 400_000);
});
