// Messages between the services, and the queues that carry them and every service's own jobs. See README.md.
export { acknowledgement, type Acknowledgement } from './messages/acks.ts';
export {
  contracts,
  isContractName,
  PARTIES,
  SERVICES,
  type ContractName,
  type ContractRow,
  type Party,
  type Payload,
  type PayloadInput,
  type Service,
} from './messages/contracts.ts';
export { connectRedis } from './engine/connect-redis.ts';
export type { Engine, EngineOptions } from './engine/engine.ts';
export { envelope, PAYLOAD_BYTES_MAX, type Envelope, type Trace } from './messages/envelope.ts';
export { createMessageKeys, type MessageKeys, type MessageKeysOptions } from './messages/message-keys.ts';
export {
  createGroupedOutbox,
  type GroupedOutbox,
  type GroupedOutboxOptions,
} from './messages/grouped-outbox.ts';
export {
  createInbox,
  type Effect,
  type GatheredEffect,
  type GatheredMessage,
  type Inbox,
  type InboxOptions,
  type MessageContext,
} from './messages/inbox.ts';
export { trimInbox } from './messages/inbox-rows.ts';
export { jobIdOf, type JobKind } from './job-kind.ts';
export { openEngine } from './engine/open-engine.ts';
export {
  createOutbox,
  createOutboxWriter,
  type Enqueued,
  type Outbox,
  type OutboxOptions,
  type Outgoing,
} from './messages/outbox.ts';
export {
  CHANNEL_NAMES,
  conversationEvent,
  isForEverybody,
  CONVERSATION_EVENT_TYPES,
  TOOL_EVENT_TYPES,
  notifyRequest,
  serviceNotifyRequest,
  signingSecrets,
  webhookDelivery,
  type ChannelName,
  type ConversationEvent,
  type NotifyRequest,
  type WebhookDelivery,
} from './messages/payloads.ts';
export type { Producer, Ring } from './producer.ts';
export { QUEUE_NAMES, queueRegistry, queuesOf, type QueueName, type QueueRow } from './queue-registry.ts';
export { queuesTouchedBy, redisRulesOf, redisUsersFile } from './redis-users.ts';
export { openQueues, type Queues, type QueuesOptions } from './queues.ts';
export type { JobOutcome, QueueRecorder } from './recorder.ts';
export {
  INBOX_KEPT_MS,
  MESSAGE_AGE_MAX_MS,
  ownFailureWaitMs,
  NEVER,
  RING_AGAIN_AFTER_MS,
  RING_FOR_MS,
  RING_WAIT_MAX_MS,
} from './work/ring.rules.ts';
export { readOutboxStats, type OutboxStats, type QueueStats } from './stats.ts';
export { sweepOutbox, tendOutbox, type TendOptions } from './messages/sweep-outbox.ts';
export { occasionally, persist, repeat, type Repeating, type RepeatOptions } from './timing.ts';
export { onJob, type JobContext, type QueueWorker, type Route, type WorkerOptions } from './worker.ts';
export type { QuarantinedMessage } from './messages/suspects.ts';
export { createCompany, type Company } from './work/company.ts';
export { createGroupCommit, type GroupCommit, type GroupCommitOptions } from './work/group-commit.ts';
export { laneOf, type Ended, type LaneEntry } from './work/lanes.ts';
export { DEFERRAL_MS_MAX } from './work/pacing.rules.ts';
export { createWorkInHand, type Claimed, type WorkEntry, type WorkInHand } from './work/work-in-hand.ts';
export { deathsOf, QUARANTINE_DEATHS, SUSPECT_DEATHS, type ByteBudget } from './work/work-statements.ts';
export {
  countQuarantined,
  listQuarantined,
  quarantineEnded,
  putBack,
  quarantines,
  type Quarantined,
} from './work/quarantines.ts';
export {
  createWorkTable,
  type Swept,
  type WorkJob,
  type WorkRow,
  type WorkTable,
  type WorkTableOptions,
} from './work/work-table.ts';
