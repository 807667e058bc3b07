// A built service with an invalid configuration prints every problem and exits with 1
// (docs/platform.md#configuration).
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { assembleRelease, SERVICES, type Programs } from '@parley/dev/stack';

const folder = `/var/tmp/parley-configuration-${process.pid}`;
let programs: Programs;
beforeAll(async () => {
  programs = await assembleRelease(fileURLToPath(new URL('../../..', import.meta.url)), folder, SERVICES);
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
