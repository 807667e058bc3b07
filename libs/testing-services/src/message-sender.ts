// A flow builder as far as its messages go: an outbox of its own beside a consumer's tables, and
// the queue that they share.
import {
  createGroupedOutbox,
  createMessageKeys,
  createOutbox,
  openQueues,
  startOutboxSweeper,
} from '@parley/jobs';
import { createPool } from '@parley/server/postgres';
import { createIds, createLog, createSealer, createSecrets, Secret } from '@parley/server/runtime';

export interface MessageSender {
  /**
   * Commits events of conversations (payloads of `conversation.event`) and enqueues their jobs. So
   * many are under way at once.
   */
  send(organizationId: string, events: readonly never[], atOnce: number): Promise<void>;
  close(): Promise<void>;
}

/** `databaseUrl` is a consumer's: the outbox gets a schema of its own there. */
export async function openMessageSender(
  databaseUrl: string,
  queueUrl: string,
  secretFile: (name: string) => string,
): Promise<MessageSender> {
  const clock = Date.now;
  const log = createLog({ service: 'sender', level: 'error' });
  const url = new URL(databaseUrl);
  url.searchParams.set('options', '-c search_path=sender');
  const pool = createPool({ url: new Secret(url.href), applicationName: 'sender', connectionsMax: 4, log });
  await pool.query('CREATE SCHEMA sender; CREATE TABLE sender.outbox (LIKE public.outbox INCLUDING ALL)');
  const secrets = createSecrets({ env: {}, clock });
  const messageKeys = await createMessageKeys(
    secrets,
    secretFile('message-keys-flow-builder'),
    'flow-builder',
  );
  const sealer = await createSealer(secrets, secretFile('queue-key'));
  const queues = openQueues({ url: new Secret(queueUrl), prefix: 'parley', clock, log });
  const options = { service: 'flow-builder', pool, queues, messageKeys, clock, log } as const;
  const outbox = createOutbox({ ...options, sealer, ids: createIds() });
  const grouped = createGroupedOutbox({ pool, outbox });
  const sweeper = startOutboxSweeper(options);
  return {
    send: async (organizationId, events, atOnce) => {
      for (let from = 0; from < events.length; from += atOnce)
        await Promise.all(
          events
            .slice(from, from + atOnce)
            .map((payload) => grouped.send([{ contract: 'conversation.event', organizationId, payload }])),
        );
      await outbox.close();
    },
    close: async () => {
      await sweeper.close();
      await grouped.close();
      await outbox.close();
      await queues.close();
      await pool.end();
    },
  };
}
