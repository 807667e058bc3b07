// One service as k8s/base runs it, with the heap that it gives it, and three organisations: the neighbour's, and two of the attacker's. It is a
// single process that answers and works off queues: whatever hurts one half, the other one has. Called by main.ts and by the test.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilReady, type ServiceName, type Stack } from '@parley/dev/stack';
import { parse } from 'yaml';
import type { Besieged } from './attack.ts';
import { startAttacker, type Attacker } from './attacker.ts';
import { startNeighbour, type Neighbour } from './neighbour.ts';

export interface Fortress {
  readonly service: Besieged;
  /** How its process ended, with the last of its log; undefined while it lives. */
  ended(): string | undefined;
  /** Ends it, where it has not ended, as a crash would, and starts it again in its place. */
  restart(): Promise<void>;
  readonly attacker: Attacker;
  readonly neighbour: Neighbour;
  /** Stops the process, the neighbour and the attacker. */
  close(): Promise<void>;
}

/** NODE_OPTIONS of k8s/base. */
export function clusterHeap(root: string): string {
  const settings = parse(readFileSync(join(root, 'k8s/base/service/settings.yaml'), 'utf8')) as {
    data: { NODE_OPTIONS: string };
  };
  return settings.data.NODE_OPTIONS;
}

export async function raiseFortress(stack: Stack, root: string, service: Besieged): Promise<Fortress> {
  if (service === 'console') return besiegeConsole(stack);
  const start = (port?: number) =>
    stack.startReplica(service, `${service}-besieged`, {
      ...(port === undefined ? {} : { port }),
      // As production runs it: replies are not checked against their schemas.
      env: { NODE_ENV: 'production', OUTBOUND_ALLOW_IN_PRODUCTION: 'true', NODE_OPTIONS: clusterHeap(root) },
    });
  const known = stack.services[service];
  const [starter, neighbourKey] = await Promise.all([
    keyOf(stack, service, 'siege-starter'),
    keyOf(stack, service, 'neighbour', 'enterprise'),
  ]);
  let running = await start();
  await untilReady(running);
  await known.process.stop();

  const { origin } = running;
  const restart = async () => {
    if (running.exit() === null) process.kill(running.pid, 'SIGKILL');
    await running.exited;
    running = await start(Number(new URL(origin).port));
    await untilReady(running);
  };
  const [neighbour, attacker] = await Promise.all([
    startNeighbour({ service, origin, key: neighbourKey, healthUrl: `${origin}/health` }),
    startAttacker({ service, origin, keys: { enterprise: known.apiKey, starter } }, restart),
  ]);
  return {
    service,
    ended: () => (running.exit() === null ? undefined : running.tail()),
    restart,
    attacker,
    neighbour,
    close: async () => {
      await running.stop();
      await Promise.all([neighbour, attacker].map(({ close }) => close()));
    },
  };
}

/** The console of the stack, which has no second one beside it: it must not end. */
async function besiegeConsole(stack: Stack): Promise<Fortress> {
  const { baseUrl, process: running } = stack.console!;
  const { 'flow-builder': builder, notifications } = stack.services;
  const neighbourKey = await keyOf(stack, 'flow-builder', 'neighbour', 'enterprise');
  const [enterprise, key] = await Promise.all([
    signIn(baseUrl, { 'flow-builder': builder.apiKey, notifications: notifications.apiKey }),
    signIn(baseUrl, { 'flow-builder': neighbourKey }),
  ]);
  const at = { service: 'console', origin: `${baseUrl}/api/flow-builder` } as const;
  const restart = () => Promise.reject(new Error('the console is not started again'));
  const [neighbour, attacker] = await Promise.all([
    startNeighbour({ ...at, key, healthUrl: `${baseUrl}/health` }),
    startAttacker({ ...at, keys: { enterprise, starter: enterprise } }, restart),
  ]);
  return {
    service: 'console',
    ended: () => (running.exit() === null ? undefined : running.tail()),
    restart,
    attacker,
    neighbour,
    close: async () => void (await Promise.all([neighbour, attacker].map(({ close }) => close()))),
  };
}

/** The cookie of a session. */
async function signIn(baseUrl: string, keys: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${baseUrl}/session/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ keys }),
  });
  if (response.status !== 204) throw new Error(`the console signs nobody in: ${response.status}`);
  return response.headers.getSetCookie()[0]!.split(';')[0]!;
}

/** An admin key of an organisation. */
async function keyOf(stack: Stack, service: ServiceName, org: string, plan?: string) {
  const where = ['--product', service, '--org', org, '--database-url', stack.services[service].databaseUrl];
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [stack.cli(service), ...args, ...where]);
  if (plan !== undefined) await run('organizations', 'set', '--plan', plan);
  const { stdout } = await run('keys', 'create', '--name', 'siege');
  return (JSON.parse(stdout) as { key: string }).key;
}
