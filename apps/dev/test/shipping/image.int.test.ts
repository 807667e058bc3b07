// The life of the images without a container engine: what docker/collect.sh puts together starts as
// user 65532, outside the checkout and on trees that nobody may write to. `npm run image:rehearse`
// does the same after a build from nothing.
import { afterAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assembleRelease, bundleApps, SERVICES } from '../../src/stack/index.ts';
import { testPostgresUrl, testRedisUrl } from '@parley/testing';
import pg from 'pg';
import { describeImage } from '../../src/shipping/build-image.ts';
import { contextFilter, parseDockerfile } from '../../src/shipping/dockerfile.ts';
import { rehearse } from '../../src/shipping/rehearse.ts';
import { readText, root } from './facts.ts';

const place = `/var/tmp/parley-image-${process.pid}`;
const databaseOf = (service: string) => `image_${process.pid}_${service.replaceAll('-', '_')}`;
afterAll(async () => {
  execFileSync('chmod', ['-R', 'u+w', place]);
  rmSync(place, { recursive: true });
  const client = new pg.Client({ connectionString: testPostgresUrl() });
  await client.connect();
  for (const service of SERVICES)
    await client.query(`DROP DATABASE IF EXISTS ${databaseOf(service)} WITH (FORCE)`);
  await client.end();
}, 60_000);

test('the images play their whole life, as one Parley', async () => {
  const names = [...SERVICES, 'console'] as const;
  await bundleApps({ root });
  await assembleRelease(root, place, names);
  const [, stage] = parseDockerfile(readText('docker/Dockerfile'));
  const images = names.map((name) => describeImage(stage!, name, join(place, name)));
  const seen = await rehearse(images, {
    databaseUrlOf: (service) => {
      const url = new URL(testPostgresUrl());
      url.pathname = `/${databaseOf(service)}`;
      return url.href;
    },
    queueUrl: testRedisUrl(),
    secretsFolder: join(place, 'secrets'),
  });
  for (const name of names) expect(seen.join('\n')).toMatch(new RegExp(`^${name}: `, 'm'));
  const sizes = seen.filter((line) => line.includes('production only'));
  for (const line of sizes) expect(line).toMatch(/: \d+ files, (\d|[1-4]\d)\.\d MiB/); // less than 50 MiB beside Node
}, 300_000);

test('all that the bundles are made of enters the build of an image', () => {
  const isLetIn = contextFilter(readText('docker/Dockerfile.dockerignore'));
  const isMadeThere = (path: string) =>
    /node_modules\/|^(prisma\/[^/]+|libs\/answers)\/generated\//.test(path);
  for (const app of [...SERVICES, 'console', 'cli']) {
    const sources = Object.keys(JSON.parse(readText(`dist/apps/${app}/made-from.json`)) as object);
    const kept = sources.filter((path) => path.includes('.') && !isMadeThere(path));
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.filter((path) => !isLetIn(path))).toEqual([]);
  }
});

test.each([
  ['notifications', ['express', 'pg', 'bullmq', 'prom-client']],
  ['console', ['express', 'jose', 'react-dom', 'uplot', '@base-ui/react']], // what runs in the browser too
])('the image of %s carries the licences of what it runs', (name, packages) => {
  const licences = readFileSync(join(place, name, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
  for (const one of packages) expect(licences).toMatch(new RegExp(`^${one} `, 'm'));
});
