// An image's life without a container engine: what docker/collect.sh puts together starts as user 65532 on a tree that nobody may
// write to, migrates, serves, works and stops. `npm run image:rehearse` does the same after a build from nothing.
import { afterAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleApps } from '@parley/local-stack';
import { testPostgresUrl, testRedisUrl } from '@parley/testkit';
import pg from 'pg';
import { readImage } from '../../src/shipping/build-image.ts';
import { parseDockerfile } from '../../src/shipping/dockerfile.ts';
import { rehearse, rehearseConsole } from '../../src/shipping/rehearse.ts';
import { readText, root } from './facts.ts';

const SERVICE = 'notifications';
const home = mkdtempSync(join(tmpdir(), 'parley-image-'));
const database = `image_${process.pid}`;
afterAll(async () => {
  execFileSync('chmod', ['-R', 'u+w', home]);
  rmSync(home, { recursive: true });
  const client = new pg.Client({ connectionString: testPostgresUrl() });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await client.end();
});

test('the image of the console serves its page, and carries the licences of what runs in the browser', async () => {
  chmodSync(home, 0o755);
  await bundleApps({ root, apps: ['console', 'cli'] });
  const source = join(home, 'console-src');
  mkdirSync(source);
  execFileSync('sh', ['docker/collect.sh', 'console', join(source, 'out')], { cwd: root });
  const [, stage] = parseDockerfile(readText('docker/Dockerfile'));
  const image = readImage(stage!, { service: 'console', source, root: home });
  expect(await rehearseConsole(image, join(home, 'console-secrets'))).toHaveLength(3);
  const licences = readFileSync(join(image.folder, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
  for (const name of ['express', 'jose', 'react-dom', 'uplot', '@base-ui/react'])
    expect(licences).toMatch(new RegExp(`^${name} `, 'm'));
}, 120_000);

test('an image plays its whole life without root and without writing', async () => {
  chmodSync(home, 0o755);
  await bundleApps({ root, apps: [SERVICE, 'cli'] });
  const source = join(home, 'src');
  mkdirSync(source);
  execFileSync('sh', ['docker/collect.sh', SERVICE, join(source, 'out')], { cwd: root });
  const [, stage] = parseDockerfile(readText('docker/Dockerfile'));
  const image = readImage(stage!, { service: SERVICE, source, root: home });
  const databaseUrl = new URL(testPostgresUrl());
  databaseUrl.pathname = `/${database}`;
  const seen = await rehearse(image, {
    databaseUrl: databaseUrl.href,
    queueUrl: testRedisUrl(),
    secretsFolder: join(home, 'secrets'),
  });
  expect(seen).toHaveLength(6);
  expect(seen[0]).toMatch(/^\d+ files, (\d|[1-4]\d)\.\d MiB/); // less than 50 MiB beside Node
  const licences = readFileSync(join(image.folder, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
  for (const name of ['express', 'pg', 'bullmq', 'prom-client'])
    expect(licences).toMatch(new RegExp(`^${name} `, 'm'));
}, 120_000);
