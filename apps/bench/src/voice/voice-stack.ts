// What the parts of the voice suite measure: the built voice API on a durable Postgres and Redis of its own, as in production. The
// stack's own service runs as in development, so it is stopped, and processes of the same bundle with the settings of production take
// its place. Called by the parts of this folder.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK, bundleApps, freePort, generateClients, removeHome, startStack } from '@parley/stack';
import pg from 'pg';
import { descendants } from '../cpu-time.ts';
import { startPinned, type PinnedProcess } from '../pinned-process.ts';
import type { Setting } from '../suites.ts';

export interface VoiceService {
  readonly process: PinnedProcess;
  /** Ends in /v1. */
  readonly baseUrl: string;
}

export interface VoiceStack {
  /** An admin key of the demo organisation, which has no limits. */
  readonly apiKey: string;
  readonly pool: pg.Pool;
  /** What carries the queues, for the note. */
  readonly queueDescription: string;
  startService(role: 'http' | 'worker' | 'all'): Promise<VoiceService>;
  /** Another organisation without limits; an admin key of it. */
  addOrganization(id: string): string;
  /** Calls before everything is stopped, the last one first. */
  onStop(stop: () => Promise<void>): void;
}

/** A service is ready within seconds, or never. */
const READY_WITHIN_MS = 30_000;
/** An address that nobody else listens on: the parts' receivers. */
const RECEIVERS_ALLOWED = '127.0.0.0/8';

export async function withVoiceStack(
  { root, env, signal }: Setting,
  work: (stack: VoiceStack) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => removeHome(home)];
  try {
    await generateClients(root);
    await bundleApps({ root, apps: ['voice-api'] });
    const stack = await startStack({
      root,
      home,
      distDir: join(root, 'dist'),
      env: { PATH: env['PATH'], ...(env['REDIS_URL'] ? { REDIS_URL: env['REDIS_URL'] } : {}) },
      services: ['voice-api'],
      throwaway: false, // both stores write durably: that is part of what is measured
      signal,
    });
    stops.push(() => stack.stop());
    const { databaseUrl, apiKey, logFile: _logFile } = stack.services['voice-api'];
    await endProcess(stack.pids['voice-api']!);

    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    pool.on('error', () => undefined); // the server is stopped before the pool is empty
    stops.push(() => pool.end());

    const secret = (name: string): string => pathToFileURL(join(home, 'secrets', name)).href;
    await work({
      apiKey,
      pool,
      queueDescription: stack.queueDescription,
      onStop: (stop) => void stops.push(stop),
      addOrganization: (id) => addOrganization(root, databaseUrl, id),
      startService: async (role) => {
        const port = await freePort();
        const log = openSync(join(home, `${role}-${port}.log`), 'a');
        const started = startPinned({
          file: join(root, 'dist', 'apps', 'voice-api', 'main.mjs'),
          core: 0,
          pin: false, // Postgres and Redis work as much as the service: all share the machine
          env: {
            PATH: env['PATH'],
            NODE_ENV: 'production',
            NODE_OPTIONS: '--max-semi-space-size=64', // as in docker/Dockerfile
            ROLE: role,
            LOG_LEVEL: 'info',
            HOST: LOOPBACK,
            PORT: String(port),
            DATABASE_URL: databaseUrl,
            QUEUE_URL: stack.queueUrl,
            DATA_KEY: secret('data-key'),
            QUEUE_KEY: secret('queue-key'),
            OUTBOUND_ALLOW: RECEIVERS_ALLOWED,
            OUTBOUND_ALLOW_IN_PRODUCTION: 'true',
          },
          stdio: ['ignore', log, log],
        });
        stops.push(() => started.stop());
        const origin = `http://${LOOPBACK}:${port}`;
        await untilReady(origin);
        return { process: started, baseUrl: `${origin}/v1` };
      },
    });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Every process of this run, those of Postgres among them: their work is ours and no disturbance. */
export function ownPids(): readonly number[] {
  return descendants(process.pid);
}

/** @throws Error where the answer is not a success; the text of the answer says why. */
export async function call<T>(
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  apiKey: string,
  body?: string | object,
): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { data: T }).data;
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

function addOrganization(root: string, databaseUrl: string, id: string): string {
  const parley = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', join(root, 'apps/cli/src/main.ts'), ...args, '--database-url', databaseUrl],
      { cwd: root, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`parley ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  parley('organizations', 'set', '--org', id, '--plan', 'enterprise');
  const shown = parley(
    ...`keys create --product voice-api --org ${id} --scopes admin`.split(' '),
    '--name',
    'bench',
  );
  const key = /va_(live|test)_\w+/.exec(shown)?.[0];
  if (key === undefined) throw new Error(`no key in: ${shown}`);
  return key;
}
