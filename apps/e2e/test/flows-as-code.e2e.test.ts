// `parley flows` with a folder and two organisations of a running flow builder
// (docs/flows-as-code.md#with-a-server).
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStack, type Stack } from '@parley/dev/stack';
import { Parley } from '@parley/sdk';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PATIENCE_MS = 240_000;
const home = mkdtempSync(join(tmpdir(), 'parley-flows-e2e-'));
const dir = join(home, 'flows');
const copy = join(home, 'copy');

let stack: Stack;
let url: string;
let keys: { test: string; production: string };
beforeAll(async () => {
  cpSync(join(root, 'apps/cli/examples/flows'), dir, { recursive: true });
  mkdirSync(copy);
  stack = await startStack({
    root,
    home: join(home, 'stack'),
    released: true,
    env: { PATH: process.env['PATH'] },
    services: ['flow-builder'],
    queue: { kind: 'postgres' },
  });
  const builder = stack.services['flow-builder'];
  url = builder.origin;
  const made = await parley(
    {},
    'keys',
    'create',
    '--product',
    'flow-builder',
    '--org',
    'production',
    '--name',
    'ci',
    '--database-url',
    builder.databaseUrl,
  );
  keys = { test: builder.apiKey, production: (JSON.parse(made.out) as { key: string }).key };
}, PATIENCE_MS);
afterAll(async () => {
  await stack.stop();
  rmSync(home, { recursive: true, force: true });
});

function parley(env: Record<string, string>, ...words: string[]) {
  const args = [stack.cli('flow-builder'), ...words];
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: root, env: { PATH: process.env['PATH'], ...env } },
      (failed, out, error) => resolve({ code: failed ? Number(failed.code) : 0, out, error }),
    );
  });
}
const flows = (...words: string[]) =>
  parley({ PARLEY_FLOWS_URL: url, PARLEY_FLOWS_KEY: keys.test }, 'flows', ...words);
const edit = (folder: string, from: string, to: string) => {
  const path = join(folder, 'booking.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
};

test(
  'pushes a folder, pulls it elsewhere, and detects changes on both sides',
  async () => {
    expect(await flows('push', 'identify', '--dir', dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('identify: pushed as version 1'),
    });
    expect(await flows('publish', 'identify', '--yes', '--dir', dir)).toMatchObject({ code: 0 });
    expect(await flows('push', '--dir', dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('booking: pushed as version 1, 2 tests stored'),
    });
    expect(await flows('push', '--dir', dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('booking: unchanged at version 1, 0 tests stored'),
    });
    expect(await flows('diff', '--dir', dir)).toMatchObject({ code: 0, out: '' });

    expect(await flows('pull', '--dir', copy, '--format', 'json')).toMatchObject({
      code: 0,
      out: expect.stringContaining('booking: version 1 in booking.json, 2 tests'),
    });

    edit(dir, 'For how many?', 'How many are you?');
    expect(await flows('diff', '--dir', dir)).toMatchObject({
      code: 1,
      out: expect.stringContaining('against version 1'),
    });
    // The stored test expects the old prompt.
    expect(await flows('push', '--dir', dir, '--note', 'shorter')).toMatchObject({
      code: 0,
      out: expect.stringContaining('booking: pushed as version 2'),
    });

    const stale = join(copy, 'booking.json');
    writeFileSync(stale, readFileSync(stale, 'utf8').replace('For how many?', 'How many?'));
    expect(await flows('push', 'booking', '--dir', copy)).toMatchObject({
      code: 1,
      out: expect.stringContaining('version 1 is no longer the latest'),
    });
    expect(await flows('pull', 'booking', '--dir', copy)).toMatchObject({
      code: 1,
      out: expect.stringContaining('not overwritten'),
    });
    expect(await flows('pull', 'booking', '--dir', copy, '--force')).toMatchObject({
      code: 0,
      out: expect.stringContaining('version 2'),
    });
    expect(readFileSync(stale, 'utf8')).toContain('How many are you?');
  },
  PATIENCE_MS,
);

test(
  'publishes only after confirmation and with passing tests, then promotes to production',
  async () => {
    expect(await flows('publish', 'booking', '--dir', dir)).toMatchObject({
      code: 2,
      out: expect.stringContaining('booking: publish version 2 for the first time'),
      error: expect.stringContaining('nothing was done'),
    });
    expect(await flows('publish', 'booking', '--yes', '--dir', dir)).toMatchObject({
      code: 2,
      error: expect.stringContaining('stored tests fail'),
    });
    edit(dir, 'How many are you?', 'For how many?');
    expect(await flows('push', '--dir', dir)).toMatchObject({ code: 0 });
    expect(await flows('publish', 'booking', '--yes', '--dir', dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('booking: version 3 is published'),
    });

    const promote = (...words: string[]) =>
      parley(
        { PARLEY_FLOWS_URL: url, PARLEY_FLOWS_KEY: keys.production, PARLEY_FROM_KEY: keys.test },
        'flows',
        'promote',
        ...words,
      );
    expect(await promote('identify', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('identify: version 1 is published'),
    });
    expect(await promote('booking')).toMatchObject({
      code: 2,
      out: expect.stringContaining('booking: promote version 3, with 2 tests'),
    });
    expect(await promote('booking', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('booking: version 1 is published'),
    });
    expect(await promote('booking', 'identify')).toMatchObject({
      code: 0,
      out: 'booking: is published already\nidentify: is published already\n',
    });

    const { flowBuilder } = new Parley({ flowBuilder: { url, key: keys.production } });
    expect(await flowBuilder.getFlow({ flow_id: 'booking' })).toMatchObject({
      published_version: 1,
      name: 'A table',
    });
    expect(
      await parley(
        { PARLEY_FLOWS_URL: url, PARLEY_FLOWS_KEY: 'fb_live_nobody' },
        'flows',
        'diff',
        '--dir',
        dir,
      ),
    ).toMatchObject({ code: 2 });
  },
  PATIENCE_MS,
);
