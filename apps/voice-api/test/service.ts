// voice-api as its integration tests start it: its HTTP side always, its workers when a test asks for them.
import { apiClient, serviceUnderTest } from '@parley/app-testkit';
import { setOrganization } from '@parley/organizations';
import { createLifecycle } from '@parley/runtime';
import { createApp } from '../src/app.ts';
import { config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import { startWorkers } from '../src/worker.ts';

export interface VoiceApiOptions {
  /** Adds to, or replaces, what the service is configured with. */
  readonly env?: Readonly<Record<string, string>>;
  /** Starts the queue workers and the sweepers as well (what a process with ROLE=all or worker does). */
  readonly workers?: boolean;
}

export async function startVoiceApi({ env = {}, workers = false }: VoiceApiOptions = {}) {
  const started = await serviceUnderTest(
    { service: 'voice-api', product: 'va', config, createDeps, createApp },
    env,
  );
  // Limits are limits.int.test.ts's business: everywhere else an organisation may ask as much as it likes.
  const service: typeof started = {
    ...started,
    issueKey: async (organizationId, scopes) => {
      await setOrganization(started.deps.sql, organizationId, { plan: 'enterprise' }, started.deps.clock());
      return started.issueKey(organizationId, scopes);
    },
  };
  // Workers must end before the connections that they work on.
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
