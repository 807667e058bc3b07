// THE table of what crosses a service border: read this first. Everything else in this library serves it.
// A change here is additive: a stored sample of every payload version (test/samples) must still parse.
import type { z } from 'zod';
import { SERVICES, type ServiceName as Service } from '@parley/runtime';
import type { QueueName } from '../queue-registry.ts';
import { conversationEvent, notifyRequest, serviceNotifyRequest, webhookDelivery } from './payloads.ts';

/** The services, as they stand in messages and in the names of their acknowledgement queues. */
export { SERVICES, type Service };

/** Who may send: the services, and the media runtimes of the installation, which add events directly and have no outbox. */
export const PARTIES = [...SERVICES, 'media-runtime'] as const;
export type Party = (typeof PARTIES)[number];

export interface ContractRow {
  /** The BullMQ queue; it may carry jobs of the consumer's own beside the messages. */
  readonly queue: QueueName;
  readonly payload: z.ZodType;
  /** What may be sent, where that is less than what `payload` still accepts from earlier releases. */
  readonly outgoing?: z.ZodType;
  /** How often BullMQ repeats one ring when *our* side fails; afterwards the outbox rings again. */
  readonly attempts: number;
  /** One attempt may take this long; then it counts as failed. */
  readonly timeoutMs: number;
  /** Encrypted under QUEUE_KEY before it enters the outbox or the queue. */
  readonly sealed: boolean;
  /** Who may send it: a message of anybody else is refused, whatever key it is signed with. */
  readonly producers: readonly Party[];
  /** Producers that may start without a key for the consumer: a release before this one had none. They send nothing then. */
  readonly keyOptionalFor?: readonly Service[];
  readonly consumer: Service;
  readonly docs: string;
}

/** Eight tries with doubling waits from 0.5 s are about one minute: longer outages are the sweeper's, not BullMQ's. */
const ATTEMPTS = 8;
/** One transaction of a few statements; longer than the pool's limit for a single query (15 s) means that Postgres hangs. */
const TIMEOUT_MS = 20_000;

export const contracts = {
  'conversation.event': {
    queue: 'conversation-events',
    payload: conversationEvent,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
    sealed: false,
    producers: ['flow-builder', 'media-runtime'],
    consumer: 'voice-api',
    docs: 'A fact of a conversation (voice-api §2). Media runtimes inside the cluster may add it directly, without the promise of an outbox.',
  },
  'webhook.deliver': {
    queue: 'webhook-deliveries',
    payload: webhookDelivery,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
    sealed: true,
    producers: ['flow-builder', 'notifications'],
    consumer: 'voice-api',
    docs: 'One delivery to an address: of a webhook node of a finished flow (flow-builder §5), or of the callback of a notification. Sealed: address, headers and signing secrets are the customer’s.',
  },
  'notification.send': {
    queue: 'notification-sends',
    payload: notifyRequest,
    outgoing: serviceNotifyRequest,
    attempts: ATTEMPTS,
    timeoutMs: TIMEOUT_MS,
    sealed: false,
    producers: ['flow-builder', 'voice-api'],
    keyOptionalFor: ['flow-builder'],
    consumer: 'notifications',
    docs: 'A NotifyRequest for an organisation: an alert, a conversation error. Secrets by value are refused, and targets that are everybody.',
  },
} as const satisfies Record<string, ContractRow>;

export type ContractName = keyof typeof contracts;
/** The payload as a consumer gets it. */
export type Payload<Name extends ContractName> = z.output<(typeof contracts)[Name]['payload']>;
/** The payload as a producer gives it. */
export type PayloadInput<Name extends ContractName> = z.input<(typeof contracts)[Name]['payload']>;

export function isContractName(name: string): name is ContractName {
  return Object.hasOwn(contracts, name);
}
