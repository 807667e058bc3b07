// Postgres with a migrated database for each service, and the queue engine.
import { join } from 'node:path';
import { deployMigrations, installedWasm } from '@parley/migrator';
import { shippedPath } from '@parley/server/runtime';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type ProcessLedger,
  type Report,
  type StopOrder,
} from '@parley/testing/servers';
import { openQueueEngine, planQueueEngine } from './queue-engine.ts';
import type { QueueEngine, QueuePlan } from './queue-engine.ts';
import { SERVICE_FACTS, forEachService, schemaDir } from '../services.ts';
import type { ServiceName } from '../services.ts';

export interface StoresOptions {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly names: readonly ServiceName[];
  readonly ledger: ProcessLedger;
  /** Takes on every server that is started here. */
  readonly order: StopOrder;
  readonly aborted: AbortSignal;
  readonly report: Report;
  readonly throwaway: boolean;
  readonly queue: QueuePlan | undefined;
}

export interface Stores {
  readonly databaseUrls: Record<ServiceName, string>;
  readonly queue: QueueEngine;
  /** The embedded Postgres, or the first service's database where all are given. */
  readonly postgresUrl: string;
  /** The embedded Postgres, where one was started. */
  readonly postgres: EmbeddedPostgres | undefined;
}

/**
 * Starts what is not given. The embedded Postgres is only started when a service, or the queue,
 * needs it.
 */
export async function startStores(options: StoresOptions): Promise<Stores> {
  const { root, home, env, names, ledger, order, aborted, report, throwaway } = options;
  let embedded: Promise<EmbeddedPostgres> | undefined;
  const embeddedUrl = async (): Promise<string> => {
    embedded ??= report.step('Postgres started', async () => {
      const postgres = order.add('postgres', await startEmbeddedPostgres({ root, home, ledger, throwaway }));
      const { outside } = postgres;
      if (outside) {
        report.note(`  ! Its data is in ${outside}: what root starts as another user cannot enter ${home}.`);
      }
      return postgres;
    });
    return (await embedded).url;
  };

  const plan = options.queue ?? (await planQueueEngine(env, join(root, '.parley'), report));
  aborted.throwIfAborted();
  const queue = await openQueueEngine(plan, { root, home, env, ledger, throwaway, postgresUrl: embeddedUrl });
  if (queue.server) order.add('queue', queue.server);
  report.note(`  ✓ queues in ${queue.description}`);
  aborted.throwIfAborted();

  const urls = await Promise.all(
    names.map(async (name) => givenUrl(env, name) ?? databaseOn(await embeddedUrl(), name)),
  );
  const databaseUrls = forEachService(names, (name) => urls[names.indexOf(name)] ?? '');
  aborted.throwIfAborted();
  const wasmPath = shippedPath('schema_engine_bg.wasm', installedWasm);
  await report.step('databases migrated', () =>
    Promise.all(
      names.map((name) =>
        deployMigrations({ schemaDir: schemaDir(root, name), databaseUrl: databaseUrls[name], wasmPath }),
      ),
    ),
  );
  const postgres = await embedded;
  return { databaseUrls, queue, postgres, postgresUrl: postgres?.url ?? urls[0] ?? '' };
}

function givenUrl(env: StoresOptions['env'], name: ServiceName): string | undefined {
  return env[SERVICE_FACTS[name].urlVariable] || undefined;
}

function databaseOn(serverUrl: string, name: ServiceName): string {
  const url = new URL(serverUrl);
  url.pathname = `/${SERVICE_FACTS[name].database}`;
  return url.href;
}
