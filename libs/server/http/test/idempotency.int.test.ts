// Idempotency-Key on a real database: one effect, one stored answer, both or neither
// (docs/platform.md#idempotency).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import supertest from 'supertest';
import { AppError, flowBuilderDialect } from '@parley/envelopes';
import { deleteExpiredIdempotencyKeys } from '../src/index.ts';
import { createPool, inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { createLog, Secret } from '@parley/server/runtime';
import { capturedLog, createTestDatabase } from '@parley/testing';
import { tinyApi, type Create, type Prepare, type TinyApi } from './tiny-api.ts';

const DAY_MS = 24 * 60 * 60_000;
const captured = capturedLog();
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let sql: Sql;
let api: TinyApi;
let nowMs: number;
let create: Create;
let prepare: Prepare;
let keys = 0;

const insertNote: Create = async (text, { sql: within }) => {
  await within('INSERT INTO notes VALUES ($1)', [text]);
};

beforeAll(async () => {
  database = await createTestDatabase('flow-builder');
  const log = createLog({ service: 'test', level: 'warn', destination: captured });
  pool = createPool({ url: new Secret(database.url), applicationName: 'app', connectionsMax: 10, log });
  sql = sqlOf(pool);
  await sql('CREATE TABLE notes (text text)');
  api = await tinyApi(flowBuilderDialect, captured, {
    clock: () => nowMs,
    create: (text, transaction) => create(text, transaction),
    prepare: (text) => prepare(text),
    transact: (work) => inTransaction(pool, work),
  });
});
beforeEach(() => {
  nowMs = 1_800_000_000_000;
  create = insertNote;
  prepare = async (text) => text;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function gate(): { passed: Promise<void>; pass: () => void } {
  let pass = (): void => undefined;
  const passed = new Promise<void>((resolve) => (pass = resolve));
  return { passed, pass };
}

const newKey = () => `key-${(keys += 1)}`;
const effects = async (text: string) => (await sql('SELECT 1 FROM notes WHERE text = $1', [text])).length;
const stored = (key: string) => sql('SELECT * FROM idempotency_keys WHERE key = $1', [key]);

interface Answer {
  status: number;
  text: string;
  headers: Record<string, string>;
  body: { code?: string; errors?: unknown; owner?: string };
}

/** Sends a note; `then` makes supertest send immediately. */
function send(
  key: string | null,
  body: string | object,
  {
    organization = 'acme',
    path = '/v1/notes',
    person = '',
  }: { organization?: string; path?: string; person?: string } = {},
): Promise<Answer> {
  const request = supertest(api.url)
    .post(path)
    .set({ authorization: `Bearer ${organization}:write${person}`, 'content-type': 'application/json' });
  if (key !== null) void request.set('idempotency-key', key);
  return request.send(body).then((response): Answer => response);
}

describe('what is prepared', () => {
  const path = '/v1/prepared-notes';

  test('is built before a transaction opens, and passed into it', async () => {
    let open = -1;
    prepare = async (text) => {
      const [row] = await sql<{ open: number }>(
        `SELECT count(*)::int AS open FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'idle in transaction'`,
      );
      open = row!.open;
      return `${text}, prepared`;
    };
    const answer = await send(newKey(), { text: 'a note' }, { path });
    expect([answer.status, open]).toEqual([201, 0]);
    expect(await effects('a note, prepared')).toBe(1);
  });

  test('is refused permanently only if no answer is stored', async () => {
    const key = newKey();
    await send(key, { text: 'stays' }, { path });
    prepare = () => Promise.reject(new AppError('conflict', 'not any more'));
    expect((await send(key, { text: 'stays' }, { path })).headers['idempotent-replayed']).toBe('true');
    const other = await send(newKey(), { text: 'is refused' }, { path });
    expect([other.status, other.body.code]).toEqual([409, 'conflict']);
    expect(await effects('is refused')).toBe(0);
  });
});

describe('the same request again', () => {
  test('has one effect and gets the same answer, marked as replayed', async () => {
    const key = newKey();
    const first = await send(key, { text: 'once' });
    const again = await send(key, { text: 'once' });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(again.headers['location']).toBe('/v1/notes/note_1');
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await effects('once')).toBe(1);
  });

  test('a slash at the end is another path with nothing there', async () => {
    const key = newKey();
    await send(key, '{"text":"slash"}');
    const again = await send(key, '{"text":"slash"}', { path: '/v1/notes/' });
    expect(again.status).toBe(404);
    expect(await effects('slash')).toBe(1);
  });

  test('member order and blanks do not make another request', async () => {
    const key = newKey();
    await send(key, '{"text":"order","labels":[{"name":"a","weight":1}]}');
    const again = await send(key, '{ "labels": [{"weight":1,"name":"a"}], "text":"order" }');
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await effects('order')).toBe(1);
  });

  test('with another body is refused and has no effect', async () => {
    const key = newKey();
    await send(key, { text: 'the first' });
    const other = await send(key, { text: 'the second' });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect(await effects('the second')).toBe(0);
  });

  test('gets 409 with Retry-After while the first one runs', async () => {
    const key = newKey();
    const [open, runs] = [gate(), gate()];
    create = async (text, transaction) => {
      await insertNote(text, transaction);
      runs.pass();
      await open.passed;
    };
    const first = send(key, { text: 'slow' });
    await runs.passed;
    const meanwhile = await send(key, { text: 'slow' });
    expect([meanwhile.status, meanwhile.body.code]).toEqual([409, 'idempotency_in_progress']);
    expect(meanwhile.headers['retry-after']).toBe('1');
    open.pass();
    expect((await first).status).toBe(201);
    expect((await send(key, { text: 'slow' })).headers['idempotent-replayed']).toBe('true');
    expect(await effects('slow')).toBe(1);
  });

  test('fifty concurrent ones have exactly one effect', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(key, { text: 'fifty' })));
    const fresh = answers.filter(({ status, headers }) => status === 201 && !headers['idempotent-replayed']);
    expect(fresh).toHaveLength(1);
    for (const { status, body } of answers) {
      if (status === 201) expect(body).toEqual(fresh[0]!.body);
      else expect([status, body.code]).toEqual([409, 'idempotency_in_progress']);
    }
    expect(await effects('fifty')).toBe(1);
    expect(await stored(key)).toHaveLength(1);
  });
});

