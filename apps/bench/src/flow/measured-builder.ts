// A flow builder as it runs in production, with the bench flow published, for the parts that
// measure it over HTTP.
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LOOPBACK, freePort } from '@parley/testing/servers';
import { NODE_FLAGS, bundleApps, startStack, type Stack } from '@parley/dev/stack';
import { startLoad, untilListening, type Load } from '../http-load.ts';
import { SERVER_CORE, canPin, startPinned, type PinnedProcess } from '../pinned-process.ts';
import type { Setting } from '../suites.ts';
import { benchFlow } from './bench-flow.ts';

export const NODES = 50;
export const FLOW_ID = 'bench';

export interface MeasuredBuilder {
  readonly origin: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly load: Load;
  /** Servers and load have a core each. */
  readonly pin: boolean;
  /** What is to be stopped with it. */
  readonly stops: (() => Promise<void>)[];
}

export async function withMeasuredBuilder(
  setting: Setting,
  measured: (builder: MeasuredBuilder) => Promise<void>,
): Promise<void> {
  const { root, env, signal } = setting;
  const home = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const stops: (() => Promise<void>)[] = [];
  try {
    await bundleApps({ root, apps: ['flow-builder'] });
    const stack = await startStack({
      root,
      home,
      distDir: join(root, 'dist'),
      env: { PATH: env['PATH'] },
      services: ['flow-builder'],
      queue: { kind: 'postgres' }, // a warm turn tells nobody: the queue engine is not measured
      throwaway: true,
      signal,
    });
    stops.push(() => stack.stop());
    const pin = canPin();
    const load = startLoad(pin, env);
    stops.push(() => load.stop());
    const service = await startMeasured(setting, stack, home, pin);
    stops.push(() => service.process.stop());
    const headers = await publishBenchFlow(stack.services['flow-builder'].apiKey, service.origin);
    await measured({ origin: service.origin, pid: service.process.pid, headers, load, pin, stops });
  } finally {
    for (const stop of stops.reverse()) await stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * The stack's own service runs as in development, where every answer is checked against its schema.
 * Measured is a second process of the same bundle, on the same database, with the settings of
 * production.
 */
async function startMeasured({ root, env }: Setting, stack: Stack, home: string, pin: boolean) {
  const port = await freePort();
  const log = openSync(join(home, 'measured.log'), 'a');
  const secret = (name: string): string => pathToFileURL(join(home, 'secrets', name)).href;
  const measured: PinnedProcess = startPinned({
    file: join(root, 'dist', 'apps', 'flow-builder', 'main.mjs'),
    nodeArgs: NODE_FLAGS,
    core: SERVER_CORE,
    pin,
    env: {
      PATH: env['PATH'],
      NODE_ENV: 'production',
      ROLE: 'http',
      LOG_LEVEL: 'info',
      HOST: LOOPBACK,
      PORT: String(port),
      DATABASE_URL: stack.services['flow-builder'].databaseUrl,
      QUEUE_URL: stack.queueUrl,
      DATA_KEY: secret('data-key'),
      QUEUE_KEY: secret('queue-key'),
      MESSAGE_KEYS: secret('message-keys-flow-builder'),
    },
    stdio: ['ignore', log, log],
  });
  const origin = `http://${LOOPBACK}:${port}`;
  await untilListening(origin);
  return { process: measured, origin };
}

export const publishBenchFlow = (apiKey: string, origin: string) =>
  publishFlow(apiKey, origin, FLOW_ID, benchFlow(NODES));

/** Stores and publishes a flow through the API; returns the headers of a caller who executes it. */
export async function publishFlow(
  apiKey: string,
  origin: string,
  flowId: string,
  definition: object,
): Promise<Readonly<Record<string, string>>> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  await post('/v1/flows', { flow_id: flowId, definition });
  await post(`/v1/flows/${flowId}/publish`, {});
  return headers;
}
