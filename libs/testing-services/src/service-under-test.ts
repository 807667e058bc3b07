// A whole service in the test's process: its real deps on its own database and queue prefix,
// listening as in production, with a captured log. An app passes its config, createDeps and
// createApp.
import type { Express } from 'express';
import type { z } from 'zod';
import { issueApiKey, type Product } from '@parley/auth';
import { listen, type Listening, type Scope } from '@parley/server/http';
import type { Platform } from '@parley/platform';
import { createMessageKeys, PARTIES, type MessageKeys } from '@parley/jobs';
import {
  createLifecycle,
  createLog,
  createSecrets,
  readConfig,
  systemClock,
  type ServiceStart,
} from '@parley/server/runtime';
import {
  capturedLog,
  createTestDatabase,
  testQueue,
  type CapturedLog,
  type ServiceName,
} from '@parley/testing';
import { TEST_IDENTITY_SECRET } from './identity-token.ts';

/** 32 bytes that seal only test data. */
const TEST_KEY = `test:${Buffer.alloc(32, 7).toString('base64')}`;

/** Keys for messages between all parties. */
const TEST_MESSAGE_KEYS = PARTIES.map((party) => `${party}=${TEST_KEY}`).join('\n');

/** The keys of another service, for a test that sends messages as that service. */
export function testMessageKeys(service: ServiceName): Promise<MessageKeys> {
  const secrets = createSecrets({ env: { TEST_MESSAGE_KEYS }, clock: systemClock });
  return createMessageKeys(secrets, 'env://TEST_MESSAGE_KEYS', service);
}

export interface ServiceUnderTest<Deps> {
  readonly server: Listening;
  readonly deps: Deps;
  readonly log: CapturedLog;
  readonly databaseUrl: string;
  /** The environment it was started with: for a second replica on the same database and queue. */
  readonly env: Readonly<Record<string, string>>;
  /** A new key of an organisation. Default scope: `admin`. */
  issueKey(organizationId: string, scopes?: readonly Scope[]): Promise<string>;
  /** Stops it; fails when a step of the stop failed. The first replica also drops the database. */
  stop(): Promise<void>;
}

export interface ServiceParts<Config extends { LOG_LEVEL: string }, Deps> {
  readonly service: ServiceName;
  readonly product: Product;
  readonly config: z.ZodType<Config>;
  readonly createDeps: (starting: ServiceStart<Config>) => Promise<Deps>;
  readonly createApp: (deps: Deps) => Express;
}

/** `env` adds to, or replaces, the configuration of a test service. */
export async function serviceUnderTest<Config extends { LOG_LEVEL: string }, Deps extends Platform>(
  parts: ServiceParts<Config, Deps>,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceUnderTest<Deps>> {
  const database = env['DATABASE_URL'] === undefined ? await createTestDatabase(parts.service) : undefined;
  const queue = testQueue();
  const whole: Record<string, string> = {
    NODE_ENV: 'test',
    DATABASE_URL: database?.url ?? '',
    QUEUE_URL: queue.url,
    QUEUE_PREFIX: queue.prefix,
    TEST_KEY,
    DATA_KEY: 'env://TEST_KEY',
    QUEUE_KEY: 'env://TEST_KEY',
    TEST_MESSAGE_KEYS,
    MESSAGE_KEYS: 'env://TEST_MESSAGE_KEYS',
    TEST_IDENTITY_SECRET,
    IDENTITY_SHARED_SECRET: 'env://TEST_IDENTITY_SECRET',
    IDENTITY_ISSUER: 'test-issuer',
    IDENTITY_AUDIENCE: 'test-audience',
    ...env,
  };
  const read = readConfig(parts.config, whole);
  if (!read.ok) throw new Error(`the test configuration is wrong:\n${read.problems.join('\n')}`);

  const captured = capturedLog();
  const log = createLog({ service: parts.service, level: 'info', destination: captured });
  const life = createLifecycle(log);
  const deps = await parts.createDeps({ config: read.config, env: whole, log, life });
  const server = await listen(parts.createApp(deps), { host: '127.0.0.1', port: 0 });
  life.onStop('http', () => server.close());
  return {
    server,
    deps,
    log: captured,
    databaseUrl: whole['DATABASE_URL']!,
    env: whole,
    issueKey: async (organizationId, scopes = ['admin']) => {
      const { key } = await issueApiKey(deps.sql, {
        product: parts.product,
        environment: 'test',
        organizationId,
        name: 'test',
        scopes,
        createdBy: 'test',
        nowMs: deps.clock(),
        id: deps.ids('key'),
      });
      return key;
    },
    stop: async () => {
      const { clean } = await life.stop('test is over');
      await database?.drop();
      if (!clean) throw new Error(`the service did not stop cleanly:\n${captured.text()}`);
    },
  };
}
