// Makes the three Prisma clients from their schemas, where a schema changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolderLock, runStep, SETUP_WITHIN_MS } from '@parley/testing/servers';
import { SERVICES, schemaDir } from './services.ts';
import type { ServiceName } from './services.ts';

/**
 * Returns the services whose client was generated. Two callers at once do not disturb each other.
 */
export async function generateClients(
  root: string,
  services: readonly ServiceName[] = SERVICES,
): Promise<ServiceName[]> {
  return withFolderLock(join(root, '.parley', 'generate.lock'), SETUP_WITHIN_MS, async () => {
    const stale = services.filter((service) => stampOf(root, service) !== wantedStamp(root, service));
    await Promise.all(stale.map((service) => generate(root, service)));
    return stale;
  });
}

async function generate(root: string, service: ServiceName): Promise<void> {
  const cli = join(root, 'node_modules', 'prisma', 'build', 'index.js');
  const schema = join('prisma', service, 'schema.prisma'); // relative: prisma.config.ts in `root` must be found too
  const what = `The Prisma client of ${service} could not be generated`;
  await runStep(what, process.execPath, [cli, 'generate', '--schema', schema], {
    cwd: root,
    env: { ...process.env, ...insideOf(root) },
  });
  writeFileSync(stampFile(root, service), wantedStamp(root, service));
}

/** Prisma keeps a history of commands and asks for news: nothing is left in the user's home. */
function insideOf(root: string): Record<string, string> {
  const home = join(root, 'node_modules', '.cache', 'prisma');
  return { CHECKPOINT_DISABLE: '1', XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };
}

/** Lies among the generated files, so that it goes when they go. */
function stampFile(root: string, service: ServiceName): string {
  return join(schemaDir(root, service), 'generated', '.made-from');
}

function stampOf(root: string, service: ServiceName): string | null {
  const path = stampFile(root, service);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** The client depends on the schema and the version of the generator only. */
function wantedStamp(root: string, service: ServiceName): string {
  const hash = createHash('sha256').update(readFileSync(join(schemaDir(root, service), 'schema.prisma')));
  const { version } = JSON.parse(
    readFileSync(join(root, 'node_modules', 'prisma', 'package.json'), 'utf8'),
  ) as {
    version: string;
  };
  return `${version} ${hash.digest('hex')}`;
}
