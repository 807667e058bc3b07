// Product API keys on a real database: who passes, the cost, and how soon a change applies
// everywhere.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type pg from 'pg';
import type { AppError } from '@parley/envelopes';
import { issueApiKey, generateApiKey, type IssueApiKey } from '../src/index.ts';
import {
  createPool,
  inTransaction,
  isPostgresUnavailable,
  LISTENER_TRUST_MS,
  sqlOf,
  type Sql,
} from '@parley/server/postgres';
import { createLog, Secret } from '@parley/server/runtime';
import { capturedLog, createTestDatabase, eventually } from '@parley/testing';
import { retireApiKey, revokeApiKey } from '../src/api-keys.ts';
import { replica, type Replica } from './replica.ts';

const captured = capturedLog();
const log = createLog({ service: 'test', level: 'info', destination: captured });
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
let nowMs: number;
let ids = 0;
const started: Replica[] = [];

beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  pool = createPool({ url: new Secret(database.url), applicationName: 'app', connectionsMax: 5, log });
  sql = sqlOf(pool);
});
beforeEach(() => {
  nowMs = Date.now();
});
afterEach(() => Promise.all(started.splice(0).map((one) => one.close())));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** pg and Node keep their real timers. */
const INTERVALS_ONLY: Parameters<typeof jest.useFakeTimers>[0] = {
  doNotFake: [
    'Date',
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
    'setTimeout',
    'clearTimeout',
  ],
};

function start(options: Parameters<typeof replica>[1] = {}): Replica {
  const one = replica({ url: database.url, pool, captured }, { clock: () => nowMs, ...options });
  started.push(one);
  return one;
}

async function issue(
  changed: Partial<IssueApiKey> = {},
): Promise<{ key: string; id: string; bearer: string }> {
  ids += 1;
  const { key, record } = await issueApiKey(sql, {
    product: 'fb',
    environment: 'live',
    organizationId: 'acme',
    name: 'test',
    scopes: ['read', 'write'],
    createdBy: 'cli',
    nowMs,
    id: `key_${ids}`,
    ...changed,
  });
  return { key, id: record.id, bearer: `Bearer ${key}` };
}
const lastUsedMs = async (id: string) => {
  const [row] = await sql<{ at: Date | null }>('SELECT last_used_at AS at FROM api_keys WHERE id = $1', [id]);
  return row!.at?.getTime() ?? null;
};
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as AppError,
  );
const unauthorized = expect.objectContaining({
  code: 'unauthorized',
  headers: { 'www-authenticate': 'Bearer' },
});

