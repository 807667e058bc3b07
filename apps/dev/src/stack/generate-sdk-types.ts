// Makes the types of libs/sdk from the stored OpenAPI documents, where a document changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolderLock, runStep, SETUP_WITHIN_MS } from '@parley/testing/servers';
import { SERVICES } from './services.ts';
import type { ServiceName } from './services.ts';

/** A file a service, ignored by git. */
const TYPES_FOLDER = 'libs/sdk/src/generated';
/** A member with a default may be absent from a request. */
const OPTIONS = ['--default-non-nullable', 'false'];

/** Several callers may run at the same time. */
export async function generateSdkTypes(root: string): Promise<void> {
  await withFolderLock(join(root, '.parley', 'sdk-types.lock'), SETUP_WITHIN_MS, async () => {
    mkdirSync(join(root, TYPES_FOLDER), { recursive: true });
    const stale = SERVICES.filter((service) => readStamp(root, service) !== computeStamp(root, service));
    await Promise.all(stale.map((service) => generate(root, service)));
  });
}

async function generate(root: string, service: ServiceName): Promise<void> {
  const cli = join(root, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  const program = [cli, documentOf(service), '-o', typesFile(service), ...OPTIONS];
  const failure = `The types of ${service} could not be generated`;
  await runStep(failure, process.execPath, program, { cwd: root });
  writeFileSync(stampFile(root, service), computeStamp(root, service));
}

function documentOf(service: ServiceName): string {
  return `apps/${service}/openapi.json`;
}

function typesFile(service: ServiceName): string {
  return `${TYPES_FOLDER}/${service}.ts`;
}

/** Next to the generated files. */
function stampFile(root: string, service: ServiceName): string {
  return join(root, TYPES_FOLDER, `.${service}-made-from`);
}

function readStamp(root: string, service: ServiceName): string | null {
  const path = stampFile(root, service);
  const isThere = existsSync(path) && existsSync(join(root, typesFile(service)));
  return isThere ? readFileSync(path, 'utf8') : null;
}

/** The document, the version of the generator and its options. */
function computeStamp(root: string, service: ServiceName): string {
  const hash = createHash('sha256').update(readFileSync(join(root, documentOf(service))));
  const manifest = readFileSync(join(root, 'node_modules', 'openapi-typescript', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return [version, ...OPTIONS, hash.digest('hex')].join(' ');
}
