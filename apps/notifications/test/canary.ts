// Searches for secrets in every text and byte column of the database, every key of the queue, and
// the log.
import { Redis } from 'ioredis';
import pg from 'pg';
import type { CapturedLog } from '@parley/testing';

export interface Places {
  readonly databaseUrl: string;
  /** The service's QUEUE_URL and QUEUE_PREFIX. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: CapturedLog;
}

/** Where each secret was found: `postgres deliveries.plan`, `redis <key>`, `log`. */
export async function findSecrets(places: Places, secrets: readonly string[]): Promise<string[]> {
  const spellings = secrets.flatMap(listSpellings);
  const found = [
    ...(await inPostgres(places.databaseUrl, spellings)),
    ...(await inRedis(places.env, spellings)),
    ...(has(places.log.text(), spellings) ? ['log'] : []),
  ];
  return [...new Set(found)];
}

/** A secret may be stored in another encoding. */
function listSpellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Base64 depends on the offset: this part is the same for all three.
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), ...base64].filter(
    ({ length }) => length >= 8,
  );
}

const has = (text: string, spellings: readonly string[]) =>
  spellings.some((spelling) => text.includes(spelling));

async function inPostgres(url: string, spellings: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: columns } = await client.query<{ table: string; column: string; type: string }>(
      `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type IN ('text', 'bytea', 'json', 'jsonb', 'ARRAY', 'character varying')`,
    );
    if (columns.length === 0)
      throw new Error('no columns to look into: is this the database of the service?');
    const found: string[] = [];
    for (const { table, column, type } of columns) {
      // Bytes as text with escapes; ASCII is unchanged.
      const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
      const { rowCount } = await client.query(
        `SELECT 1 FROM "${table}" WHERE EXISTS
           (SELECT FROM unnest($1::text[]) AS secret WHERE position(secret in ${text}) > 0) LIMIT 1`,
        [spellings],
      );
      if (rowCount) found.push(`postgres ${table}.${column}`);
    }
    return found;
  } finally {
    await client.end();
  }
}

async function inRedis(env: Places['env'], spellings: readonly string[]): Promise<string[]> {
  const redis = new Redis(env['QUEUE_URL']!);
  try {
    const found: string[] = [];
    for await (const keys of redis.scanStream({ match: `${env['QUEUE_PREFIX']}*`, count: 500 })) {
      for (const key of keys as string[])
        if (has(JSON.stringify([key, await readContent(redis, key)]), spellings)) found.push(`redis ${key}`);
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

async function readContent(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return undefined; // deleted in the meantime
  }
}

/** Number of keys in the queue, to prove that the search covers something. */
export async function queueKeys(env: Places['env']): Promise<number> {
  const redis = new Redis(env['QUEUE_URL']!);
  try {
    let count = 0;
    for await (const keys of redis.scanStream({ match: `${env['QUEUE_PREFIX']}*`, count: 500 }))
      count += (keys as string[]).length;
    return count;
  } finally {
    redis.disconnect();
  }
}
