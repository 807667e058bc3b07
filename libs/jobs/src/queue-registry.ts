// All queues of Parley. Metrics, the operators' dashboard, the autoscaling of workers (k8s/) and
// the alerts derive from this table.
import type { ServiceName } from '@parley/server/runtime';

export interface QueueRow {
  /** The service that consumes its jobs. */
  readonly service: ServiceName;
  /** Concurrent jobs in one process. */
  readonly concurrency: number;
}

/** Messages that can share a transaction: as many as BullMQ delivers while one runs. */
const EVENTS_AT_ONCE = 200;
/** A message is one short transaction. More of them would take connections from the deliveries. */
const MESSAGES_AT_ONCE = 4;
/** Jobs that claim rows and pass them on. More would only wait for the same connections. */
const CLAIMS_AT_ONCE = 6;
/** Concurrent jobs share a claim: as many as it may take. */
const SHARED_CLAIMS_AT_ONCE = 20;
/** Acknowledgements are deletes by primary key: two concurrent ones keep up with any consumer. */
const ACKS_AT_ONCE = 2;

export const queueRegistry = {
  'conversation-events': { service: 'voice-api', concurrency: EVENTS_AT_ONCE },
  'webhook-deliveries': { service: 'voice-api', concurrency: CLAIMS_AT_ONCE },
  'notification-sends': { service: 'notifications', concurrency: MESSAGES_AT_ONCE },
  'chat-sends': { service: 'notifications', concurrency: SHARED_CLAIMS_AT_ONCE },
  'email-jobs': { service: 'notifications', concurrency: SHARED_CLAIMS_AT_ONCE },
  'webhook-sends': { service: 'notifications', concurrency: SHARED_CLAIMS_AT_ONCE },
  'push-sends': { service: 'notifications', concurrency: SHARED_CLAIMS_AT_ONCE },
  'push-chunks': { service: 'notifications', concurrency: CLAIMS_AT_ONCE },
  'topic-sends': { service: 'notifications', concurrency: CLAIMS_AT_ONCE },
  // One queue for each producer, so that a service sees only acknowledgements of its own messages.
  'outbox-acks.flow-builder': { service: 'flow-builder', concurrency: ACKS_AT_ONCE },
  'outbox-acks.voice-api': { service: 'voice-api', concurrency: ACKS_AT_ONCE },
  'outbox-acks.notifications': { service: 'notifications', concurrency: ACKS_AT_ONCE },
} as const satisfies Record<string, QueueRow>;

export type QueueName = keyof typeof queueRegistry;
export const QUEUE_NAMES = Object.keys(queueRegistry) as QueueName[];

/** The queues that a service consumes. */
export function listQueues(service: ServiceName): QueueName[] {
  return QUEUE_NAMES.filter((name) => queueRegistry[name].service === service);
}
