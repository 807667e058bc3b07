// startStack with stand-ins for the bundles: a real Postgres, real migrations, real processes.
// Queues are in Postgres, so that no Redis is needed here.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import pg from 'pg';
import { FolderLocked, LOOPBACK, freePort, openLedger } from '@parley/testing/servers';
import { untilReady } from '../../src/stack/processes/service-process.ts';
import { SERVICES } from '../../src/stack/services.ts';
import { startStack } from '../../src/stack/start-stack.ts';
import type { Stack, StackOptions } from '../../src/stack/start-stack.ts';
import { removeHome } from '../../src/stack/throwaway-home.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** Most of a second on a quiet machine; with two busy cores much longer. */
const PATIENCE_MS = 120_000;
let home: string;
let distDir: string;
const running: Stack[] = [];

beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'parley-stack-')), 'home');
  distDir = join(home, '..', 'dist');
  for (const service of SERVICES) {
    mkdirSync(join(distDir, 'apps', service), { recursive: true });
    cpSync(
      fileURLToPath(new URL('stand-in-service.mjs', import.meta.url)),
      join(distDir, 'apps', service, 'main.mjs'),
    );
  }
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((stack) => stack.stop()));
  await removeHome(join(home, '..'));
});

async function start(options: Partial<StackOptions> = {}, standIn: object = {}): Promise<Stack> {
  const stack = await startStack({
    root,
    home,
    distDir,
    env: { STAND_IN: JSON.stringify(standIn), LEFT_ALONE: 'yes' },
    queue: { kind: 'postgres' },
    ...options,
  });
  running.push(stack);
  return stack;
}

async function planOfDemo(databaseUrl: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<{ plan: string }>("SELECT plan FROM organizations WHERE id = 'demo'")).rows[0]
      ?.plan;
  } finally {
    await client.end();
  }
}

const living = (): Record<string, number> => openLedger(join(home, 'processes.json')).living();

