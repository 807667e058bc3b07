// The services as k8s/base runs them, with the heap that it gives them, and two organisations. Called by main.ts and by the test.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilReady, type ServiceName, type Stack } from '@parley/local-stack';
import { parse } from 'yaml';

/** NODE_OPTIONS of k8s/base. */
export function clusterHeap(root: string): string {
  const settings = parse(readFileSync(join(root, 'k8s/base/service/settings.yaml'), 'utf8')) as {
    data: { NODE_OPTIONS: string };
  };
  return settings.data.NODE_OPTIONS;
}

/** An admin key of another organisation. */
export async function neighbourKey(stack: Stack, root: string, service: ServiceName): Promise<string> {
  const cli = join(root, 'dist', 'apps', 'cli', 'main.mjs');
  const { databaseUrl } = stack.services[service];
  const what = ['--product', service, '--org', 'neighbour', '--name', 'siege', '--database-url', databaseUrl];
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'keys', 'create', ...what]);
  return (JSON.parse(stdout) as { key: string }).key;
}

/** A process of the service as production runs it: replies are not checked against their schemas. */
export async function besiegedProcess(stack: Stack, root: string, service: ServiceName) {
  const started = await stack.startReplica(service, `${service}-besieged`, {
    env: { NODE_ENV: 'production', OUTBOUND_ALLOW_IN_PRODUCTION: 'true', NODE_OPTIONS: clusterHeap(root) },
  });
  await untilReady(started);
  return started;
}
