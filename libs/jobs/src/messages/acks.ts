// Sends acknowledgements: batches of ids of committed messages, to the queue of their producer
// (docs/platform.md#messages-between-services).
import { z } from 'zod';
import {
  ignoreFailure,
  createGroupCommit,
  type Ids,
  type Log,
  type GroupCommit,
} from '@parley/server/runtime';
import type { JobKind } from '../job-kind.ts';
import type { Queues } from '../queues.ts';
import { SERVICES, type Service } from './contracts.ts';
import type { MessageKeys, SignedFacts } from './message-keys.ts';

/** Ids in one acknowledgement: about 6 KB, one DELETE. */
const ACK_IDS_MAX = 200;
/** How long the first id of a batch waits for more ids. */
const ACK_AFTER_MS = 5;

/** test/samples/outbox-acks stores samples. */
export const acknowledgement = z.object({
  message_ids: z.array(z.string().min(1).max(128)).min(1).max(ACK_IDS_MAX),
  /** The consumer. Absent in acknowledgements of releases that did not sign. */
  from: z.enum(SERVICES).optional(),
  mac: z.string().max(128).optional(),
  /**
   * Those of `message_ids` that were refused: the producer stores no handover of them. Not signed,
   * because a forged one only costs a stored copy.
   */
  refused: z.array(z.string().min(1).max(128)).max(ACK_IDS_MAX).optional(),
});
export type Acknowledgement = z.output<typeof acknowledgement>;

/**
 * The authenticated part of an acknowledgement: without it any client could make a producer delete
 * messages.
 */
export function toSignedPart(
  { from, message_ids: ids }: Pick<Acknowledgement, 'from' | 'message_ids'>,
  producer: Service,
): [facts: SignedFacts, text: string] {
  return [['outbox.ack', from ?? producer, producer], JSON.stringify(ids)];
}

export function ackKind(producer: Service): JobKind<Acknowledgement> {
  // A lost acknowledgement costs one re-enqueue, so a few attempts suffice.
  return {
    name: 'outbox.ack',
    queue: `outbox-acks.${producer}`,
    payload: acknowledgement,
    attempts: 5,
    timeoutMs: 20_000,
  };
}

export interface Acks {
  /**
   * Call it when the effect is committed. Never throws; the consumer acknowledges again after a
   * loss.
   */
  add(producer: Service, messageId: string, isRefused?: boolean): void;
  /** Sends the collected ids and waits until they are sent. */
  close(): Promise<void>;
}

export interface AcksOptions {
  /** The consumer. */
  readonly service: Service;
  readonly queues: Queues;
  readonly messageKeys: MessageKeys;
  readonly ids: Ids;
  readonly log: Log;
}

interface AckedMessage {
  readonly id: string;
  readonly isRefused: boolean;
}

export function createAcks({ service, queues, messageKeys, ids, log }: AcksOptions): Acks {
  const groups = new Map<Service, GroupCommit<AckedMessage, void>>();

  function openGroup(producer: Service): GroupCommit<AckedMessage, void> {
    let group = groups.get(producer);
    if (!group) {
      const acks = queues.producer(ackKind(producer));
      group = createGroupCommit<AckedMessage>({
        groupMax: ACK_IDS_MAX,
        waitMs: ACK_AFTER_MS,
        writersMax: Infinity,
        write: async (messages) => {
          const refused = messages.filter(({ isRefused }) => isRefused).map(({ id }) => id);
          const ack = {
            from: service,
            message_ids: messages.map(({ id }) => id),
            ...(refused.length > 0 ? { refused } : {}),
          };
          const mac = (await messageKeys.current()).sign(...toSignedPart(ack, producer));
          await acks.enqueue([{ row: ids('ack'), attempt: 1, enqueueNumber: 0, payload: { ...ack, mac } }]);
        },
      });
      groups.set(producer, group);
    }
    return group;
  }

  return {
    add: (producer, id, isRefused = false) =>
      void ignoreFailure(
        openGroup(producer).add({ id, isRefused }),
        'the message is acknowledged again after its next re-enqueue',
        log,
      ),
    close: async () => {
      await Promise.all([...groups.values()].map((group) => group.close()));
    },
  };
}
