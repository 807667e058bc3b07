// A console in the test process, with fake services.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '@parley/server/http';
import { createLifecycle, createLog, readConfig, type Lifecycle } from '@parley/server/runtime';
import {
  capturedLog,
  receiver,
  type CapturedLog,
  type ReceivedRequest,
  type Receiver,
} from '@parley/testing';
import { freePort } from '@parley/testing/servers';
import { createApp } from '../src/app.ts';
import { config } from '../src/config.ts';
import { createDeps, type Deps } from '../src/deps.ts';

/** The key that the flow builder rejects. */
export const REVOKED = 'fb_test_revoked';

export interface ConsoleUnderTest {
  readonly url: string;
  /** The listening address, regardless of PUBLIC_URL. */
  readonly port: number;
  readonly deps: Deps;
  readonly log: CapturedLog;
  /** The fake flow builder. The voice API is not configured, and notifications is unreachable. */
  readonly flowBuilder: Receiver;
  stop(): Promise<void>;
}

/** `isAlone`: the flow builder is the only service. */
export async function startConsole(
  env: Readonly<Record<string, string>> = {},
  knownPort?: number,
  { isAlone = false }: { readonly isAlone?: boolean } = {},
): Promise<ConsoleUnderTest> {
  const fallback = ({ headers, path }: ReceivedRequest) => {
    if (headers.authorization === `Bearer ${REVOKED}`) return 401;
    return path === '/v1/organization' ? { body: { id: 'demo' } } : 200;
  };
  const [flowBuilder, port, nobody] = await Promise.all([
    receiver({ fallback }),
    knownPort ?? freePort(),
    freePort(),
  ]);
  const pageFolder = mkdtempSync(join(tmpdir(), 'parley-page-'));
  for (const folder of ['assets', '.vite']) mkdirSync(join(pageFolder, folder));
  for (const [name, text] of Object.entries(BUILD)) writeFileSync(join(pageFolder, name), text);
  const url = `http://127.0.0.1:${port}`;
  const whole = {
    NODE_ENV: 'test',
    PUBLIC_URL: url,
    CONSOLE_KEY: 'env://TEST_KEY',
    TEST_KEY: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    SERVICE_URLS: [
      `flow-builder=${flowBuilder.url}/`,
      ...(isAlone ? [] : [`notifications=http://127.0.0.1:${nobody}`]),
    ].join(','),
    ...env,
  };
  const read = readConfig(config, whole);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const captured = capturedLog();
  const log = createLog({ service: 'console', level: 'info', destination: captured });
  const life: Lifecycle = createLifecycle(log);
  const deps = await createDeps({ config: read.config, env: whole, log }, pageFolder);
  life.onStop('sessions', () => deps.sessions.close());
  const { app, close } = createApp(deps);
  const server = await listen(app, { host: '127.0.0.1', port });
  life.onStop('http', () => {
    const closed = server.close();
    close();
    return closed;
  });
  return {
    url,
    port,
    deps,
    log: captured,
    flowBuilder,
    stop: async () => {
      const { clean } = await life.stop('test is over');
      await flowBuilder.close();
      rmSync(pageFolder, { recursive: true });
      if (!clean) throw new Error(captured.text());
    },
  };
}

const BUILD = {
  'index.html': '<!doctype html><title>Parley</title>',
  'assets/index-1.js': 'export {};',
  'assets/index-1.js.map': '{}',
  '.vite/manifest.json': '{}',
};

/** The cookie of a response, as a request header. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

export const json = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
  redirect: 'manual',
});

/** Signs in with this key of the flow builder. */
export async function signIn({ url }: ConsoleUnderTest, key = 'fb_test_1'): Promise<string> {
  const response = await fetch(`${url}/session/keys`, json({ keys: { 'flow-builder': key } }));
  if (response.status !== 204) throw new Error(`${response.status} ${await response.text()}`);
  return cookieOf(response);
}
