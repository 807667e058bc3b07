// Starts notifications for integration tests: the HTTP side always, the worker side on request.
import type supertest from 'supertest';
import { apiClient, serviceUnderTest } from '@parley/testing-services';
import type { ServiceStart } from '@parley/server/runtime';
import { createApp } from '../src/app.ts';
import { config, type Config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import { startWorker } from '../src/worker.ts';

/** Production waits, shortened to milliseconds; local receivers are allowed. */
const TEST_ENV = {
  OUTBOUND_ALLOW: 'localhost,127.0.0.0/8,::1',
  DELIVERY_RETRY_WAITS_MS: '20,40,80,160,200,200,200,200,200',
  DELIVERY_TIMEOUT_MS: '2000',
};

/** Replaces the interval of sweeps. */
export const TEST_SWEEP_MS = 200;

export interface StartOptions {
  /** Starts the queue workers and sweepers too. */
  readonly worker?: boolean;
  /** Certificate authorities to trust instead of Node's. */
  readonly ca?: string;
  readonly leaseMs?: number;
  readonly heartbeatMs?: number;
  /** Stands in for the hosts of Amazon SNS. */
  readonly fetchAmazon?: (url: string) => Promise<string | undefined>;
  /** Adds to or replaces the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function startNotifications({ worker = false, env = {}, ...parts }: StartOptions = {}) {
  const service = await serviceUnderTest(
    {
      service: 'notifications',
      product: 'nt',
      config,
      createDeps: async (starting: ServiceStart<Config>) => {
        const deps = await createDeps(starting, { sweepMs: TEST_SWEEP_MS, ...parts });
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

/** The body of an answer, for assertions. */
export async function readBody(request: supertest.Test): Promise<unknown> {
  const reply = await request;
  return reply.body as unknown;
}
