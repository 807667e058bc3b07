// A consumer in its own process, which is killed in the middle of a message.
import { createPool } from '@parley/server/postgres';
import { createIds, createLog, createSealer, createSecrets, Secret } from '@parley/server/runtime';
import { createInbox, openQueues } from '../src/index.ts';
import { messageKeysOf } from './bench.ts';

export interface KilledConsumerSettings {
  readonly url: string;
  readonly prefix: string;
  readonly databaseUrl: string;
  readonly keyring: string;
  readonly leaseMs: number;
  readonly dies: 'before commit' | 'after commit' | 'of poison';
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
queues.worker(
  'conversation-events',
  [
    inbox.consume('conversation.event', async (sql, payload, context) => {
      await sql('INSERT INTO effects (message_id, event_id) VALUES ($1, $2)', [
        context.messageId,
        payload.id,
      ]);
      if (dies === 'before commit' || (dies === 'of poison' && payload.id === 'poison')) die();
      if (dies === 'after commit') context.afterCommit(die);
    }),
  ],
  { concurrency: dies === 'of poison' ? 10 : 1, leaseMs },
);
