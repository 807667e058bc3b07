// Clients generated from the OpenAPI documents by common generators compile with the strictest
// types and work.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStack, type Stack } from '@parley/dev/stack';
import { ROOT } from '../src/sdk/sdk-under-test.ts';

/** Two generators, a compiler and three services take a minute on an idle machine. */
const PATIENCE_MS = 600_000;

const run = promisify(execFile);
const SERVICES = ['flow-builder', 'voice-api', 'notifications'] as const;
/** Inside the repository, so that packages resolve; `dist` is ignored. */
const folder = join(ROOT, 'dist', `generated-clients-${process.pid}`);
const home = mkdtempSync(join(tmpdir(), 'parley-generated-clients-'));
let stack: Stack;

/** Reads, creates and is refused with each client, and prints the results. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths as FlowPaths } from './flow-builder.ts';
import type { paths as VoicePaths } from './voice-api.ts';
import type { paths as NotificationPaths } from './notifications.ts';
import * as flows from './flow-builder/index.ts';
import * as voice from './voice-api/index.ts';
import * as notifications from './notifications/index.ts';
import { client as flowClient } from './flow-builder/client.gen.ts';
import { client as voiceClient } from './voice-api/client.gen.ts';
import { client as notificationClient } from './notifications/client.gen.ts';

declare const process: { env: Record<string, string> };
const of = (service: string) => ({
  baseUrl: process.env[service + '_URL']!,
  headers: { authorization: 'Bearer ' + process.env[service + '_KEY']! },
});

const voiceFetch = createClient<VoicePaths>(of('VOICE'));
const made = await voiceFetch.POST('/v1/bots', { body: { name: 'Ada' } });
const botId: string = made.data!.data.id;
const read = await voiceFetch.GET('/v1/bots/{bot_id}', { params: { path: { bot_id: botId } } });
console.log(read.data!.data.name);
const missing = await voiceFetch.GET('/v1/bots/{bot_id}', { params: { path: { bot_id: 'none' } } });
console.log(missing.response.status, missing.error!.error.code);
const listed = await createClient<FlowPaths>(of('FLOWS')).GET('/v1/flows');
console.log(listed.response.status, listed.data!.items.length);
const history = await createClient<NotificationPaths>(of('NOTIFICATIONS')).GET('/v1/notify', {});
console.log(history.response.status, history.data!.items.length);

voiceClient.setConfig(of('VOICE'));
flowClient.setConfig(of('FLOWS'));
notificationClient.setConfig(of('NOTIFICATIONS'));
const webhook = await voice.registerWebhook({
  body: { url: 'https://8.8.8.8/hook', events: ['*'], ordered: true, asymmetric: true },
});
console.log(webhook.response!.status, webhook.data!.data.public_key!.slice(0, 5));
const bots = await voice.listBots({ query: { limit: 10 } });
console.log(bots.data!.data.items.map(({ name }) => name).join());
console.log((await flows.listFlows()).data!.items.length);
console.log((await notifications.listApiKeys()).data!.items.length > 0);
`;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  for (const service of SERVICES) {
    const document = `apps/${service}/openapi.json`;
    const types = [
      'node_modules/openapi-typescript/bin/cli.js',
      document,
      '-o',
      join(folder, `${service}.ts`),
    ];
    await run(process.execPath, types, { cwd: ROOT });
    const bin = 'node_modules/@hey-api/openapi-ts/bin/run.js';
    const client = [
      bin,
      '-i',
      document,
      '-o',
      join(folder, service),
      '-c',
      '@hey-api/client-fetch',
      '--silent',
    ];
    await run(process.execPath, client, { cwd: ROOT });
  }
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    allowImportingTsExtensions: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  stack = await startStack({
    root: ROOT,
    home,
    released: true,
    throwaway: true,
    env: { PATH: process.env['PATH'], QUEUE_PREFIX: `generated-clients-${process.pid}` },
  });
}, PATIENCE_MS);
afterAll(async () => {
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

test(
  'compile with strict types, including those of libraries',
  async () => {
    const check = ['node_modules/typescript/bin/tsc', '-p', folder];
    const { stdout } = await run(process.execPath, check, { cwd: ROOT }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  },
  PATIENCE_MS,
);

test(
  'get answers that fit their types',
  async () => {
    const { 'flow-builder': builder, 'voice-api': voiceApi, notifications } = stack.services;
    const { stdout } = await run(process.execPath, ['--import', 'tsx', join(folder, 'program.ts')], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        FLOWS_URL: builder.origin,
        FLOWS_KEY: builder.apiKey,
        VOICE_URL: voiceApi.origin,
        VOICE_KEY: voiceApi.apiKey,
        NOTIFICATIONS_URL: notifications.origin,
        NOTIFICATIONS_KEY: notifications.apiKey,
      },
    });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'Ada',
      '404 NOT_FOUND',
      '200 0',
      '200 0',
      '201 whpk_',
      'Ada',
      '0',
      'true',
    ]);
  },
  PATIENCE_MS,
);
