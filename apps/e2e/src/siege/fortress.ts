// One service as k8s/base runs it, with the heap that it gives it, three organisations, and receivers for two of them. It is a single process that
// answers and works off queues: whatever hurts one half, the other one has. Called by main.ts and by the test.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilReady, type ServiceName, type Stack } from '@parley/local-stack';
import { receiver, type Receiver } from '@parley/testkit';
import { parse } from 'yaml';
import { SILENT_PATH, times } from './attack.ts';
import { startNeighbour, type Neighbour } from './neighbour.ts';

export interface Fortress {
  readonly service: ServiceName;
  readonly origin: string;
  readonly keys: Readonly<Record<'enterprise' | 'starter', string>>;
  /** How its process ended, with the last of its log; undefined while it lives. */
  ended(): string | undefined;
  /** Ends it, where it has not ended, as a crash would, and starts it again in its place. */
  restart(): Promise<void>;
  readonly attacker: { readonly receiver: Receiver; readonly silent: readonly string[] };
  readonly neighbour: Neighbour;
  /** Stops the process, the neighbour and the receivers. */
  close(): Promise<void>;
}

/** More than an organisation is given places for. */
const SILENT_RECEIVERS = 40;

/** NODE_OPTIONS of k8s/base. */
export function clusterHeap(root: string): string {
  const settings = parse(readFileSync(join(root, 'k8s/base/service/settings.yaml'), 'utf8')) as {
    data: { NODE_OPTIONS: string };
  };
  return settings.data.NODE_OPTIONS;
}

export async function raiseFortress(stack: Stack, root: string, service: ServiceName): Promise<Fortress> {
  const start = (port?: number) =>
    stack.startReplica(service, `${service}-besieged`, {
      ...(port === undefined ? {} : { port }),
      // As production runs it: replies are not checked against their schemas.
      env: { NODE_ENV: 'production', OUTBOUND_ALLOW_IN_PRODUCTION: 'true', NODE_OPTIONS: clusterHeap(root) },
    });
  const known = stack.services[service];
  const [starter, neighbourKey] = await Promise.all([
    keyOf(stack, root, service, 'siege-starter'),
    keyOf(stack, root, service, 'neighbour', 'enterprise'),
  ]);
  let running = await start();
  await untilReady(running);
  await known.process.stop();

  const { origin } = running;
  const neighbour = await startNeighbour({ service, origin, key: neighbourKey });
  const attacker = await receiver({ fallback: ({ path }) => (path === SILENT_PATH ? 'hang' : 200) });
  const silent = await Promise.all(times(SILENT_RECEIVERS, startSilent));
  return {
    service,
    origin,
    keys: { enterprise: known.apiKey, starter },
    ended: () => (running.exit() === null ? undefined : running.tail()),
    restart: async () => {
      if (running.exit() === null) process.kill(running.pid, 'SIGKILL');
      await running.exited;
      running = await start(Number(new URL(origin).port));
      await untilReady(running);
    },
    attacker: { receiver: attacker, silent: silent.map(({ url }) => url) },
    neighbour,
    close: async () => {
      await running.stop();
      await Promise.all([neighbour, attacker, ...silent].map(({ close }) => close()));
    },
  };
}

/** An admin key of an organisation. */
async function keyOf(stack: Stack, root: string, service: ServiceName, org: string, plan?: string) {
  const cli = join(root, 'dist', 'apps', 'cli', 'main.mjs');
  const where = ['--product', service, '--org', org, '--database-url', stack.services[service].databaseUrl];
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [cli, ...args, ...where]);
  if (plan !== undefined) await run('organizations', 'set', '--plan', plan);
  const { stdout } = await run('keys', 'create', '--name', 'siege');
  return (JSON.parse(stdout) as { key: string }).key;
}

/** Takes connections and never answers; keeps nothing of what it is sent. */
async function startSilent() {
  const server = createServer((request) => void request.resume());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
    },
  };
}
