// One admin key a product for the demo organisation, kept over restarts.
import { issueApiKey } from '@parley/auth';
import { sqlOf } from '@parley/server/postgres';
import pg from 'pg';
import { ulid } from 'ulid';
import { readJson, writePrivately } from './secret-files.ts';
import { SERVICE_FACTS } from './services.ts';
import type { ServiceName } from './services.ts';

export const DEMO_ORGANIZATION = 'demo';

interface KeyService {
  readonly name: ServiceName;
  readonly origin: string;
  readonly databaseUrl: string;
}

interface KeyFile {
  readonly organization_id: string;
  readonly api_keys: Partial<Record<ServiceName, string>>;
}

/**
 * The keys of `path` (keys.json), each tried on its service; a new one is issued where there is
 * none or it is refused, as after the database was replaced.
 */
export async function keepApiKeys(
  path: string,
  services: readonly KeyService[],
): Promise<Record<ServiceName, string>> {
  const kept = readJson<KeyFile>(path)?.api_keys ?? {};
  const keys: Partial<Record<ServiceName, string>> = { ...kept };
  await Promise.all(
    services.map(async (service) => {
      const key = kept[service.name];
      if (key === undefined || !(await isAccepted(service, key))) keys[service.name] = await issue(service);
    }),
  );
  const changed = services.some(({ name }) => keys[name] !== kept[name]);
  if (changed) {
    const file: KeyFile = { organization_id: DEMO_ORGANIZATION, api_keys: keys };
    writePrivately(path, `${JSON.stringify(file, null, 2)}\n`);
  }
  return keys as Record<ServiceName, string>;
}

async function isAccepted(service: KeyService, key: string): Promise<boolean> {
  const response = await fetch(`${service.origin}/v1/api-keys/me`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const body = await response.text();
  if (response.status === 200) return true;
  if (response.status === 401) return false;
  throw new Error(`${service.name} answers ${response.status} to GET /v1/api-keys/me: ${body}`);
}

async function issue({ name, databaseUrl }: KeyService): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { key } = await issueApiKey(sqlOf(client), {
      product: SERVICE_FACTS[name].product,
      environment: 'test',
      organizationId: DEMO_ORGANIZATION,
      name: 'development stack',
      scopes: ['admin'],
      createdBy: 'launcher',
      nowMs: Date.now(),
      id: ulid(),
    });
    return key;
  } finally {
    await client.end();
  }
}
