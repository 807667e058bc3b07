// Starts voice-api for integration tests: always its HTTP side, its workers on request.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiClient, serviceUnderTest } from '@parley/testing-services';
import { setOrganization } from '@parley/server/organizations';
import { createLifecycle, type ServiceStart } from '@parley/server/runtime';
import { createApp } from '../src/app.ts';
import { config, type Config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import { startWorkers } from '../src/worker.ts';

const secretsFolder = mkdtempSync(join(tmpdir(), 'parley-secrets-'));

/** Gives the conversation a copy of its recording in a bucket that nobody asks. */
export async function addRecordingCopy(
  { deps }: Pick<VoiceApi, 'deps'>,
  organizationId: string,
  conversationId: string,
): Promise<void> {
  const folder = join(secretsFolder, organizationId);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bucket'), 'a key');
  const id = deps.ids('rst');
  await deps.sql(
    `INSERT INTO recording_stores (id, organization_id, bot_id, endpoint, region, bucket, prefix, access_key_id, secret)
     VALUES ($1, $2, $1, 'https://s3.example.com', 'auto', 'calls', '', 'key', 'secret://bucket')`,
    [id, organizationId],
  );
  await deps.sql(
    `INSERT INTO recording_copies (id, organization_id, conversation_id, store_id, object_key, status, bytes, content_type, created_at)
     VALUES ($1, $2, $3, $1, $1, 'copied', 1, 'audio/wav', now())`,
    [id, organizationId, conversationId],
  );
}

export interface VoiceApiOptions {
  /** Adds to or replaces the configuration. */
  readonly env?: Readonly<Record<string, string>>;
  /** Also starts queue workers and sweepers, like a process with ROLE=all or worker. */
  readonly workers?: boolean;
  /** Interval of heartbeats on event streams. */
  readonly heartbeatMs?: number;
}

export async function startVoiceApi({ env = {}, workers = false, heartbeatMs }: VoiceApiOptions = {}) {
  const started = await serviceUnderTest(
    {
      service: 'voice-api',
      product: 'va',
      config,
      createDeps: (starting: ServiceStart<Config>) => createDeps(starting, { heartbeatMs }),
      createApp,
    },
    { FLOW_SECRETS: `file://${secretsFolder}/{organization}/{name}`, ...env },
  );
  // limits.int.test.ts tests limits; everywhere else organisations have none.
  const service: typeof started = {
    ...started,
    issueKey: async (organizationId, scopes) => {
      await setOrganization(started.deps.sql, organizationId, { plan: 'enterprise' }, started.deps.clock());
      return started.issueKey(organizationId, scopes);
    },
  };
  // Workers stop before the connections that they use.
  const life = createLifecycle(service.deps.log);
  if (workers) startWorkers(service.deps, life);
  const key = await service.issueKey('acme');
  return {
    ...service,
    key,
    as: (credential: string) => apiClient(service.server.url, credential),
    api: apiClient(service.server.url, key),
    stop: async () => {
      const { clean } = await life.stop('test is over');
      await service.stop();
      if (!clean) throw new Error(`the workers did not stop cleanly:\n${service.log.text()}`);
    },
  };
}

export type VoiceApi = Awaited<ReturnType<typeof startVoiceApi>>;