describe('a valid key', () => {
  test('is its organisation, its id and its scopes', async () => {
    const { id, bearer } = await issue({ scopes: ['write', 'read'] });
    expect(await start().authenticate(bearer)).toEqual({
      organizationId: 'acme',
      kind: 'api_key',
      principal: id,
      scopes: new Set(['read', 'write']),
    });
  });

  test('names the bots that it is bound to, also from the cache; an unbound key names none', async () => {
    const { bearer } = await issue({ botIds: ['bot_1', 'bot_2'] });
    const one = start();
    for (const _ of [1, 2]) expect((await one.authenticate(bearer)).botIds).toEqual(['bot_1', 'bot_2']);
    expect(await one.authenticate((await issue()).bearer)).not.toHaveProperty('botIds');
  });

  test('passes only from its addresses, also from the cache', async () => {
    const { bearer } = await issue({ allowedIps: ['192.0.2.0/28', '2001:db8::/32'] });
    const one = start();
    for (const ip of ['192.0.2.1', '::ffff:192.0.2.15', '2001:db8::7']) {
      expect(await one.authenticate(bearer, { ip })).toMatchObject({ organizationId: 'acme' });
      expect(await refusalOf(one.authenticate(bearer, { ip: '192.0.2.16' }))).toEqual(unauthorized);
    }
    expect(await refusalOf(one.authenticate(bearer, { ip: '' }))).toEqual(unauthorized);
  });

  test('passes on both faces, with the scheme in any case', async () => {
    const { key } = await issue();
    const one = start();
    for (const face of ['v1', 'product'] as const) {
      for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
        expect(await one.authenticate(`${scheme} ${key}`, { face })).toMatchObject({
          organizationId: 'acme',
        });
      }
    }
  });

  test('costs one database read for concurrent requests, and none afterwards', async () => {
    const { bearer } = await issue();
    const one = start();
    await Promise.all(Array.from({ length: 20 }, () => one.authenticate(bearer)));
    for (let call = 0; call < 20; call += 1) await one.authenticate(bearer);
    expect(one.statements).toHaveLength(1);
  });

  test('its last use is buffered and written once for all keys, with the newest time', async () => {
    const [first, second] = [await issue(), await issue()];
    const one = start();
    for (let call = 0; call < 50; call += 1) {
      nowMs += 1;
      await one.authenticate(first.bearer);
    }
    const firstUsedMs = nowMs;
    await one.authenticate(second.bearer);
    expect([await lastUsedMs(first.id), await lastUsedMs(second.id)]).toEqual([null, null]);
    await one.flush();
    expect([await lastUsedMs(first.id), await lastUsedMs(second.id)]).toEqual([firstUsedMs, nowMs]);
    await one.flush();
    expect(one.statements.filter((text) => text.includes('UPDATE'))).toHaveLength(1);
  });

  test('its last use is written every minute, and never set back by a replica that is behind', async () => {
    const { id, bearer } = await issue();
    jest.useFakeTimers(INTERVALS_ONLY);
    try {
      const [ahead, behind] = [start(), start()];
      await ahead.authenticate(bearer);
      const usedMs = nowMs;
      jest.advanceTimersByTime(59_999);
      expect(await lastUsedMs(id)).toBeNull();
      jest.advanceTimersByTime(1);
      await eventually(async () => (await lastUsedMs(id)) === usedMs);
      nowMs -= 5_000;
      await behind.authenticate(bearer);
      await behind.flush();
      expect(await lastUsedMs(id)).toBe(usedMs);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('refused, always with the same message', () => {
  test.each<[string, (key: string) => string | undefined]>([
    ['no header', () => undefined],
    ['an empty header', () => ''],
    ['no scheme', (key) => key],
    ['another scheme', (key) => `Basic ${key}`],
    ['two credentials', (key) => `Bearer ${key}, Bearer ${key}`],
    ['a mistyped key', (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`],
    ['a key of another product', () => `Bearer ${generateApiKey('va', 'live')}`],
    ['an identity token, which is off', () => 'Bearer eyJhbGciOiJub25lIn0.e30.'],
  ])('%s, without a database read', async (_what, header) => {
    const one = start();
    const { key } = await issue();
    const refusal = await refusalOf(one.authenticate(header(key)));
    expect(refusal).toEqual(unauthorized);
    expect(refusal!.message).toBe('a valid credential is needed: Authorization: Bearer <credential>');
    expect(one.statements).toEqual([]);
  });

  test('an endless credential is not even parsed', async () => {
    let looks = 0;
    const verifyIdentityToken = async () => {
      looks += 1;
      return null;
    };
    const one = start({ verifyIdentityToken });
    expect(await refusalOf(one.authenticate(`Bearer ${'x'.repeat(8_192)}`))).toEqual(unauthorized);
    expect(looks).toBe(0);
    expect(await refusalOf(one.authenticate('Bearer x'))).toEqual(unauthorized);
    expect(looks).toBe(1);
  });

  test('a well-formed key that was never issued: one read, also when repeated', async () => {
    const one = start();
    const bearer = `Bearer ${generateApiKey('fb', 'live')}`;
    for (let call = 0; call < 3; call += 1)
      expect(await refusalOf(one.authenticate(bearer))).toEqual(unauthorized);
    expect(one.statements).toHaveLength(1);
  });

  test('a cached key that expires', async () => {
    const { bearer } = await issue({ expiresAt: new Date(nowMs + 500) });
    const one = start();
    await one.authenticate(bearer);
    nowMs += 499;
    await one.authenticate(bearer);
    nowMs += 1;
    expect(await refusalOf(one.authenticate(bearer))).toEqual(unauthorized);
    expect(await refusalOf(start().authenticate(bearer))).toEqual(unauthorized);
  });
});

describe('a change of a key that every replica has cached', () => {
  const WITHIN = { timeoutMs: 1_000, intervalMs: 5 };
  const clock = Date.now;

  /**
   * Two replicas that trust their caches until a notice: only a notice can make them drop a key in
   * time.
   */
  async function listeningReplicas(): Promise<Replica[]> {
    const replicas = [start({ clock }), start({ clock })];
    const aSecondAgo = () => Date.now() - LISTENER_TRUST_MS - 1;
    await eventually(() => replicas.every(({ listener }) => listener.isCurrent(aSecondAgo())));
    return replicas;
  }

  test('revoked, or rotated without a grace: refused everywhere within a second, and only that key', async () => {
    const [revoked, rotated, kept] = [await issue(), await issue(), await issue()];
    const replicas = await listeningReplicas();
    for (const one of replicas) {
      for (const { bearer } of [revoked, rotated, kept]) await one.authenticate(bearer);
    }
    await revokeApiKey(sql, 'acme', revoked.id, Date.now(), 'operator');
    await inTransaction(pool, (within) =>
      retireApiKey(within, 'acme', rotated.id, {
        successorId: 'key_new',
        graceSeconds: 0,
        nowMs: Date.now(),
      }),
    );
    for (const one of replicas) {
      for (const { bearer } of [revoked, rotated]) {
        await eventually(
          async () => (await refusalOf(one.authenticate(bearer)))?.code === 'unauthorized',
          WITHIN,
        );
      }
      expect(await one.authenticate(kept.bearer)).toMatchObject({ principal: kept.id });
    }
  });

  test('revoked in a transaction that is rolled back: nothing changes', async () => {
    const { id, bearer } = await issue();
    const one = start();
    await one.authenticate(bearer);
    await inTransaction(pool, async (within) => {
      await revokeApiKey(within, 'acme', id, nowMs, 'operator');
      throw new Error('refused');
    }).catch(() => undefined);
    expect(await one.authenticate(bearer)).toMatchObject({ principal: id });
  });
});

describe('an address with too many refusals', () => {
  const GUESSES = 300;
  const guess = () => `Bearer ${generateApiKey('fb', 'live').slice(0, -1)}-`;

  test('waits for its next attempt; valid keys pass, including unseen ones', async () => {
    const [known, unknown] = [await issue(), await issue()];
    const one = start();
    const ip = '198.51.100.7';
    await one.authenticate(known.bearer, { ip });
    for (let call = 0; call < GUESSES; call += 1) {
      expect(await refusalOf(one.authenticate(guess(), { ip }))).toEqual(unauthorized);
    }
    const refusal = await refusalOf(one.authenticate(guess(), { ip }));
    expect(refusal!.code).toBe('rate_limited');
    expect(Number(refusal!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(refusal!.headers['retry-after'])).toBeLessThanOrEqual(60);

    expect(await one.authenticate(known.bearer, { ip })).toMatchObject({ principal: known.id });
    expect(await one.authenticate(unknown.bearer, { ip })).toMatchObject({ principal: unknown.id });
  });

  test('has its keys looked up one after the other, including a valid one', async () => {
    const good = await issue();
    let [running, most] = [0, 0];
    const counted: Sql = async (text, values) => {
      most = Math.max(most, (running += 1));
      return sql(text, values).finally(() => (running -= 1)) as never;
    };
    const one = start({ sql: counted });
    const ip = '198.51.100.9';
    for (let call = 0; call <= GUESSES; call += 1) await refusalOf(one.authenticate(guess(), { ip }));
    const searched = Array.from({ length: 50 }, () =>
      refusalOf(one.authenticate(`Bearer ${generateApiKey('fb', 'live')}`, { ip })),
    );
    expect(await one.authenticate(good.bearer, { ip })).toMatchObject({ principal: good.id });
    for (const refusal of await Promise.all(searched)) expect(refusal!.code).toBe('rate_limited');
    expect(most).toBe(1);
  });
});

describe('while Postgres is away', () => {
  const away = () =>
    sqlOf(
      createPool({
        url: new Secret('postgresql://postgres@127.0.0.1:1/x'),
        applicationName: 'x',
        connectionsMax: 1,
        log,
      }),
    );

  test('a cached key passes; another one does not count as invalid', async () => {
    const { bearer } = await issue();
    let on = sql;
    const one = start({ sql: (text, values) => on(text, values) });
    await one.authenticate(bearer);
    on = away();
    await one.authenticate(bearer);
    const error = await refusalOf(one.authenticate((await issue()).bearer));
    expect(isPostgresUnavailable(error)).toBe(true);
  });

  test('a failed write of last_used_at is logged', async () => {
    const { bearer } = await issue();
    let on = sql;
    const one = start({ sql: (text, values) => on(text, values) });
    await one.authenticate(bearer);
    on = away();
    const before = captured.with('failure.ignored').length;
    await one.flush();
    expect(captured.with('failure.ignored').slice(before)).toEqual([
      expect.objectContaining({ why: 'last_used_at is informative' }),
    ]);
  });
});
