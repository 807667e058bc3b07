// What the use cases of flow-builder work with. Built once, in main.ts or in a test.
import {
  createPlatform,
  openQueueSide,
  transactWith,
  type Platform,
  type QueueSide,
  type Transact,
} from '@parley/platform';
import { prismaAdapter } from '@parley/postgres';
import { createGroupedOutbox, type GroupedOutbox } from '@parley/queues';
import type { Starting } from '@parley/runtime';
import { PrismaClient, type Prisma } from '@parley/store-flow-builder';
import type { Config } from './config.ts';
import { createRunnableFlows, type RunnableFlows } from './flows/runnable-flows.ts';

export type Tx = Prisma.TransactionClient;

export interface Deps extends Platform<Config>, QueueSide {
  readonly db: PrismaClient;
  /** Runs work in one transaction, through Prisma and through plain SQL. */
  readonly transact: Transact<Tx>;
  /** Compiled versions and publish pointers, in memory: a warm turn reads no store. */
  readonly runnableFlows: RunnableFlows;
  /** What turns tell other services, written in groups. */
  readonly reports: GroupedOutbox;
  /** Turns by how they ended. */
  readonly countTurn: (status: string) => void;
}

export async function createDeps(starting: Starting<Config>): Promise<Deps> {
  const platform = await createPlatform({ name: 'flow-builder', product: 'fb' }, starting);
  const db = new PrismaClient({ adapter: prismaAdapter(platform.pool) });
  starting.life.onStop('prisma', () => db.$disconnect());
  const turns = platform.metrics.counter('flow_turns_total', 'Executed turns by the status they ended with', [
    'status',
  ]);
  const queueSide = openQueueSide(platform, 'flow-builder', starting.life);
  const reports = createGroupedOutbox({ pool: platform.pool, outbox: queueSide.outbox });
  starting.life.onStop('turn reports', () => reports.close());
  return {
    ...platform,
    ...queueSide,
    db,
    reports,
    transact: transactWith(db),
    runnableFlows: createRunnableFlows(platform),
    countTurn: (status) => turns.inc({ status }),
  };
}
