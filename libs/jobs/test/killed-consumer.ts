// A consumer in its own process, which is killed in the middle of a message.
import { createPool } from '@parley/server/postgres';
import { createIds, createLog, createSealer, createSecrets, Secret } from '@parley/server/runtime';
import { createInbox, openQueues } from '../src/index.ts';
import { messageKeysOf, writeEffect } from './bench.ts';

export interface KilledConsumerSettings {
  readonly url: string;
  readonly prefix: string;
  readonly databaseUrl: string;
  readonly keyring: string;
  readonly leaseMs: number;
  readonly dies: 'before commit' | 'after commit' | 'of poison' | 'between messages';
}

const settings = JSON.parse(process.argv[2] ?? '') as KilledConsumerSettings;
const log = createLog({ service: 'killed', level: 'warn' });
const clock = Date.now;
const { url, prefix, databaseUrl, leaseMs, dies } = settings;
const sealer = await createSealer(createSecrets({ env: { KEY: settings.keyring }, clock }), 'env://KEY');
const pool = createPool({ url: new Secret(databaseUrl), applicationName: 'killed', connectionsMax: 2, log });
const queues = openQueues({ url: new Secret(url), prefix, clock, log });
const inbox = createInbox({
  service: 'voice-api',
  pool,
  queues,
  sealer,
  messageKeys: await messageKeysOf('voice-api'),
  ids: createIds(),
  clock,
  log,
});
const die = () => process.kill(process.pid, 'SIGKILL');
const consumeOne = () =>
  inbox.consume('conversation.event', async (sql, payload, context) => {
    await writeEffect(sql, payload, context);
    if (dies === 'before commit' || (dies === 'of poison' && payload.id === 'poison')) die();
    if (dies === 'after commit') context.afterCommit(die);
  });
let applied = 0;
/** Messages are not applied together, so each gets a transaction, in order: after two it dies. */
const consumeTwo = () =>
  inbox.consumeGathered('conversation.event', async (sql, [first, ...others]) => {
    if (others.length > 0) throw new Error('not together');
    await writeEffect(sql, first!.payload, first!.context);
    applied += 1;
    if (applied === 2) first!.context.afterCommit(die);
    return [undefined];
  });
queues.worker('conversation-events', [dies === 'between messages' ? consumeTwo() : consumeOne()], {
  concurrency: dies === 'of poison' ? 10 : 1,
  leaseMs,
});
