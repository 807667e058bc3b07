// A built service with a wrong configuration prints every problem at once and exits 1 (docs/platform.md#configuration).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const main = (service: string) =>
  fileURLToPath(new URL(`../../../dist/apps/${service}/main.mjs`, import.meta.url));

test.each(['flow-builder', 'voice-api', 'notifications'])('%s', (service) => {
  const run = spawnSync(process.execPath, [main(service)], {
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
});