test(
  'gives every service its environment, keeps keys and secrets, and leaves nothing running',
  async () => {
    const portBase = await freePort(SERVICES.length);
    const stack = await start({ portBase });
    const env = (await (await fetch(`${stack.services['voice-api'].origin}/env`)).json()) as Record<
      string,
      string
    >;
    expect(env).toMatchObject({
      NODE_ENV: 'development',
      ROLE: 'all',
      HOST: '127.0.0.1',
      PORT: String(portBase + 1),
      LOG_LEVEL: 'info',
      DATABASE_URL: stack.services['voice-api'].databaseUrl,
      QUEUE_URL: stack.queueUrl,
      DATA_KEY: `file://${join(home, 'secrets', 'data-key')}`,
      QUEUE_KEY: `file://${join(home, 'secrets', 'queue-key')}`,
      MESSAGE_KEYS: `file://${join(home, 'secrets', 'message-keys-voice-api')}`,
      LEFT_ALONE: 'yes',
    });
    expect(stack.services['voice-api'].baseUrl).toBe(`http://127.0.0.1:${portBase + 1}/v1`);
    expect(stack.services['flow-builder'].baseUrl).toBe(`http://127.0.0.1:${portBase}`);
    expect(stack.services['voice-api'].databaseUrl).toMatch(/\/voice_api$/);
    expect(stack.queueUrl).toMatch(/\/queues$/);
    for (const name of ['secrets/data-key', 'secrets/queue-key', 'keys.json', 'pg-password']) {
      expect([name, statSync(join(home, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect(readFileSync(join(home, 'secrets', 'data-key'), 'utf8')).toMatch(/^k1:[A-Za-z0-9+/]{43}=\n$/);
    expect(Object.keys(stack.pids).sort()).toEqual([
      'flow-builder',
      'notifications',
      'postgres',
      'voice-api',
    ]);
    for (const { databaseUrl } of Object.values(stack.services))
      expect(await planOfDemo(databaseUrl)).toBe('enterprise');
    await stack.stop();
    expect(living()).toEqual({});

    const again = await start();
    expect(again.services['notifications'].apiKey).toBe(stack.services['notifications'].apiKey);
    await again.stop();
    const refused = await start({}, { accepts: false });
    expect(refused.services['notifications'].apiKey).not.toBe(stack.services['notifications'].apiKey);
  },
  PATIENCE_MS,
);

test(
  'a second one in the same folder is refused and names the first; elsewhere it runs beside it',
  async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(new FolderLocked(join(home, 'stack.lock'), process.pid));
    const second = await start({ home: join(home, '..', 'other'), throwaway: true });
    expect((await fetch(`${first.services['flow-builder'].origin}/ready`)).status).toBe(200);
    expect((await fetch(`${second.services['flow-builder'].origin}/ready`)).status).toBe(200);
  },
  PATIENCE_MS,
);

test(
  'a taken port ends the start before anything is started',
  async () => {
    const server = createServer();
    const portBase = await freePort(SERVICES.length);
    await new Promise<void>((resolve) => server.listen(portBase + 2, LOOPBACK, resolve));
    await expect(start({ portBase })).rejects.toThrow(`Port ${portBase + 2} (for notifications) is taken`);
    expect(() => statSync(join(home, 'pg'))).toThrow('ENOENT');
    await new Promise((resolve) => server.close(resolve));
    await start({ portBase });
  },
  PATIENCE_MS,
);

test(
  'a service that dies while it starts is shown with its last words, and everything is stopped',
  async () => {
    await expect(start({}, { dies: true })).rejects.toThrow(
      /(flow-builder|voice-api|notifications) ended with status 3.*\n.*stand-in with a broken configuration/,
    );
    expect(living()).toEqual({});
    await start();
  },
  PATIENCE_MS,
);

test(
  'a server that ends later is reported, with how and with its log',
  async () => {
    const stack = await start();
    process.kill(stack.pids['notifications'] ?? 0, 'SIGKILL');
    const end = await stack.unexpectedEnd;
    expect(end.name).toBe('notifications');
    expect(end.text).toMatch(
      /^was ended by SIGKILL\. The end of .*notifications\.log:\n {4}stand-in with everything/,
    );
  },
  PATIENCE_MS,
);

test(
  'an abort in the middle of the start stops what runs so far',
  async () => {
    const controller = new AbortController();
    const reason = new Error('Ctrl-C');
    const starting = start({ signal: controller.signal }, { readyAfterMs: 60_000 });
    const refused = expect(starting).rejects.toBe(reason);
    await eventually(() => living()['notifications']);
    controller.abort(reason);
    await refused;
    expect(living()).toEqual({});
    await start();
  },
  PATIENCE_MS,
);

test(
  'after kill -9 of the launcher the next start ends the orphans and has the same data and keys',
  async () => {
    const options = { root, home, distDir, env: {}, queue: { kind: 'postgres' } };
    const code = `
      import { startStack } from './apps/dev/src/stack/index.ts';
      const stack = await startStack(${JSON.stringify(options)});
      console.log(JSON.stringify([stack.pids, stack.services['voice-api'].apiKey]));`;
    const launcher = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = await new Promise<string>((resolve) =>
      launcher.stdout.once('data', (data: Buffer) => resolve(data.toString())),
    );
    const gone = new Promise((resolve) => launcher.once('exit', resolve));
    launcher.kill('SIGKILL');
    await gone;
    const [pids, apiKey] = JSON.parse(said) as [Record<string, number>, string];
    expect(living()).toEqual(pids);

    const notes: string[] = [];
    const stack = await start({
      report: { note: (text) => notes.push(text), step: (_title, work) => work() },
    });
    expect(notes[0]).toContain('ended what an earlier, killed start had left running: ');
    for (const name of Object.keys(pids)) expect(notes[0]).toContain(name);
    expect(stack.services['voice-api'].apiKey).toBe(apiKey);
    expect(Object.values(living()).some((pid) => Object.values(pids).includes(pid))).toBe(false);
  },
  PATIENCE_MS,
);

test(
  'another replica has a name and a log of its own, may be replaced on its port, and is stopped with the rest',
  async () => {
    const stack = await start();
    const replica = await stack.startReplica('voice-api', 'voice-api-2', { env: { ROLE: 'worker' } });
    await untilReady(replica);
    const env = (await (await fetch(`${replica.origin}/env`)).json()) as Record<string, string>;
    const { databaseUrl, origin } = stack.services['voice-api'];
    expect(env).toMatchObject({ ROLE: 'worker', DATABASE_URL: databaseUrl, QUEUE_URL: stack.queueUrl });
    expect(replica.origin).not.toBe(origin);
    expect(replica.logFile).toBe(join(home, 'logs', 'voice-api-2.log'));
    expect(living()['voice-api-2']).toBe(replica.pid);

    process.kill(replica.pid, 'SIGKILL');
    await replica.exited;
    const next = await stack.startReplica('voice-api', 'voice-api-2', {
      port: Number(new URL(replica.origin).port),
    });
    await untilReady(next);
    expect(next.origin).toBe(replica.origin);
    expect(stack.services['voice-api'].process.pid).toBe(living()['voice-api']);
    await stack.stop();
    expect(living()).toEqual({});
  },
  PATIENCE_MS,
);
