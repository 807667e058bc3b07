// What others publish under a name that they can move is named by what it is: actions by commit;
// images by digest once docker/pin-images.sh has asked the registry, and in a release without
// exception.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readText, root } from './facts.ts';

const workflows = readdirSync(join(root, '.github/workflows'));

test.each(workflows)('%s names every action by its commit, with the version for people', (file) => {
  const used = [...readText(`.github/workflows/${file}`).matchAll(/uses: (.*)/g)].map(
    ([, action]) => action!,
  );
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('one action has one commit', () => {
  const all = workflows.flatMap((file) => [
    ...readText(`.github/workflows/${file}`).matchAll(/uses: ([\w-]+\/[\w-]+)(?:\/\S+)?(@.*)/g),
  ]);
  const pairs = new Set(all.map(([, action, commit]) => `${action}${commit}`));
  expect(pairs.size).toBe(new Set(all.map(([, action]) => action)).size);
});

describe('docker/pin-images.sh', () => {
  const FILES = ['docker/Dockerfile', 'docker/compose.yaml', 'k8s/overlays/dev/servers.yaml'];
  const DIGEST = `sha256:${'0a'.repeat(32)}`;
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'parley-pins-'));
    for (const path of [...FILES, 'docker/pin-images.sh']) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path));
    }
    for (const path of FILES) {
      writeFileSync(
        join(copy, path),
        readFileSync(join(copy, path), 'utf8').replaceAll(/@sha256:[0-9a-f]{64}/g, ''),
      );
    }
    mkdirSync(join(copy, 'bin'));
    writeFileSync(join(copy, 'bin', 'docker'), `#!/bin/sh\necho ${DIGEST}\n`); // the registry's answer
    chmodSync(join(copy, 'bin', 'docker'), 0o755);
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  const env = () => ({ ...process.env, PATH: `${join(copy, 'bin')}:${process.env['PATH']}` });
  const script = () => join(copy, 'docker', 'pin-images.sh');
  const check = () => spawnSync('sh', [script(), '--check'], { encoding: 'utf8' });

  test('finds what has no digest, writes it, and is content then', () => {
    const before = check();
    expect(before.status).toBe(1);
    for (const image of ['node:24-', 'gcr.io/distroless/nodejs24', 'postgres:18', 'redis:7'])
      expect(before.stderr).toContain(image);
    execFileSync('sh', [script()], { env: env() });
    execFileSync('sh', [script()], { env: env() }); // a second time changes nothing
    const pinned = FILES.map((path) => readFileSync(join(copy, path), 'utf8')).join('\n');
    expect(pinned.match(/@sha256:[0-9a-f]{64}/g)).toEqual(Array.from({ length: 6 }, () => `@${DIGEST}`));
    expect(pinned).toMatch(new RegExp(`^FROM node:24-bookworm-slim@${DIGEST} AS build$`, 'm'));
    expect(check()).toMatchObject({ status: 0, stderr: '' });
  });

  test('a release asks it', () => {
    expect(readText('.github/workflows/release.yml')).toContain('sh docker/pin-images.sh --check');
  });
});
