// Acknowledgements: ids of messages whose effect is committed, in batches, to the queue of their producer (platform §1).
// Collected by inbox.ts, worked off by sweep-outbox.ts.
import { z } from 'zod';
import type { Ids } from '@parley/runtime';
import { ackQueueOf, type Service } from './contracts.ts';
import type { JobKind } from '../job-kind.ts';
import type { Queues } from '../queues.ts';

/** Ids in one acknowledgement: about 6 KB, one DELETE. */
const ACK_IDS_MAX = 200;
/** How long the first id of a batch waits for company. */
const ACK_AFTER_MS = 5;

/** Stored samples of it are in test/samples/outbox-acks. */
export const acknowledgement = z.object({
  message_ids: z.array(z.string().min(1).max(128)).min(1).max(ACK_IDS_MAX),
});
export type Acknowledgement = z.output<typeof acknowledgement>;

export function ackKind(producer: Service): JobKind<Acknowledgement> {
  // A lost acknowledgement costs one more ring: a few tries are plenty.
  return {
    name: 'outbox.ack',
    queue: ackQueueOf(producer),
    payload: acknowledgement,
    attempts: 5,
    timeoutMs: 20_000,
  };
}

export interface Acks {
  /** To be called when the effect is committed. Never throws; an acknowledgement that gets lost is asked for again. */
  add(producer: Service, messageId: string): void;
  /** Sends what is collected, and waits for what is being sent. */
  close(): Promise<void>;
}

export function createAcks(queues: Queues, ids: Ids): Acks {
  const collected = new Map<Service, string[]>();
  const sending = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;

  function send(producer: Service, messageIds: string[]): void {
    collected.delete(producer);
    const payload = { message_ids: messageIds };
    const sent = queues.producer(ackKind(producer)).ring([{ row: ids('ack'), attempt: 1, ring: 0, payload }]);
    sending.add(sent);
    void sent.then(() => sending.delete(sent));
  }

  function sendAll(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [producer, messageIds] of collected) send(producer, messageIds);
  }

  return {
    add: (producer, messageId) => {
      const batch = collected.get(producer) ?? [];
      batch.push(messageId);
      collected.set(producer, batch);
      if (batch.length >= ACK_IDS_MAX) send(producer, batch);
      else timer ??= setTimeout(sendAll, ACK_AFTER_MS);
    },
    close: async () => {
      sendAll();
      await Promise.all(sending);
    },
  };
}
