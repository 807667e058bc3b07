// What a suite measures over the network: one built service on a durable Postgres and Redis of its
// own, as in production. The stack's own service runs as in development, so it is stopped, and
// processes of the same bundle with the settings of production take its place.
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK, freePort } from '@parley/testing/servers';
import { NODE_FLAGS, bundleApps, removeHome, startStack, type ServiceName } from '@parley/dev/stack';
import pg from 'pg';
import { descendants } from './cpu-time.ts';
import { pinRunning, startPinned, type PinnedProcess } from './pinned-process.ts';
import type { Setting } from './suites.ts';

export interface MeasuredService {
  readonly process: PinnedProcess;
  readonly origin: string;
  /** From the start of the process until it could serve. */
  readonly readyAfterMs: number;
}

export interface ServiceStack {
  readonly organizationId: string;
  /** An admin key of the demo organisation, which has no limits. */
  readonly apiKey: string;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** What carries the queues, for the note. */
  readonly queueDescription: string;
  readonly queueUrl: string;
  /** A reference to a secret of the stack, for example `queue-key`. */
  secretFile(name: string): string;
  /** The keyring that the service seals under. */
  readonly dataKey: string;
  /**
   * `core`: pinned to it; otherwise Postgres, Redis and the service share the machine. `file`:
   * another one of the bundle's folder.
   */
  startService(
    role: 'http' | 'worker' | 'all',
    more?: {
      readonly core?: number | undefined;
      readonly env?: Readonly<Record<string, string>>;
      readonly file?: string;
    },
  ): Promise<MeasuredService>;
  /** Postgres and Redis on this core from now on; `undefined`: on all. For where `canPin`. */
  pinStores(core: number | undefined): void;
  /** Calls before everything is stopped, the last one first. */
  onStop(stop: () => Promise<unknown>): void;
}

/** A service is ready within seconds, or never. */
const READY_WITHIN_MS = 30_000;
/** An address that nobody else listens on: the parts' receivers. */
const RECEIVERS_ALLOWED = '127.0.0.0/8';

export async function withServiceStack(
  service: ServiceName,
  { root, env, signal }: Setting,
  work: (stack: ServiceStack) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => removeHome(home)];
  try {
    await bundleApps({ root, apps: [service] });
    const stack = await startStack({
      root,
      home,
      distDir: join(root, 'dist'),
      env: { PATH: env['PATH'], ...(env['REDIS_URL'] ? { REDIS_URL: env['REDIS_URL'] } : {}) },
      services: [service],
      throwaway: false, // both stores write durably: that is part of what is measured
      signal,
    });
    stops.push(() => stack.stop());
    const { databaseUrl, apiKey } = stack.services[service];
    await endProcess(stack.pids[service]!);

    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    pool.on('error', () => undefined); // the server is stopped before the pool is empty
    stops.push(() => pool.end());

    const secretFile = (name: string): string => pathToFileURL(join(home, 'secrets', name)).href;
    await work({
      organizationId: stack.organizationId,
      apiKey,
      databaseUrl,
      pool,
      queueDescription: stack.queueDescription,
      queueUrl: stack.queueUrl,
      secretFile,
      dataKey: readFileSync(new URL(secretFile('data-key')), 'utf8'),
      pinStores: (core) => {
        const { [service]: _ended, ...stores } = stack.pids;
        pinRunning(
          Object.values(stores).flatMap((pid) => [pid, ...descendants(pid)]),
          core,
        );
      },
      onStop: (stop) => void stops.push(stop),
      startService: async (role, { core, env: more, file = 'main.mjs' } = {}) => {
        const port = await freePort();
        const log = openSync(join(home, `${role}-${port}.log`), 'a');
        const startedAt = performance.now();
        const started = startPinned({
          file: join(root, 'dist', 'apps', service, file),
          nodeArgs: NODE_FLAGS,
          core: core ?? 0,
          pin: core !== undefined,
          env: {
            PATH: env['PATH'],
            NODE_ENV: 'production',
            ROLE: role,
            LOG_LEVEL: 'info',
            HOST: LOOPBACK,
            PORT: String(port),
            DATABASE_URL: databaseUrl,
            QUEUE_URL: stack.queueUrl,
            DATA_KEY: secretFile('data-key'),
            QUEUE_KEY: secretFile('queue-key'),
            MESSAGE_KEYS: secretFile(`message-keys-${service}`),
            OUTBOUND_ALLOW: RECEIVERS_ALLOWED,
            OUTBOUND_ALLOW_IN_PRODUCTION: 'true',
            ...more,
          },
          stdio: ['ignore', log, log],
        });
        stops.push(() => started.stop());
        const origin = `http://${LOOPBACK}:${port}`;
        await untilReady(origin);
        return { process: started, origin, readyAfterMs: performance.now() - startedAt };
      },
    });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Asks again until it is so. @throws Error after the time. */
export async function until(what: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await sleep(20);
  }
}

async function untilReady(origin: string): Promise<void> {
  await until(`${origin}/ready`, READY_WITHIN_MS, async () => {
    const answer = await fetch(`${origin}/ready`).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  });
}

async function endProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  await until(`the end of process ${pid}`, READY_WITHIN_MS, async () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true; // there is none any more
    }
  });
}
