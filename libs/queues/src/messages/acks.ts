// Acknowledgements: ids of messages whose effect is committed, in batches, to the queue of their producer
// (docs/platform.md#messages-between-services).
import { z } from 'zod';
import type { Ids } from '@parley/runtime';
import type { JobKind } from '../job-kind.ts';
import type { Queues } from '../queues.ts';
import { createGroupCommit, type GroupCommit } from '../work/group-commit.ts';
import type { Service } from './contracts.ts';

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
    queue: `outbox-acks.${producer}`,
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
  const groups = new Map<Service, GroupCommit<string, void>>();

  function groupOf(producer: Service): GroupCommit<string, void> {
    let group = groups.get(producer);
    if (!group) {
      const acks = queues.producer(ackKind(producer));
      group = createGroupCommit<string>({
        groupMax: ACK_IDS_MAX,
        waitMs: ACK_AFTER_MS,
        writersMax: Infinity,
        write: async (messageIds) => {
          await acks.ring([
            { row: ids('ack'), attempt: 1, ring: 0, payload: { message_ids: [...messageIds] } },
          ]);
        },
      });
      groups.set(producer, group);
    }
    return group;
  }

  return {
    add: (producer, messageId) => void groupOf(producer).add(messageId),
    close: async () => {
      await Promise.all([...groups.values()].map((group) => group.close()));
    },
  };
}
