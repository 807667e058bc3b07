// THE table of messages between services: read this first. Changes must be additive: a stored
// sample of every payload version (test/samples) must still parse.
import type { z } from 'zod';
import { SERVICES, type ServiceName as Service } from '@parley/server/runtime';
import type { QueueName } from '../queue-registry.ts';
import {
  conversationErased,
  conversationEvent,
  notifyRequest,
  personErased,
  serviceNotifyRequest,
  webhookDelivery,
} from './payloads.ts';

/** The services, as messages and acknowledgement queues name them. */
export { SERVICES, type Service };

/**
 * Possible senders: the services, and the media runtimes, which add events directly and have no
 * outbox.
 */
export const PARTIES = [...SERVICES, 'media-runtime'] as const;
export type Party = (typeof PARTIES)[number];

export interface ContractRow {
  /** The BullMQ queue. It may also carry the consumer's own jobs. */
  readonly queue: QueueName;
  readonly payload: z.ZodType;
  /** What producers may send, where the consumer parses more and refuses it itself. */
  readonly outgoing?: z.ZodType;
  /**
   * How often BullMQ retries a job when *our* side fails. Afterwards the outbox re-enqueues the
   * message.
   */
  readonly attempts: number;
  /** Timeout of one attempt (ms). */
  readonly timeoutMs: number;
  /**
   * How many messages may share their first job. Default: one. Only where the consumer applies them
   * in groups (`consumeGathered`).
   */
  readonly jobMessagesMax?: number;
  /** Encrypted under QUEUE_KEY before it enters the outbox or the queue. */
  readonly sealed: boolean;
  /** Allowed senders. The consumer refuses messages of others, even with a valid signature. */
  readonly producers: readonly Party[];
  readonly consumer: Service;
  readonly docs: string;
}

/**
 * Eight attempts with doubling waits from 0.5 s take about a minute. The sweeper covers longer
 * outages.
 */
const ATTEMPTS = 8;
/**
 * A message is one short transaction. More than a query's limit (15 s) means that Postgres hangs.
 */
const TIMEOUT_MS = 20_000;

export const contracts = {
  'conversation.event': {
    queue: 'conversation-events',
    payload: conversationEvent,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
    jobMessagesMax: 50,
    sealed: false,
    producers: ['flow-builder', 'media-runtime'],
    consumer: 'voice-api',
    docs: 'A conversation event. Media runtimes inside the cluster may add it directly, without the guarantees of an outbox.',
  },
  'webhook.deliver': {
    queue: 'webhook-deliveries',
    payload: webhookDelivery,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
    sealed: true,
    producers: ['flow-builder', 'notifications'],
    consumer: 'voice-api',
    docs: 'A one-off delivery: for a webhook node of a finished flow, or for the callback of a notification. Sealed, because address, headers and signing secrets belong to the customer.',
  },
  'notification.send': {
    queue: 'notification-sends',
    payload: notifyRequest,
    outgoing: serviceNotifyRequest,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
    sealed: false,
    producers: ['flow-builder', 'voice-api'],
    consumer: 'notifications',
    docs: 'A notification for an organisation: an alert or a conversation error. Secrets by value and targets that address everybody are refused.',
  },
  'person.erased': {
    queue: 'notification-sends',
    payload: personErased,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
    sealed: true,
    producers: ['voice-api'],
    consumer: 'notifications',
    docs: 'A caller was erased: notifications erase the recipient, inbox and devices of the same person. Repeating it is harmless. Sealed, because it names the person.',
  },
  'conversation.erased': {
    queue: 'outbox-acks.flow-builder',
    payload: conversationErased,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
    sealed: false,
    producers: ['voice-api'],
    consumer: 'flow-builder',
    docs: 'Conversations were erased: the flow builder deletes the messages about them that it still stores. Shares the queue of acknowledgements, which carries the other work on these rows.',
  },
} as const satisfies Record<string, ContractRow>;

export type ContractName = keyof typeof contracts;
/** The payload that a consumer gets. */
export type Payload<Name extends ContractName> = z.output<(typeof contracts)[Name]['payload']>;
/** The payload that a producer passes. */
export type PayloadInput<Name extends ContractName> = z.input<(typeof contracts)[Name]['payload']>;

export function isContractName(name: string): name is ContractName {
  return Object.hasOwn(contracts, name);
}
