// A built service with an invalid configuration prints every problem and exits with 1
// (docs/platform.md#configuration). With a pooler that does not suit it prints one sentence.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { assembleRelease, SERVICES, type Programs } from '@parley/dev/stack';
import { openLedger, startPgBouncer } from '@parley/testing/servers';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = `/var/tmp/parley-configuration-${process.pid}`;
let programs: Programs;
beforeAll(async () => {
  programs = await assembleRelease(root, folder, SERVICES);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test.each(SERVICES)(
  '%s',
  (service) => {
    const run = spawnSync(process.execPath, [programs.main(service)], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        PORT: '99999',
        DATABASE_URL: 'mysql://nowhere',
        DATA_KEY: 'k1:plain-value',
        LOG_LEVEL: 'loud',
        IDENTITY_SHARED_SECRET: 'env://X',
      },
    });
    expect(run.status).toBe(1);
    for (const name of [
      'PORT',
      'DATABASE_URL',
      'DATA_KEY',
      'QUEUE_KEY is not set',
      'MESSAGE_KEYS is not set',
      'LOG_LEVEL',
    ]) {
      expect(run.stderr).toContain(name);
    }
    expect(run.stderr).not.toContain('plain-value');
  },
  60_000,
);

test('a pooler without a direct address', async () => {
  const home = join(folder, 'pooler');
  mkdirSync(home, { mode: 0o755 });
  const ledger = openLedger(join(home, 'processes.json'));
  const target = process.env['TEST_POSTGRES_URL']!;
  const pooler = await startPgBouncer({ root, home, ledger, target, mode: 'session' });
  const key = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
  try {
    const run = spawnSync(process.execPath, [programs.main('flow-builder')], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: pooler.url,
        QUEUE_URL: target,
        DATA_KEY: 'env://KEY',
        QUEUE_KEY: 'env://KEY',
        MESSAGE_KEYS: 'env://MESSAGES',
        KEY: key,
        MESSAGES: `voice-api=${key}`,
      },
    });
    expect(run.status).toBe(1);
    expect(run.stderr).toBe(
      'flow-builder cannot start: DATABASE_URL is the address of a pooler that refuses the startup parameter statement_timeout: set DATABASE_DIRECT_URL to the address of the Postgres server itself.\n',
    );
  } finally {
    await pooler.stop();
  }
}, 60_000);
