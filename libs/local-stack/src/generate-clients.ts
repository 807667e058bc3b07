// Makes the three Prisma clients from their schemas, where a schema changed.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withFolderLock } from './folder-lock.ts';
import { SERVICES, schemaDir } from './services.ts';
import type { ServiceName } from './services.ts';

const run = promisify(execFile);

/** One client takes about 2 s on a small machine. */
const GENERATE_TIMEOUT_MS = 120_000;

/** Returns the services whose client was made anew. Two callers at once do not disturb each other. */
export async function generateClients(
  root: string,
  services: readonly ServiceName[] = SERVICES,
): Promise<ServiceName[]> {
  return withFolderLock(join(root, '.parley', 'generate.lock'), GENERATE_TIMEOUT_MS, async () => {
    const stale = services.filter((service) => stampOf(root, service) !== wantedStamp(root, service));
    await Promise.all(stale.map((service) => generate(root, service)));
    return stale;
  });
}

async function generate(root: string, service: ServiceName): Promise<void> {
  const cli = join(root, 'node_modules', 'prisma', 'build', 'index.js');
  const schema = join('prisma', service, 'schema.prisma'); // relative: prisma.config.ts in `root` must be found too
  try {
    await run(process.execPath, [cli, 'generate', '--schema', schema], {
      cwd: root,
      timeout: GENERATE_TIMEOUT_MS,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`The Prisma client of ${service} could not be generated:\n${stdout}${stderr}`, {
      cause: error,
    });
  }
  writeFileSync(stampFile(root, service), wantedStamp(root, service));
}

/** Lies among the generated files, so that it goes when they go. */
function stampFile(root: string, service: ServiceName): string {
  return join(schemaDir(root, service), 'generated', '.made-from');
}

function stampOf(root: string, service: ServiceName): string | null {
  const path = stampFile(root, service);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** The schema and the version of the generator: whatever else stays the same makes the same client. */
function wantedStamp(root: string, service: ServiceName): string {
  const hash = createHash('sha256').update(readFileSync(join(schemaDir(root, service), 'schema.prisma')));
  const { version } = JSON.parse(
    readFileSync(join(root, 'node_modules', 'prisma', 'package.json'), 'utf8'),
  ) as {
    version: string;
  };
  return `${version} ${hash.digest('hex')}`;
}
