// What the use cases of notifications work with. Built once, in main.ts or in a test.
import {
  createPlatform,
  openQueueSide,
  transactWith,
  type Platform,
  type QueueSide,
  type Transact,
} from '@parley/platform';
import { prismaAdapter } from '@parley/postgres';
import type { Starting } from '@parley/runtime';
import { PrismaClient, type Prisma } from '@parley/store-notifications';
import type { Config } from './config.ts';

export type Tx = Prisma.TransactionClient;

export interface Deps extends Platform<Config>, QueueSide {
  readonly db: PrismaClient;
  /** Runs work in one transaction, through Prisma and through plain SQL. */
  readonly transact: Transact<Tx>;
}

export async function createDeps(starting: Starting<Config>): Promise<Deps> {
  const platform = await createPlatform({ name: 'notifications', product: 'nt' }, starting);
  const db = new PrismaClient({ adapter: prismaAdapter(platform.pool) });
  starting.life.onStop('prisma', () => db.$disconnect());
  return {
    ...platform,
    ...openQueueSide(platform, 'notifications', starting.life),
    db,
    transact: transactWith(db),
  };
}