describe('another request', () => {
  test('without the header every request has its effect, and nothing is stored', async () => {
    const before = await sql('SELECT 1 FROM idempotency_keys');
    await send(null, { text: 'twice' });
    await send(null, { text: 'twice' });
    expect(await effects('twice')).toBe(2);
    expect(await sql('SELECT 1 FROM idempotency_keys')).toHaveLength(before.length);
  });

  test('another organisation, another face', async () => {
    const key = newKey();
    for (const options of [{}, { organization: 'other' }, { path: '/product/v1/notes' }]) {
      const response = await send(key, { text: 'independent' }, options);
      expect([response.status, response.headers['idempotent-replayed']]).toEqual([201, undefined]);
    }
    expect(await effects('independent')).toBe(3);
    // The key is used up on each of them.
    expect((await send(key, { text: 'x' }, { path: '/product/v1/notes' })).status).toBe(422);
  });

  test('another caller of the organisation: a person, or a key', async () => {
    const key = newKey();
    const path = '/v1/own-notes';
    for (const person of ['@alice', '@bob', '@key_1', '']) {
      const response = await send(key, { text: 'their own' }, { path, person });
      expect([response.status, response.headers['idempotent-replayed']]).toEqual([201, undefined]);
      expect(response.body.owner).toBe(person === '' ? 'key_1' : person.slice(1));
    }
    const again = await send(key, { text: 'their own' }, { path, person: '@alice' });
    expect([again.headers['idempotent-replayed'], again.body.owner]).toEqual(['true', 'alice']);
    expect(await effects('their own')).toBe(4);
  });

  test('a failed effect stores nothing: the key can be used again, with any body', async () => {
    const key = newKey();
    for (const failure of [new AppError('conflict', 'there is one already'), new Error('a bug')]) {
      create = async (text, transaction) => {
        await insertNote(text, transaction);
        throw failure;
      };
      expect((await send(key, { text: 'failed' })).status).toBe(failure instanceof AppError ? 409 : 500);
      expect(await stored(key)).toEqual([]);
    }
    create = insertNote;
    expect((await send(key, { text: 'repaired' })).status).toBe(201);
    expect([await effects('failed'), await effects('repaired')]).toEqual([0, 1]);
  });

  test('a refusal by the schema uses no key up', async () => {
    const key = newKey();
    expect((await send(key, { txt: 'x' })).status).toBe(400);
    expect((await send(key, { text: 'spelt right' })).status).toBe(201);
  });

  test('a day later', async () => {
    const key = newKey();
    await send(key, { text: 'daily' });
    nowMs += DAY_MS - 1;
    expect((await send(key, { text: 'daily' })).headers['idempotent-replayed']).toBe('true');
    nowMs += 1;
    expect((await send(key, { text: 'daily, changed' })).status).toBe(201);
    expect(await effects('daily, changed')).toBe(1);
    expect(await stored(key)).toHaveLength(1); // the new answer has replaced the old one
  });
});

