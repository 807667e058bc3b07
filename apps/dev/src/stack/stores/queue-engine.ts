// Gets a queue engine for a stack: a given one, a Redis on this machine, Debian's, or Postgres.
import { ensureDatabase } from '@parley/migrator';
import {
  debianRedis,
  findRedisOnPath,
  hasApt,
  pingRedis,
  redisUsers,
  startRedis,
  type ProcessLedger,
  type RedisProgram,
  type RedisServer,
  type Report,
} from '@parley/testing/servers';
import { chooseQueueEngine, isPostgresUrl } from './queue-engine.rules.ts';
import type { QueueChoice } from './queue-engine.rules.ts';
import type { ServiceName } from '../services.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What was decided, and the program where one is to be started. */
export type QueuePlan =
  | Extract<QueueChoice, { kind: 'given' | 'postgres' }>
  | { readonly kind: 'redis'; readonly program: RedisProgram }
  /** The caller has started it, and stops it. */
  | { readonly kind: 'started'; readonly engine: QueueEngine };

/** The database that BullMQ's Postgres backend has on the embedded Postgres. */
export const QUEUE_DATABASE = 'queues';

/**
 * Decides which engine it will be (docs/platform.md#queue-engines) and has its program ready; says
 * what it found. `tools` is the folder under which Debian's Redis is unpacked: `.parley` of the
 * checkout, also for a test run, so that it is downloaded once.
 */
export async function planQueueEngine(env: Environment, tools: string, report: Report): Promise<QueuePlan> {
  const choice = chooseQueueEngine({
    queueUrl: env['QUEUE_URL'],
    redisUrl: env['REDIS_URL'],
    binary: findRedisOnPath(env['PATH'] ?? ''),
    apt: hasApt(),
  });
  switch (choice.kind) {
    case 'given':
      return choice;
    case 'binary':
      return { kind: 'redis', program: { path: choice.path } };
    case 'postgres':
      report.note(
        '  ! There is no Redis here, so BullMQ keeps the queues in Postgres: fine for development.',
      );
      return choice;
    case 'apt':
      try {
        return { kind: 'redis', program: await debianRedis(tools, report) };
      } catch (error) {
        const reason = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
        report.note(`  ! Debian's Redis cannot be had (${reason}).`);
        report.note('    BullMQ keeps the queues in Postgres instead: fine for development.');
        return { kind: 'postgres' };
      }
  }
}

export interface QueueEngine {
  readonly url: string;
  /** The same as the service's own user, where the engine is a Redis that was started here. */
  urlOf(service: ServiceName): string;
  /** One line for people: what carries the queues. */
  readonly description: string;
  /** The server that was started for it, if one was. */
  readonly server?: RedisServer;
}

export interface QueueEngineOptions {
  /** The checkout. */
  readonly root: string;
  readonly home: string;
  readonly env: Environment;
  readonly ledger: ProcessLedger;
  readonly throwaway: boolean;
  /** The embedded Postgres; asked only when the plan needs it. */
  readonly postgresUrl: () => Promise<string>;
}

/** Starts what the plan says, or makes sure that what was given answers. */
export async function openQueueEngine(plan: QueuePlan, options: QueueEngineOptions): Promise<QueueEngine> {
  if (plan.kind === 'started') return plan.engine;
  if (plan.kind === 'redis') {
    const users = redisUsers(options.root, options.env['QUEUE_PREFIX']);
    const server = await startRedis({ ...options, users, program: plan.program });
    const urlOf = (service: ServiceName) => server.urlOf(service) ?? server.url;
    return { url: server.url, urlOf, server, description: `Redis (${plan.program.path})` };
  }
  if (plan.kind === 'postgres') {
    const url = new URL(await options.postgresUrl());
    url.pathname = `/${QUEUE_DATABASE}`;
    await ensureDatabase(url.href);
    return {
      url: url.href,
      urlOf: () => url.href,
      description: "BullMQ's Postgres backend on the embedded Postgres",
    };
  }
  try {
    if (isPostgresUrl(plan.url)) await ensureDatabase(plan.url);
    else await pingRedis(plan.url);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${plan.variable} names a server that cannot be used: ${reason}`, { cause: error });
  }
  return { url: plan.url, urlOf: () => plan.url, description: `the server that ${plan.variable} names` };
}
