// What the code says of itself, for the tests that compare manifests, Dockerfile and dashboards
// with it. An app may not be imported from here, so its README is read (a test of the app keeps the
// tables there true) and its sources are searched.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listQueues } from '@parley/jobs';
import { SERVICES, type ServiceName } from '@parley/server/runtime';

export const root = join(import.meta.dirname, '..', '..', '..', '..');

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The environment of a service: name → whether it is required. */
export function environmentOf(service: ServiceName | 'console'): ReadonlyMap<string, { required: boolean }> {
  const [, table = ''] = /<!-- generated: environment -->([\s\S]*?)<!-- end -->/.exec(
    readText(`apps/${service}/README.md`),
  ) ?? [''];
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];
  if (rows.length < 15) throw new Error(`apps/${service}/README.md has no table of the environment`);
  return new Map(rows.map(([, name, standard]) => [name!, { required: standard === '**required**' }]));
}

/** Every TypeScript source below a folder, tests left out, as path and text. */
export function sourcesIn(folder: string): { path: string; text: string }[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('generated'))
    .map((path) => ({ path: `${folder}/${path}`, text: readText(`${folder}/${path}`) }));
}

/** The queues whose age an autoscaler's query asks for. */
export function queuesWatchedBy(query: string): string[] {
  const [, pattern] = /^max\(queue_age_seconds\{queue=~"(.*)"\}\)$/.exec(query)!;
  return SERVICES.flatMap(listQueues)
    .filter((queue) => new RegExp(`^(?:${pattern})$`).test(queue))
    .sort();
}