describe('an answer that shows a secret', () => {
  test('is repeated while the secret is in force, and not afterwards', async () => {
    const key = newKey();
    const ask = () => send(key, { text: 'secret-1' }, { path: '/v1/own-notes' });
    const first = await ask();
    expect((await ask()).text).toBe(first.text);
    await sql('DELETE FROM notes WHERE text = $1', ['secret-1']);
    const gone = await ask();
    expect([gone.status, gone.body.code]).toEqual([409, 'idempotency_secret_gone']);
    expect(gone.text).not.toContain('secret-1');
    expect(await effects('secret-1')).toBe(0);
  });
});

describe('at rest', () => {
  test('the answer is sealed: no table holds what it shows', async () => {
    const key = newKey();
    await send(key, { text: 'canary-9d2c' });
    const rows = await sql<{ row: string }>(
      'SELECT k::text AS row FROM idempotency_keys AS k WHERE key = $1',
      [key],
    );
    expect(rows).toHaveLength(1);
    const text = rows[0]!.row;
    for (const hidden of ['canary-9d2c', Buffer.from('canary-9d2c').toString('hex'), 'note_1']) {
      expect(text).not.toContain(hidden);
    }
  });

  test('a sealed answer does not open in the row of another one', async () => {
    const [mine, theirs] = [newKey(), newKey()];
    await send(mine, { text: 'moved' });
    await send(theirs, { text: 'moved' }, { organization: 'other' });
    await sql(
      `UPDATE idempotency_keys SET reply = (SELECT reply FROM idempotency_keys WHERE key = $1) WHERE key = $2`,
      [theirs, mine],
    );
    expect((await send(mine, { text: 'moved' })).status).toBe(500);
  });

  test('expired keys are deleted, current ones stay', async () => {
    const [early, late] = [newKey(), newKey()];
    await send(early, { text: 'x' });
    nowMs += DAY_MS;
    await send(late, { text: 'x' });
    expect(await deleteExpiredIdempotencyKeys(sql, nowMs)).toBeGreaterThan(0);
    expect([(await stored(early)).length, (await stored(late)).length]).toEqual([0, 1]);
    expect(await deleteExpiredIdempotencyKeys(sql, nowMs)).toBe(0);
  });
});

describe('the header', () => {
  test.each(['x'.repeat(256), 'käse'])('%j is refused', async (key) => {
    const response = await send(key, { text: 'x' });
    expect([response.status, response.body.errors]).toEqual([
      400,
      [
        {
          path: '/header/Idempotency-Key',
          in: 'header',
          message: 'must be 1 to 255 printable ASCII characters',
        },
      ],
    ]);
  });

  test.each(['x'.repeat(255), 'a b', '"quoted; key"'])('%j is accepted', async (key) => {
    expect((await send(key, { text: 'x' })).status).toBe(201);
    expect((await send(key, { text: 'x' })).headers['idempotent-replayed']).toBe('true');
  });
});

describe('afterCommit', () => {
  test('runs once the writes are visible to others, and neither for a failure nor for a repeat', async () => {
    const key = newKey();
    const rung: string[] = [];
    const seen: Promise<number>[] = [];
    let fail = true;
    create = async (text, transaction) => {
      transaction.afterCommit(() => {
        rung.push(text);
        seen.push(effects(text));
      });
      await insertNote(text, transaction);
      if (fail) throw new AppError('conflict', 'not yet');
    };
    await send(key, { text: 'rung' });
    expect(rung).toEqual([]);
    fail = false;
    await send(key, { text: 'rung' });
    await send(key, { text: 'rung' });
    expect(rung).toEqual(['rung']);
    expect(await Promise.all(seen)).toEqual([1]);
  });

  test('when it fails, the effect is committed and the answer stays', async () => {
    const rung: string[] = [];
    create = async (text, transaction) => {
      transaction.afterCommit(() => {
        throw new Error('the bell is broken');
      });
      transaction.afterCommit(() => rung.push('the next bell'));
      await insertNote(text, transaction);
    };
    expect((await send(newKey(), { text: 'unrung' })).status).toBe(201);
    expect(await effects('unrung')).toBe(1);
    expect(rung).toEqual(['the next bell']);
    expect(captured.with('request.after_commit_failed')).toEqual([
      expect.objectContaining({
        level: 'error',
        err: expect.objectContaining({ message: 'the bell is broken' }),
      }),
    ]);
  });
});

test('a one-statement effect is in a transaction only if its answer must be stored with it', async () => {
  const alone = (key: string | null) => send(key, { text: 'alone' }, { path: '/v1/lone-notes' });
  expect((await alone(null)).body).toEqual({ in_transaction: false });
  const key = newKey();
  expect((await alone(key)).body).toEqual({ in_transaction: true });
  const again = await alone(key);
  expect(again.body).toEqual({ in_transaction: true });
  expect(again.headers['idempotent-replayed']).toBe('true');
});
