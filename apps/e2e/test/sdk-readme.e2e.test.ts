// Every snippet of the READMEs of the SDK and of @parley/inbox, against the built services: it fits
// the types, runs, and prints what it says. The components of the latter are drawn in
// libs/inbox/test/react/readme.test.tsx.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '@parley/testing/servers';
import { buildReadmeProgram } from '../src/sdk/readme-program.ts';
import { ROOT, startSdkUnderTest, type SdkUnderTest } from '../src/sdk/sdk-under-test.ts';

const run = promisify(execFile);
const readme = (library: string) => readFileSync(join(ROOT, 'libs', library, 'README.md'), 'utf8');
const programs = { sdk: buildReadmeProgram(readme('sdk')), inbox: buildReadmeProgram(readme('inbox')) };
const components = [...readme('inbox').matchAll(/^```tsx\n(.*?)^```$/gms)].map(([, code]) => code).join('\n');
/** Inside the repository, so that packages resolve; `dist` is ignored. */
const folder = join(ROOT, 'dist', `sdk-readme-${process.pid}`);
let sdk: SdkUnderTest;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  for (const [name, { source }] of Object.entries(programs))
    writeFileSync(join(folder, `${name}.ts`), source);
  writeFileSync(join(folder, 'components.tsx'), components);
  writeFileSync(join(folder, 'bundler.d.ts'), "declare module '*.css';");
  const config = {
    extends: '../../tsconfig.base.json',
    compilerOptions: { lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], jsx: 'react-jsx' },
    include: ['.'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  sdk = await startSdkUnderTest('sdk-readme', process.env);
}, 60_000);
afterAll(async () => {
  await sdk?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the snippets compile', async () => {
  const check = ['node_modules/typescript7/bin/tsc', '-p', folder];
  await expect(run(process.execPath, check, { cwd: ROOT })).resolves.toMatchObject({ stdout: '' });
}, 60_000);

/** @returns the printed lines */
async function printed(name: keyof typeof programs, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', join(folder, `${name}.ts`)], {
    cwd: ROOT,
    timeout: 30_000,
    env: { PATH: process.env['PATH'], ...env },
  });
  return stdout.trimEnd().split('\n');
}

test('the snippets of the SDK run and print the output in their comments', async () => {
  const port = await freePort();
  const { 'flow-builder': flows, 'voice-api': voice, notifications } = sdk.stack.services;
  const lines = await printed('sdk', {
    FLOW_BUILDER_URL: flows.baseUrl,
    FLOW_BUILDER_KEY: flows.apiKey,
    VOICE_API_URL: voice.baseUrl,
    VOICE_API_KEY: voice.apiKey,
    NOTIFICATIONS_URL: notifications.baseUrl,
    NOTIFICATIONS_KEY: notifications.apiKey,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
  });
  expect(programs.sdk.prints.length).toBeGreaterThan(10);
  expect(lines).toEqual(programs.sdk.prints);
}, 60_000);

test('the snippet of the inbox runs and prints the output in its comments', async () => {
  await sdk.parley.notifications.notify({
    body: {
      channels: ['in_app'],
      subject: 'Dinner is ready',
      message: 'Come down.',
      target: { in_app: { user_id: 'reader' } },
    },
  });
  const { baseUrl, apiKey } = sdk.stack.services.notifications;
  const lines = await printed('inbox', { NOTIFICATIONS_URL: baseUrl, TOKEN: apiKey });
  expect(programs.inbox.prints.length).toBe(2);
  expect(lines).toEqual(programs.inbox.prints);
}, 60_000);
