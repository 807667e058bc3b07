// A store that answers and cannot serve: an older schema, a Redis that refuses writes
// (docs/platform.md#operations-endpoints).
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { openLedger, redisForTests, startRedis, type RedisServer } from '@parley/testing/servers';
import { eventually } from '@parley/testing';
import { startVoiceApi, type VoiceApi } from './service.ts';
import { commit, dataOf, event, registered } from './webhooks.ts';

jest.setTimeout(120_000);

let home: string;
let redis: RedisServer;
let service: VoiceApi;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'parley-full-redis-'));
  const program = await redisForTests(join(import.meta.dirname, '../../..'));
  const ledger = openLedger(join(home, 'processes.json'));
  redis = await startRedis({ program, home, ledger, settings: ['maxmemory 1'] });
  service = await startVoiceApi({ env: { QUEUE_URL: redis.url, OPERATOR_ORGANIZATION: 'acme' } });
});
afterAll(async () => {
  await service.stop();
  await redis.stop();
  await rm(home, { recursive: true });
});

const answerOf = async (path: string) => {
  const answer = await fetch(service.server.url + path);
  return { status: answer.status, body: (await answer.json()) as { store?: object } };
};

test('a database that lacks a migration of the release is not ready, and ready once it has it', async () => {
  await eventually(async () => (await answerOf('/ready')).status === 200);
  const { sql } = service.deps;
  const [newest] = await sql<{ name: string }>('SELECT max(migration_name) AS name FROM _prisma_migrations');
  const finish = (at: string) =>
    sql(`UPDATE _prisma_migrations SET finished_at = ${at} WHERE migration_name = $1`, [newest!.name]);
  await finish('NULL');
  await eventually(async () => (await answerOf('/ready')).status === 503);
  expect(await answerOf('/health')).toMatchObject({
    status: 200,
    body: { store: { ready: false, migrations_missing: 1 } },
  });
  expect(service.log.text()).toContain('store.migrations_missing');
  await finish('now()');
  await eventually(async () => (await answerOf('/ready')).status === 200);
  expect((await answerOf('/health')).body.store).not.toHaveProperty('migrations_missing');

  await sql('ALTER TABLE _prisma_migrations RENAME TO elsewhere');
  await eventually(async () => (await answerOf('/ready')).status === 503);
  await sql('ALTER TABLE elsewhere RENAME TO _prisma_migrations');
  await eventually(async () => (await answerOf('/ready')).status === 200);
});

test('a database that needs a key that DATA_KEY lacks is not ready until it has it', async () => {
  const { sql } = service.deps;
  await eventually(async () => (await sql('SELECT id FROM data_keys')).length === 1);
  await sql("INSERT INTO data_keys (id) VALUES ('of-yesterday')");
  await eventually(async () => (await answerOf('/ready')).status === 503);
  expect(await answerOf('/health')).toMatchObject({
    status: 200,
    body: { store: { ready: false, data_keys_missing: 1 } },
  });
  expect(service.log.with('store.keys_missing')).toMatchObject([{ missing: 'of-yesterday' }]);
  const metrics = await (await fetch(`${service.server.url}/metrics`)).text();
  expect(metrics).toMatch(/^data_keys_missing\b.* 1$/m);
  await eventually(async () => {
    const { items } = dataOf<{ items: { message: string }[] }>(
      await service.api.get('/v1/alerts?kind=data_key_missing').expect(200),
    );
    return items.some(({ message }) => message.includes('lacks of-yesterday'));
  });

  await sql("UPDATE data_keys SET rewrapped_at = now() WHERE id = 'of-yesterday'");
  await eventually(async () => (await answerOf('/ready')).status === 200);
});

test('a Redis without memory loses nothing, is counted and reported to the operators', async () => {
  await registered(service, 'https://8.8.8.8/hook');
  await commit(service, [event()]);
  await eventually(async () => {
    const { items } = dataOf<{ items: { subject: string; message: string }[] }>(
      await service.api.get('/v1/alerts?kind=queue_refused').expect(200),
    );
    return items.some(({ subject, message }) => subject === 'redis' && message.includes('OOM'));
  });
  const metrics = await (await fetch(`${service.server.url}/metrics`)).text();
  expect(metrics).toMatch(/^queue_rings_total\{[^}]*outcome="refused"[^}]*\} [1-9]/m);
  const batches = await service.deps.sql('SELECT id FROM webhook_delivery_batches');
  expect(batches).toHaveLength(1);
});
