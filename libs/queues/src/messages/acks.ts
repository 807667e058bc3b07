// Acknowledgements: ids of messages whose effect is committed, in batches, to the queue of their producer
// (docs/platform.md#messages-between-services).
import { z } from 'zod';
import { ignoreFailure, type Ids, type Log } from '@parley/runtime';
import type { JobKind } from '../job-kind.ts';
import type { Queues } from '../queues.ts';
import { createGroupCommit, type GroupCommit } from '../work/group-commit.ts';
import { SERVICES, type Service } from './contracts.ts';
import type { MessageKeys, SignedFacts } from './message-keys.ts';

/** Ids in one acknowledgement: about 6 KB, one DELETE. */
const ACK_IDS_MAX = 200;
/** How long the first id of a batch waits for company. */
const ACK_AFTER_MS = 5;

/** Stored samples of it are in test/samples/outbox-acks. */
export const acknowledgement = z.object({
  message_ids: z.array(z.string().min(1).max(128)).min(1).max(ACK_IDS_MAX),
  /** The consumer. Absent in what a release before signatures sent. */
  from: z.enum(SERVICES).optional(),
  mac: z.string().max(128).optional(),
});
export type Acknowledgement = z.output<typeof acknowledgement>;

/** What of an acknowledgement is authenticated: without it anybody could make a producer forget messages. */
export function signedPart(
  { from, message_ids: ids }: Pick<Acknowledgement, 'from' | 'message_ids'>,
  producer: Service,
): [facts: SignedFacts, text: string] {
  return [['outbox.ack', from ?? producer, producer], JSON.stringify(ids)];
}

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

export interface AcksOptions {
  /** The consumer, whose acknowledgements they are. */
  readonly service: Service;
  readonly queues: Queues;
  readonly messageKeys: MessageKeys;
  readonly ids: Ids;
  readonly log: Log;
}

export function createAcks({ service, queues, messageKeys, ids, log }: AcksOptions): Acks {
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
          const ack = { from: service, message_ids: [...messageIds] };
          const mac = (await messageKeys.current()).sign(...signedPart(ack, producer));
          await acks.ring([{ row: ids('ack'), attempt: 1, ring: 0, payload: { ...ack, mac } }]);
        },
      });
      groups.set(producer, group);
    }
    return group;
  }

  return {
    add: (producer, messageId) =>
      void ignoreFailure(groupOf(producer).add(messageId), 'the acknowledgement is asked for again', log),
    close: async () => {
      await Promise.all([...groups.values()].map((group) => group.close()));
    },
  };
}
