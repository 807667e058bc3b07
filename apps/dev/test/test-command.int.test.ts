// `npm test` judged from outside: its closing line and its status, with small test files of its
// own.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PATIENCE_MS = 300_000;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-inner-tests-'));
  const file = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  file('package.json', '{ "type": "commonjs" }');
  file(
    'good.js',
    `test('a', () => { expect(process.env.TEST_POSTGRES_URL).toMatch(/^postgresql:/); }); test('b', () => {});`,
  );
  file('bad.js', `test('a', () => {}); test('b', () => { throw new Error('no'); });`);
  file('broken.js', `this is no JavaScript`);
  file(
    'slow.js',
    `test('a', async () => { require('fs').writeFileSync(__dirname + '/begun', ''); await new Promise(() => {}); }, 60000);`,
  );
  file('jest.config.json', JSON.stringify({ rootDir: folder, testMatch: ['<rootDir>/*.js'], transform: {} }));
});
afterAll(() => rmSync(folder, { recursive: true }));

function npmTest(...patterns: string[]) {
  const child = spawn(
    process.execPath,
    // "libs/." only says that no bundles are needed; with an own configuration it matches nothing.
    [
      'apps/dev/bootstrap.mjs',
      'test',
      `--config=${join(folder, 'jest.config.json')}`,
      '--runInBand',
      ...patterns,
    ],
    {
      cwd: root,
      env: { PATH: process.env['PATH'], TEST_REDIS_URL: process.env['TEST_REDIS_URL'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<{ status: number | null; last: string; output: string }>((resolve) =>
    child.once('close', (status) =>
      resolve({ status, last: output.trimEnd().split('\n').at(-1) ?? '', output }),
    ),
  );
  return { child, ended };
}

const homes = (pid: number | undefined): string[] =>
  readdirSync(join(root, '.parley')).filter((name) => name === `test-${pid}`);

test.each([
  ['good', 0, '2 passed, 0 failed'],
  ['good|bad', 1, '3 passed, 1 failed'],
  ['good|broken', 1, '2 passed, 1 failed'],
  ['nothing-like-this', 1, '0 passed, 1 failed'],
])(
  '%s: status %i, %s',
  async (pattern, status, line) => {
    const { child, ended } = npmTest(pattern);
    const run = await ended;
    expect([run.status, run.last]).toEqual([status, line]);
    expect(homes(child.pid)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Ctrl-C ends the tests and leaves nothing',
  async () => {
    const { child, ended } = npmTest('slow');
    await eventually(() => existsSync(join(folder, 'begun')), { timeoutMs: PATIENCE_MS });
    expect(homes(child.pid)).toHaveLength(1);
    child.kill('SIGINT');
    expect((await ended).status).toBe(130);
    expect(homes(child.pid)).toEqual([]);
  },
  PATIENCE_MS,
);
