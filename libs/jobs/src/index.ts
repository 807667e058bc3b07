// Messages between the services, and the queues for them and for each service's own jobs. See
// README.md.
export { acknowledgement } from './messages/acks.ts';
export {
  contracts,
  PARTIES,
  SERVICES,
  type Party,
  type Payload,
  type Service,
} from './messages/contracts.ts';
export type { Engine } from './engine/engine.ts';
export { envelope, PAYLOAD_BYTES_MAX, type Envelope, type Trace } from './messages/envelope.ts';
export { createMessageKeys, type MessageKeys } from './messages/message-keys.ts';
export { createGroupedOutbox, type GroupedOutbox } from './messages/grouped-outbox.ts';
export { eraseHandovers, listProducers, replayHandovers, trimHandovers } from './messages/handover.ts';
export { createInbox, type Inbox, type InboxOptions } from './messages/inbox.ts';
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
  type OutgoingMessage,
} from './messages/outbox.ts';
export {
  CHANNEL_NAMES,
  conversationEvent,
  ERASED_IDS_MAX,
  isForEverybody,
  CONVERSATION_EVENT_TYPES,
  serviceNotifyRequest,
  signingSecrets,
  webhookDelivery,
  type ChannelName,
  type ConversationEvent,
  type NotifyRequest,
  type WebhookDelivery,
} from './messages/payloads.ts';
export { QUEUE_NAMES, listQueues, type QueueName } from './queue-registry.ts';
export { listAccessibleQueues, buildRedisRules, buildRedisUsersFile } from './redis-users.ts';
export { openQueues, type Queues } from './queues.ts';
export type { JobOutcome, QueueRecorder } from './recorder.ts';
export {
  INBOX_RETENTION_MS,
  computeFailureWaitMs,
  NEVER,
  REENQUEUE_AFTER_MS,
  REENQUEUE_FOR_MS,
  REENQUEUE_WAIT_MS_MAX,
} from './reenqueue.rules.ts';
export { readOutboxStats, type QueueStats } from './stats.ts';
export { sweepOutbox, startOutboxSweeper } from './messages/sweep-outbox.ts';
export { onJob, type JobContext, type Route, type WorkerOptions } from './worker.ts';
export { createCrashIsolation } from './isolation/crash-isolation.ts';
export { computeLaneKey, type AttemptTiming } from './work/lanes.ts';
export { DEFERRAL_MS_MAX } from './work/pacing.rules.ts';
export type { Claim, WorkEntry, WorkInFlight } from './work/work-entries.ts';
export { claimEach, createWorkInFlight } from './work/work-in-flight.ts';
export { deathsSql, QUARANTINE_DEATHS, ISOLATION_DEATHS } from './isolation/deaths.ts';
export {
  countQuarantined,
  listQuarantined,
  quarantineEndedSql,
  releaseQuarantined,
  quarantines,
} from './isolation/quarantines.ts';
export type { WorkJob, WorkRow, WorkTable, WorkTableOptions } from './work/work-rows.ts';
export { createWorkTable, toRowJob } from './work/work-table.ts';
