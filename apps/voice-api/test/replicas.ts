// Replicas of voice-api with one database and one Redis and short rate limit windows.
import http from 'node:http';
import { serviceUnderTest } from '@parley/testing-services';
import { buildInFlightKey, buildLimitsPrefix, buildLogKey, type LimitTimes } from '@parley/server/limits';
import { setOrganization, type OrganizationChange } from '@parley/server/organizations';
import { createApp } from '../src/app.ts';
import { config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';

export interface TimedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly data?: unknown;
    readonly error?: { readonly code: string; readonly details: Readonly<Record<string, unknown>> };
  };
  /** By the test's clock: when the request was sent and when it was answered. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Windows and leases for tests. */
type Times = Partial<LimitTimes & { intakeWindowMs: number }>;

export async function startReplica(times: Times, env: Readonly<Record<string, string>> = {}) {
  const service = await serviceUnderTest(
    {
      service: 'voice-api',
      product: 'va',
      config,
      createDeps: (starting) => createDeps(starting, times),
      createApp,
    },
    env,
  );
  const { url } = service.server;
  const prefix = buildLimitsPrefix(service.deps.config.QUEUE_PREFIX, 'voice-api');

  async function ask(key: string, path = '/v1/api-keys/me', init: RequestInit = {}): Promise<TimedAnswer> {
    const sentAtMs = performance.now();
    const response = await fetch(url + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
    const body = (await response.json()) as TimedAnswer['body'];
    return {
      status: response.status,
      headers: response.headers,
      body,
      sentAtMs,
      answeredAtMs: performance.now(),
    };
  }

  return {
    ...service,
    url,
    ask,
    /** A request in flight until its body is complete. */
    upload: (key: string) => openUpload(url, key),
    /** The sorted set with the leases of an organisation. */
    inFlightKey: (organizationId: string) => buildInFlightKey(prefix, organizationId),
    /** The list with the times of admitted requests. */
    logKey: (organizationId: string) => buildLogKey(prefix, organizationId, 'plan'),
    describe: (organizationId: string, change: OrganizationChange) =>
      setOrganization(service.deps.sql, organizationId, change, service.deps.clock()),
  };
}

export type Replica = Awaited<ReturnType<typeof startReplica>>;

/** A POST without its body. `finish` sends it, `abort` disconnects. */
function openUpload(origin: string, key: string) {
  const body = JSON.stringify({ name: 'slow', scopes: ['read'] });
  const request = http.request(`${origin}/v1/api-keys`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  });
  let answered: number | undefined;
  const status = new Promise<number>((resolve) => {
    request.once('response', (response) => {
      answered = response.statusCode!;
      response.resume();
      resolve(answered);
    });
    request.once('error', () => resolve(0)); // disconnected
  });
  request.write(body.slice(0, 1));
  return {
    status,
    answered: () => answered,
    finish: () => void request.end(body.slice(1)),
    abort: () => void request.destroy(),
  };
}
