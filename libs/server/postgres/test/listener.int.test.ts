// Notices between replicas: each `replica()` is a listener with its own connections, like a second
// process.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { createLog, Secret, systemClock, type Clock } from '@parley/server/runtime';
import { capturedLog, createTestDatabase, eventually, tcpProxy } from '@parley/testing';
import {
  createListener,
  createNoticedCache,
  createPool,
  inTransaction,
  LISTENER_TRUST_MS,
  notifyChanged,
  sqlOf,
  type Listener,
  type Sql,
} from '../src/index.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
const opened: Listener[] = [];
const captured = capturedLog();
const log = createLog({ service: 'test', level: 'debug', destination: captured });

beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = createPool({ url: new Secret(database.url), applicationName: 'app', connectionsMax: 3, log });
  sql = sqlOf(pool);
});
afterEach(() => Promise.all(opened.splice(0).map((listener) => listener.close())));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function replica(name = 'replica', url = database.url, clock: Clock = systemClock): Listener {
  const listener = createListener({ url, applicationName: name, clock, log });
  opened.push(listener);
  return listener;
}

/** Older than what may be trusted without a working LISTEN. */
const old = () => systemClock() - LISTENER_TRUST_MS - 1;
/** Waits until values older than a second are trusted: a second after the listener is complete. */
const trusted = (listener: Listener) => eventually(() => listener.isCurrent(old()));
/** Waits until the listener receives notices. */
async function listening(listener: Listener): Promise<Listener> {
  let heard = false;
  listener.subscribe('probe', () => void (heard = true));
  await eventually(async () => {
    await notifyChanged(sql, 'probe', 'x');
    return heard;
  });
  return listener;
}
const backends = (name: string) =>
  sql<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
    [name],
  );

describe('a listener', () => {
  test('receives committed notices of other connections, and none that were rolled back', async () => {
    const heard: string[] = [];
    const listener = replica();
    listener.subscribe('changes', (payload) => heard.push(payload));
    await listening(listener);
    await inTransaction(pool, async (on) => {
      await notifyChanged(on, 'changes', 'rolled back');
      throw new Error('refused');
    }).catch(() => undefined);
    await notifyChanged(sql, 'changes', 'committed');
    await eventually(() => heard.includes('committed'));
    expect(heard).toEqual(['committed']);
  });

  test('a channel may have several subscribers, and be added at any time', async () => {
    const heard: string[] = [];
    const listener = replica();
    // Added at every moment while the connection opens: none may miss its LISTEN.
    const channels = Array.from({ length: 40 }, (_, index) => `channel_${index}`);
    for (const channel of channels) {
      listener.subscribe(channel, (payload) => heard.push(`${channel} ${payload}`));
      await sql('SELECT 1');
    }
    await listening(listener);
    listener.subscribe('channel_0', (payload) => heard.push(`again ${payload}`));
    await Promise.all(channels.map((channel) => notifyChanged(sql, channel, 'x')));
    await eventually(() => heard.length === channels.length + 1);
    expect(new Set(heard)).toEqual(new Set([...channels.map((channel) => `${channel} x`), 'again x']));
  });

  test('does not trust the past of a channel that was just added', async () => {
    const listener = replica();
    listener.subscribe('changes', () => undefined);
    await trusted(listener);
    const readAtMs = old();
    listener.subscribe('another', () => undefined);
    expect(listener.isCurrent(readAtMs)).toBe(false);
    await trusted(listener);
  });

  test.each(['Upper', 'a-b', 'a"; DROP TABLE flows', '', 'x'.repeat(64)])(
    '%j is not a channel name',
    (name) => {
      expect(() => replica().subscribe(name, () => undefined)).toThrow('is not a channel name');
    },
  );

  test('lost: untrusted after a second, logged once, trusted again when it is back', async () => {
    const listener = replica('to_be_lost');
    listener.subscribe('changes', () => undefined);
    await trusted(listener);
    const readAtMs = old();
    const linesBefore = captured.with('postgres.listener_lost').length;
    const lost = await backends('to_be_lost');
    expect(lost).toHaveLength(1);
    await sql('SELECT pg_terminate_backend($1)', [lost[0]!.pid]);
    await eventually(() => !listener.isCurrent(readAtMs), { timeoutMs: LISTENER_TRUST_MS });
    expect(listener.isCurrent(systemClock())).toBe(true); // a fresh read is current
    await trusted(listener);
    // notices between then and now may have been missed
    expect(listener.isCurrent(readAtMs)).toBe(false);
    expect(captured.with('postgres.listener_lost')).toHaveLength(linesBefore + 1);
    expect(await backends('to_be_lost')).not.toContainEqual(lost[0]);
  });

  test('silent: a connection that carries nothing is untrusted after a second', async () => {
    const proxy = await tcpProxy(database.url);
    const listener = replica('silent', proxy.url);
    listener.subscribe('changes', () => undefined);
    await trusted(listener);
    const readAtMs = old();
    proxy.freeze();
    await eventually(() => !listener.isCurrent(readAtMs), { timeoutMs: LISTENER_TRUST_MS + 500 });
    await proxy.close();
  });

  test('when LISTEN never works, only values of the last second are trusted', async () => {
    let nowMs = 1_800_000_000_000;
    const listener = replica('nowhere', 'postgresql://postgres@127.0.0.1:1/x', () => nowMs);
    listener.subscribe('changes', () => undefined);
    await eventually(() => captured.with('postgres.listener_connect_failed').length > 0);
    const readAtMs = nowMs;
    nowMs += LISTENER_TRUST_MS;
    expect(listener.isCurrent(readAtMs)).toBe(true);
    nowMs += 1;
    expect(listener.isCurrent(readAtMs)).toBe(false);
  });

  test('closed, it leaves no connection behind', async () => {
    const listener = replica('to_be_closed');
    await eventually(async () => (await backends('to_be_closed')).length === 1);
    await listener.close();
    await eventually(async () => (await backends('to_be_closed')).length === 0);
  });
});

