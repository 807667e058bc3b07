// Starts voice-api for integration tests: always its HTTP side, its workers on request.
import { apiClient, serviceUnderTest } from '@parley/testing-services';
import { setOrganization } from '@parley/server/organizations';
import { createLifecycle, type ServiceStart } from '@parley/server/runtime';
import { createApp } from '../src/app.ts';
import { config, type Config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import { startWorkers } from '../src/worker.ts';

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
    env,
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
