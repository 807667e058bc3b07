// What the parts of this suite measure: the built notifications service on stores of its own, as in production. The stack's own
// service runs as in development, so it is stopped, and processes of the same bundle with the settings of production take its place.
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LOOPBACK, bundleApps, freePort, generateClients, removeHome, startStack } from '@parley/stack';
import pg from 'pg';
import { startPinned, type PinnedProcess } from '../pinned-process.ts';
import type { Setting } from '../suites.ts';
import { until } from '../voice/voice-stack.ts';

export interface NotificationsService {
  readonly process: PinnedProcess;
  readonly origin: string;
}

export interface NotificationsStack {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly queueDescription: string;
  /** The keyring that subscriptions are sealed under. */
  readonly dataKey: string;
  /** `core`: pinned to it; null: to none. */
  startService(
    role: 'http' | 'all',
    core: number | null,
    env: Readonly<Record<string, string>>,
  ): Promise<NotificationsService>;
  onStop(stop: () => Promise<unknown>): void;
}

const READY_WITHIN_MS = 30_000;

export async function withNotificationsStack(
  { root, env, signal }: Setting,
  work: (stack: NotificationsStack) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => removeHome(home)];
  try {
    await generateClients(root);
    await bundleApps({ root, apps: ['notifications'] });
    const stack = await startStack({
      root,
      home,
      distDir: join(root, 'dist'),
      env: { PATH: env['PATH'], ...(env['REDIS_URL'] ? { REDIS_URL: env['REDIS_URL'] } : {}) },
      services: ['notifications'],
      throwaway: false, // both stores write durably: that is part of what is measured
      signal,
    });
    stops.push(() => stack.stop());
    const { databaseUrl, apiKey } = stack.services.notifications;
    await endProcess(stack.pids['notifications']!);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    pool.on('error', () => undefined); // the server is stopped before the pool is empty
    stops.push(() => pool.end());
    const secret = (name: string): string => join(home, 'secrets', name);
    await work({
      organizationId: stack.organizationId,
      apiKey,
      databaseUrl,
      pool,
      queueDescription: stack.queueDescription,
      dataKey: readFileSync(secret('data-key'), 'utf8'),
      onStop: (stop) => void stops.push(stop),
      startService: async (role, core, more) => {
        const port = await freePort();
        const log = openSync(join(home, `${role}-${port}.log`), 'a');
        const started = startPinned({
          file: join(root, 'dist', 'apps', 'notifications', 'main.mjs'),
          core: core ?? 0,
          pin: core !== null,
          env: {
            PATH: env['PATH'],
            NODE_ENV: 'production',
            NODE_OPTIONS: '--max-semi-space-size=64', // as in docker/Dockerfile
            ROLE: role,
            HOST: LOOPBACK,
            PORT: String(port),
            DATABASE_URL: databaseUrl,
            QUEUE_URL: stack.queueUrl,
            DATA_KEY: pathToFileURL(secret('data-key')).href,
            QUEUE_KEY: pathToFileURL(secret('queue-key')).href,
            OUTBOUND_ALLOW: '127.0.0.0/8',
            OUTBOUND_ALLOW_IN_PRODUCTION: 'true',
            ...more,
          },
          stdio: ['ignore', log, log],
        });
        stops.push(() => started.stop());
        const origin = `http://${LOOPBACK}:${port}`;
        await until(`${origin}/ready`, READY_WITHIN_MS, async () => {
          const answer = await fetch(`${origin}/ready`).catch(() => undefined);
          await answer?.arrayBuffer();
          return answer?.status === 200;
        });
        return { process: started, origin };
      },
    });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
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