describe('a noticed cache', () => {
  /** A cache over a table of the test, and its loads. */
  async function cacheOf(listener: Listener, options: { entriesMax?: number; clock?: Clock } = {}) {
    await sql('CREATE TABLE IF NOT EXISTS pointers (key text PRIMARY KEY, version int)');
    const loads: string[] = [];
    const cache = createNoticedCache<number | null>({
      listener,
      channel: 'pointers',
      clock: options.clock ?? systemClock,
      entriesMax: options.entriesMax ?? 100,
      load: async (key) => {
        loads.push(key);
        const [row] = await sql<{ version: number }>('SELECT version FROM pointers WHERE key = $1', [key]);
        return row?.version ?? null;
      },
    });
    return { cache, loads };
  }
  const change = (key: string, version: number) =>
    inTransaction(pool, async (on) => {
      await on('INSERT INTO pointers VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET version = $2', [
        key,
        version,
      ]);
      await notifyChanged(on, 'pointers', key);
    });

  test('a change on one replica reaches the other within a second, and other keys stay', async () => {
    const [here, there] = [await cacheOf(replica()), await cacheOf(replica())];
    await Promise.all(opened.map(listening));
    await change('a', 1);
    await change('b', 1);
    for (const { cache } of [here, there])
      expect([await cache.get('a'), await cache.get('b')]).toEqual([1, 1]);
    await change('a', 2);
    await eventually(async () => (await there.cache.get('a')) === 2, { timeoutMs: 1_000, intervalMs: 5 });
    await eventually(async () => (await here.cache.get('a')) === 2, { timeoutMs: 1_000, intervalMs: 5 });
    // Undefined while the listener's last answer is older than a second.
    await eventually(() => there.cache.peek('b') === 1);
    expect(there.loads.filter((key) => key === 'b')).toHaveLength(1);
  });

  test('a value is loaded once and cached until a notice, null included', async () => {
    const listener = replica();
    const { cache, loads } = await cacheOf(listener);
    await trusted(listener);
    expect(cache.peek('missing')).toBeUndefined();
    expect(await Promise.all([cache.get('missing'), cache.get('missing')])).toEqual([null, null]);
    await trusted(listener); // more than a second later
    expect(await cache.get('missing')).toBeNull();
    expect(cache.peek('missing')).toBeNull();
    expect(loads).toEqual(['missing']);
  });

  test('a load that a notice overtook serves its callers and is not cached', async () => {
    const listener = replica();
    const gates: ((version: number) => void)[] = [];
    const cache = createNoticedCache<number>({
      listener,
      channel: 'gated',
      clock: systemClock,
      entriesMax: 10,
      load: () => new Promise((resolve) => gates.push(resolve)),
    });
    let notices = 0;
    listener.subscribe('gated', () => void (notices += 1));
    await listening(listener);

    const waiting = cache.get('a');
    await notifyChanged(sql, 'gated', 'a');
    await eventually(() => notices === 1);
    // after the change: it must not join the load that may have read before it
    const asking = cache.get('a');
    expect(gates).toHaveLength(2);
    gates[0]!(1);
    expect(await waiting).toBe(1);
    expect(cache.peek('a')).toBeUndefined();
    gates[1]!(2);
    expect(await asking).toBe(2);
    expect(cache.peek('a')).toBe(2);
  });

  test('a failed load is not cached, and fails for all its callers', async () => {
    const listener = replica();
    let loads = 0;
    const cache = createNoticedCache<number>({
      listener,
      channel: 'failing',
      clock: systemClock,
      entriesMax: 10,
      load: async () => {
        loads += 1;
        if (loads === 1) throw new Error('away');
        return loads;
      },
    });
    const outcomes = await Promise.allSettled([cache.get('a'), cache.get('a')]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(await cache.get('a')).toBe(2);
  });

  test('holds at most its maximum of entries', async () => {
    const { cache, loads } = await cacheOf(replica(), { entriesMax: 2 });
    for (const key of ['x', 'y', 'z']) await cache.get(key);
    expect([cache.peek('x'), cache.peek('y'), cache.peek('z')]).toEqual([undefined, null, null]);
    expect(loads).toEqual(['x', 'y', 'z']);
  });

  test('without a working LISTEN an entry is loaded again after a second', async () => {
    let nowMs = 1_800_000_000_000;
    const clock = () => nowMs;
    const { cache, loads } = await cacheOf(replica('nowhere', 'postgresql://postgres@127.0.0.1:1/x', clock), {
      clock,
    });
    await cache.get('k');
    nowMs += LISTENER_TRUST_MS;
    await cache.get('k');
    expect(loads).toEqual(['k']);
    nowMs += 1;
    await cache.get('k');
    expect(loads).toEqual(['k', 'k']);
  });
});
