// Wire shapes of deliveries (docs/voice-api.md#delivery-log).
import { z } from 'zod';
import { pageQuery, voiceApiDialect } from '@parley/envelopes';
import { ERROR_CLASSES } from '@parley/outbound';
import { EVENT_TYPES } from '../conversation-model/event-types.ts';
import { webhookEvent } from '../webhook-format/webhook-events.ts';
import { deliveryKind, deliveryStatus } from './delivery.rules.ts';

const { timeSchema: time, timeInput } = voiceApiDialect;

export const deliveryParams = z.strictObject({
  webhook_id: z.string().max(255),
  delivery_id: z.string().max(64),
});
export const deliveryOfAllParams = z.strictObject({ delivery_id: z.string().max(64) });
export const testRequest = z
  .strictObject({ event: z.enum(EVENT_TYPES).default('conversation.ended') })
  .meta({ id: 'WebhookTest' });

/** Of one webhook. */
export const deliveryListQuery = z.strictObject({
  ...pageQuery(),
  status: deliveryStatus.optional(),
  event: z.enum(EVENT_TYPES).optional(),
  since: timeInput.optional().describe('Created at or after this time'),
  until: timeInput.optional().describe('Created before this time'),
  conversation_id: z.string().max(255).optional(),
  http_status: z.coerce
    .number()
    .int()
    .min(100)
    .max(599)
    .optional()
    .describe('Status of an answer to one of the attempts'),
  event_id: z.string().max(64).optional().describe('`id` of the event'),
  error_class: z.enum(ERROR_CLASSES).optional().describe('Error class of a failed attempt'),
});
export const allDeliveriesQuery = deliveryListQuery.extend({ webhook_id: z.string().max(64).optional() });
export type AllDeliveriesQuery = z.output<typeof allDeliveriesQuery>;
export const deliveryFilter = allDeliveriesQuery
  .omit({ limit: true, cursor: true })
  .meta({ id: 'DeliveryFilter', description: 'All given conditions must match' });
export type DeliveryFilter = z.output<typeof deliveryFilter>;
export type DeliveryListQuery = z.output<typeof deliveryListQuery>;

const deliveryMembers = {
  id: z.string(),
  webhook_id: z.string().nullable(),
  event_id: z.string().describe('`id` of the event, the same in all redeliveries'),
  event: z.string(),
  kind: deliveryKind.describe(
    '`replay`: a redelivery on request, with one attempt that never disables the webhook',
  ),
  status: deliveryStatus,
  attempts: z.int(),
  next_attempt_at: time.nullable(),
  replay_of: z.string().nullable(),
  created_at: time,
  finished_at: time.nullable(),
};
export const delivery = z.strictObject(deliveryMembers).meta({ id: 'Delivery' });

export const listedDelivery = z
  .strictObject({
    ...deliveryMembers,
    last_failure: z
      .strictObject({ status: z.int().nullable(), error_class: z.enum(ERROR_CLASSES) })
      .nullable()
      .describe('Of the newest attempt; null when it succeeded, or none was made'),
  })
  .meta({ id: 'ListedDelivery' });

const shownHeaders = z.record(z.string(), z.string()).nullable();

export const deliveryAttempt = z
  .strictObject({
    attempt: z.int(),
    at: time,
    status: z.int().nullable().describe('HTTP status, if an answer began'),
    error_class: z.enum(ERROR_CLASSES).nullable().describe('Null after success'),
    message: z.string().nullable(),
    ms: z.int(),
    url: z.string().nullable().describe('The requested URL'),
    request_headers: shownHeaders.describe(
      'Sent headers; signatures and the values of your own headers are masked',
    ),
    response_headers: shownHeaders.describe('The first 4 KiB; possible credentials are masked'),
    timings: z
      .strictObject({
        dns_ms: z.int().nullable(),
        connect_ms: z.int().nullable(),
        tls_ms: z.int().nullable(),
        first_byte_ms: z.int().nullable().describe('From the start of the attempt'),
      })
      .nullable()
      .describe('A part is null if the connection was already open or the attempt did not get that far'),
    answer: z.string().nullable().describe('The first 4 KiB of the answer'),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliveryDetail = z
  .strictObject({
    ...deliveryMembers,
    body: webhookEvent.nullable().describe('Without `signature`; null when it is no longer stored'),
    attempt_log: z.array(deliveryAttempt).describe('Oldest first'),
  })
  .meta({ id: 'DeliveryDetail' });

export const testResult = z
  .strictObject({
    delivery_id: z.string(),
    event_id: z.string(),
    delivered: z.boolean(),
    attempt: deliveryAttempt,
  })
  .meta({ id: 'WebhookTestResult' });

export const replayRequest = z
  .strictObject({
    since: timeInput.describe('Deliveries created at or after this time'),
    until: timeInput.describe('Deliveries created before this time'),
    status: z
      .enum(['delivered', 'skipped', 'superseded', 'exhausted', 'canceled'])
      .optional()
      .describe('Default: skipped and exhausted deliveries whose event has not arrived since'),
    event: z.enum(EVENT_TYPES).optional(),
    dry_run: z.boolean().default(false).describe('Only count the matching events'),
  })
  .refine((body) => body.since < body.until, { path: ['until'], message: 'must be after since' })
  .meta({ id: 'Replay' });
export type ReplayRequest = z.output<typeof replayRequest>;

export const replayResult = z
  .strictObject({ matched: z.int(), replayed: z.int(), dry_run: z.boolean() })
  .meta({ id: 'ReplayResult' });
