// notifications as its integration tests start it: HTTP side always, worker side when asked for.
import type supertest from 'supertest';
import { apiClient, serviceUnderTest } from '@parley/app-testkit';
import type { ServiceStart } from '@parley/runtime';
import { createApp } from '../src/app.ts';
import { config, type Config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import { startWorker } from '../src/worker.ts';

/** Everything that waits in production, in milliseconds that a test can wait for; receivers on this machine are allowed. */
const TEST_ENV = {
  OUTBOUND_ALLOW: 'localhost,127.0.0.0/8,::1',
  DELIVERY_RETRY_FIRST_MS: '20',
  DELIVERY_RETRY_LONGEST_MS: '200',
  DELIVERY_TIMEOUT_MS: '2000',
  DELIVERY_SWEEP_MS: '200',
};

export interface StartOptions {
  /** Starts the queue workers and sweepers as well. */
  readonly worker?: boolean;
  /** Authorities to trust instead of Node's own. */
  readonly ca?: string;
  /** Adds to, or replaces, the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function startNotifications({ worker = false, env = {}, ca }: StartOptions = {}) {
  const service = await serviceUnderTest(
    {
      service: 'notifications',
      product: 'nt',
      config,
      createDeps: async (starting: ServiceStart<Config>) => {
        const deps = await createDeps(starting, ca === undefined ? {} : { ca });
        if (worker) startWorker(deps, starting.life);
        return deps;
      },
      createApp,
    },
    { ...TEST_ENV, ...env },
  );
  const key = await service.issueKey('acme');
  return {
    ...service,
    key,
    as: (credential: string) => apiClient(service.server.url, credential),
    api: apiClient(service.server.url, key),
  };
}

export type NotificationsUnderTest = Awaited<ReturnType<typeof startNotifications>>;

/** The body of an answer, to be looked into. */
export async function bodyOf(request: supertest.Test): Promise<unknown> {
  const reply = await request;
  return reply.body as unknown;
}
