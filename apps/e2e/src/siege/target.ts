// Starts one service as k8s/base runs it, with the heap limit of k8s/base, as a single process for
// HTTP and workers. Creates three organisations: the other tenant's, and two of the attacker's.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilReady, type ServiceName, type Stack } from '@parley/dev/stack';
import { parse } from 'yaml';
import type { TargetName } from './attack.ts';
import { startAttacker, type Attacker } from './attacker.ts';
import { startOtherTenant, type OtherTenant } from './other-tenant.ts';

export interface Target {
  readonly service: TargetName;
  /** How the process ended, with the end of its log; undefined while it runs. */
  ended(): string | undefined;
  /** Kills the process if it runs, and starts it again on the same port. */
  restart(): Promise<void>;
  readonly attacker: Attacker;
  readonly otherTenant: OtherTenant;
  /** Stops the process, the other tenant and the attacker. */
  close(): Promise<void>;
}

/** NODE_OPTIONS of k8s/base. */
export function clusterHeap(root: string): string {
  const settings = parse(readFileSync(join(root, 'k8s/base/service/settings.yaml'), 'utf8')) as {
    data: { NODE_OPTIONS: string };
  };
  return settings.data.NODE_OPTIONS;
}

export async function startTarget(stack: Stack, root: string, service: TargetName): Promise<Target> {
  if (service === 'console') return startConsoleTarget(stack);
  const start = (port?: number) =>
    stack.startReplica(service, `${service}-besieged`, {
      ...(port === undefined ? {} : { port }),
      // As in production: replies are not checked against their schemas.
      env: { NODE_ENV: 'production', OUTBOUND_ALLOW_IN_PRODUCTION: 'true', NODE_OPTIONS: clusterHeap(root) },
    });
  const known = stack.services[service];
  const [starter, otherTenantKey] = await Promise.all([
    issueKey(stack, service, 'siege-starter'),
    issueKey(stack, service, 'other-tenant', 'enterprise'),
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
  const [otherTenant, attacker] = await Promise.all([
    startOtherTenant({ service, origin, key: otherTenantKey, healthUrl: `${origin}/health` }),
    startAttacker({ service, origin, keys: { enterprise: known.apiKey, starter } }, restart),
  ]);
  return {
    service,
    ended: () => (running.exit() === null ? undefined : running.tail()),
    restart,
    attacker,
    otherTenant,
    close: async () => {
      await running.stop();
      await Promise.all([otherTenant, attacker].map(({ close }) => close()));
    },
  };
}

/** The console of the stack, which must not end because there is only one. */
async function startConsoleTarget(stack: Stack): Promise<Target> {
  const { baseUrl, process: running } = stack.console!;
  const { 'flow-builder': builder, notifications } = stack.services;
  const otherTenantKey = await issueKey(stack, 'flow-builder', 'other-tenant', 'enterprise');
  const [enterprise, key] = await Promise.all([
    signIn(baseUrl, { 'flow-builder': builder.apiKey, notifications: notifications.apiKey }),
    signIn(baseUrl, { 'flow-builder': otherTenantKey }),
  ]);
  const at = { service: 'console', origin: `${baseUrl}/api/flow-builder` } as const;
  const restart = () => Promise.reject(new Error('the console is not started again'));
  const [otherTenant, attacker] = await Promise.all([
    startOtherTenant({ ...at, key, healthUrl: `${baseUrl}/health` }),
    startAttacker({ ...at, keys: { enterprise, starter: enterprise } }, restart),
  ]);
  return {
    service: 'console',
    ended: () => (running.exit() === null ? undefined : running.tail()),
    restart,
    attacker,
    otherTenant,
    close: async () => void (await Promise.all([otherTenant, attacker].map(({ close }) => close()))),
  };
}

/** Returns the session's cookie. */
async function signIn(baseUrl: string, keys: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${baseUrl}/session/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ keys }),
  });
  if (response.status !== 204) throw new Error(`the console signs nobody in: ${response.status}`);
  return response.headers.getSetCookie()[0]!.split(';')[0]!;
}

/** Issues an admin key of an organisation. */
async function issueKey(stack: Stack, service: ServiceName, org: string, plan?: string) {
  const where = ['--product', service, '--org', org, '--database-url', stack.services[service].databaseUrl];
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [stack.cli(service), ...args, ...where]);
  if (plan !== undefined) await run('organizations', 'set', '--plan', plan);
  const { stdout } = await run('keys', 'create', '--name', 'siege');
  return (JSON.parse(stdout) as { key: string }).key;
}
