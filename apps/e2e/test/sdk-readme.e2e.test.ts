// Every snippet of the SDK's README, against the built services: it fits the types, runs, and prints what it says.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '@parley/local-stack';
import { readmeProgram } from '../src/sdk/readme-program.ts';
import { ROOT, startSdkUnderTest, type SdkUnderTest } from '../src/sdk/sdk-under-test.ts';

const run = promisify(execFile);
const { source, prints } = readmeProgram(readFileSync(join(ROOT, 'libs/sdk/README.md'), 'utf8'));
/** In the repository, so that packages are found; `dist` is nobody's source. */
const folder = join(ROOT, 'dist', `sdk-readme-${process.pid}`);
let sdk: SdkUnderTest;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'readme.ts'), source);
  const config = { extends: '../../tsconfig.base.json', include: ['.'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  sdk = await startSdkUnderTest('sdk-readme', process.env);
}, 60_000);
afterAll(async () => {
  await sdk?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the snippets fit the types', async () => {
  const check = ['node_modules/typescript7/bin/tsc', '-p', folder];
  await expect(run(process.execPath, check, { cwd: ROOT })).resolves.toMatchObject({ stdout: '' });
}, 60_000);

test('the snippets run, and print what stands behind them', async () => {
  const port = await freePort();
  const { 'flow-builder': flows, 'voice-api': voice, notifications } = sdk.stack.services;
  const { stdout } = await run(process.execPath, ['--import', 'tsx', join(folder, 'readme.ts')], {
    cwd: ROOT,
    timeout: 30_000,
    env: {
      PATH: process.env['PATH'],
      FLOW_BUILDER_URL: flows.baseUrl,
      FLOW_BUILDER_KEY: flows.apiKey,
      VOICE_API_URL: voice.baseUrl,
      VOICE_API_KEY: voice.apiKey,
      NOTIFICATIONS_URL: notifications.baseUrl,
      NOTIFICATIONS_KEY: notifications.apiKey,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      PORT: String(port),
    },
  });
  expect(prints.length).toBeGreaterThan(10);
  expect(stdout.trimEnd().split('\n')).toEqual(prints);
}, 60_000);
