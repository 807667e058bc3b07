// Messages between the services, and the queues for them and for each service's own jobs. See
// README.md.
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
export type { Engine, EngineOptions } from './engine/engine.ts';
export { envelope, PAYLOAD_BYTES_MAX, type Envelope, type Trace } from './messages/envelope.ts';
export { createMessageKeys, type MessageKeys } from './messages/message-keys.ts';
export {
  createGroupedOutbox,
  type GroupedOutbox,
  type GroupedOutboxOptions,
} from './messages/grouped-outbox.ts';
export { createInbox, type Inbox, type InboxOptions, type QuarantinedMessage } from './messages/inbox.ts';
export {
  trimInbox,
  type Effect,
  type GatheredEffect,
  type GatheredMessage,
  type MessageContext,
} from './messages/apply-messages.ts';
export { buildJobId, type JobKind } from './job-kind.ts';
export { openEngine } from './engine/open-engine.ts';
export {
  createOutbox,
  createOutboxWriter,
  type WrittenMessages,
  type Outbox,
  type OutboxOptions,
  type OutgoingMessage,
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
export type { Producer, NewJob } from './producer.ts';
export { QUEUE_NAMES, queueRegistry, listQueues, type QueueName, type QueueRow } from './queue-registry.ts';
export { listAccessibleQueues, buildRedisRules, buildRedisUsersFile } from './redis-users.ts';
export { openQueues, type Queues, type QueuesOptions } from './queues.ts';
export type { JobOutcome, QueueRecorder } from './recorder.ts';
export {
  INBOX_RETENTION_MS,
  MESSAGE_AGE_MAX_MS,
  computeFailureWaitMs,
  NEVER,
  REENQUEUE_AFTER_MS,
  REENQUEUE_FOR_MS,
  REENQUEUE_WAIT_MS_MAX,
} from './reenqueue.rules.ts';
export { readOutboxStats, type OutboxStats, type QueueStats } from './stats.ts';
export { sweepOutbox, startOutboxSweeper, type OutboxSweeperOptions } from './messages/sweep-outbox.ts';
export { onJob, type JobContext, type QueueWorker, type Route, type WorkerOptions } from './worker.ts';
export { createCrashIsolation, type CrashIsolation } from './isolation/crash-isolation.ts';
export { computeLaneKey, type AttemptTiming, type LaneEntry } from './work/lanes.ts';
export { DEFERRAL_MS_MAX } from './work/pacing.rules.ts';
export type { Claim, WorkEntry, WorkInFlight } from './work/work-entries.ts';
export { createWorkInFlight } from './work/work-in-flight.ts';
export type { ByteBudget } from './work/work-statements.ts';
export { deathsSql, QUARANTINE_DEATHS, ISOLATION_DEATHS } from './isolation/deaths.ts';
export {
  countQuarantined,
  listQuarantined,
  quarantineEndedSql,
  releaseQuarantined,
  quarantines,
  type QuarantinedRow,
} from './isolation/quarantines.ts';
export type { SweepResult, WorkJob, WorkRow, WorkTable, WorkTableOptions } from './work/work-rows.ts';
export { createWorkTable } from './work/work-table.ts';
