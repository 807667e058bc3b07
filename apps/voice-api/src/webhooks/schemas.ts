// Wire shapes of webhooks and their deliveries (docs/voice-api.md#webhooks, docs/voice-api.md#delivery-log).
import { z } from 'zod';
import { members, pageQuery, voiceApiDialect } from '@parley/envelopes';
import { compileLoneCondition } from '@parley/flow-engine';
import { ERROR_CLASSES } from '@parley/outbound';
import { deliveryKind, deliveryStatus } from '../deliveries/delivery.rules.ts';
import { EVENT_TYPES } from './event-types.ts';
import { ANY_EVENT } from '../deliveries/plan-deliveries.rules.ts';
import { shownSettings, webhookHealth, webhookSettings } from './settings.schemas.ts';
import { anyEvent } from './told-events.ts';
import { VERIFY_REASONS } from './verify.rules.ts';

const DESCRIPTION_CHARS_MAX = 1_000;
/** A condition with a list of some hundred values. */
const FILTER_CHARS_MAX = 4_096;
/** Far above what the address check takes, which says better what is wrong. */
const URL_CHARS_MAX = 10_000;
const SECRET_CHARS_MAX = 256;
/** A week (docs/voice-api.md#signatures). */
const GRACE_SECONDS_MAX = 7 * 86_400;
const GRACE_SECONDS_DEFAULT = 86_400;
/** The largest body that a receiver can have got is one of ours, far below; what is pasted is not much longer. */
const VERIFIED_BODY_CHARS_MAX = 900_000;

const { timeSchema: time, timeInput } = voiceApiDialect;

const url = z
  .string()
  .min(1)
  .max(URL_CHARS_MAX)
  .describe('https address, at most 2,048 characters; checked here and at every connect');
const eventSelection = z
  .union(
    [
      z.tuple([z.literal(ANY_EVENT)]),
      z
        .array(z.enum(EVENT_TYPES))
        .min(1)
        .max(EVENT_TYPES.length)
        .refine((types) => new Set(types).size === types.length),
    ],
    `must be ["${ANY_EVENT}"], or one or more different ones of ${EVENT_TYPES.join(', ')}`,
  )
  .describe('Event types to receive, or ["*"] for all, future ones included');
const secret = z
  .string()
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
  .max(SECRET_CHARS_MAX)
  .describe('Signs deliveries. Made when left out: `whsec_` and 32 random bytes in base64');
const description = z.string().max(DESCRIPTION_CHARS_MAX);
const filter = z
  .strictObject({
    variable: z.string().min(1).max(FILTER_CHARS_MAX).describe('Path into `data`, such as metadata.plan'),
    op: z.string().min(1).max(32).optional().describe('An operator of the flow language'),
    value: z.unknown().optional(),
    case_sensitive: z.boolean().optional(),
  })
  .superRefine((condition, context) => {
    if (JSON.stringify(condition).length > FILTER_CHARS_MAX)
      return context.addIssue({ code: 'custom', message: `has more than ${FILTER_CHARS_MAX} characters` });
    const compiled = compileLoneCondition(condition);
    if (!compiled.ok) context.addIssue({ code: 'custom', message: compiled.problem });
  })
  .describe('Only events whose `data` meets it are delivered');

export const newWebhook = z
  .strictObject({
    url,
    events: eventSelection,
    filter: filter.optional(),
    secret: secret.optional(),
    description: description.optional(),
    ...webhookSettings,
  })
  .meta({ id: 'NewWebhook' });
export type NewWebhook = z.output<typeof newWebhook>;

export const webhookChange = z
  .strictObject({
    url: url.optional(),
    events: eventSelection.optional(),
    filter: filter.nullable().optional(),
    description: description.nullable().optional(),
    status: z.enum(['active', 'disabled']).optional(),
    ...webhookSettings,
  })
  .meta({ id: 'WebhookChange' });
export type WebhookChange = z.output<typeof webhookChange>;

const webhookMembers = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  filter: z.record(z.string(), z.unknown()).nullable(),
  description: z.string().nullable(),
  status: z.enum(['active', 'disabled']),
  disabled_at: time.nullable(),
  disabled_reason: z.string().nullable(),
  ...shownSettings,
  secret_hint: z.string().describe('The last characters of the secret'),
  previous_secret_until: time
    .nullable()
    .describe('End of the grace of a rotation: until then the old secret signs'),
  created_at: time,
  updated_at: time,
};
export const webhook = z.strictObject(webhookMembers).meta({ id: 'Webhook' });
export const webhookWithHealth = z
  .strictObject({ ...webhookMembers, health: webhookHealth })
  .meta({ id: 'WebhookWithHealth' });
export const webhookWithSecret = z
  .strictObject({ ...webhookMembers, secret: z.string().describe('Shown in this answer and never again') })
  .meta({ id: 'WebhookWithSecret' });
export const deletedWebhook = z.strictObject({ id: z.string(), deleted: z.literal(true) });

export const webhookParams = z.strictObject({ webhook_id: z.string().max(64) });
export const deliveryParams = z.strictObject({
  webhook_id: z.string().max(64),
  delivery_id: z.string().max(64),
});
export const deliveryOfAllParams = z.strictObject({ delivery_id: z.string().max(64) });
export const webhookListQuery = z.strictObject(pageQuery());

export const rotation = z
  .strictObject({
    secret: secret.optional(),
    grace_seconds: z
      .int()
      .min(0)
      .max(GRACE_SECONDS_MAX)
      .default(GRACE_SECONDS_DEFAULT)
      .describe('So long the old secret signs too; 0 ends it at once'),
  })
  .meta({ id: 'SecretRotation' });
export type Rotation = z.output<typeof rotation>;

export const testRequest = z
  .strictObject({ event: z.enum(EVENT_TYPES).default('conversation.ended') })
  .meta({ id: 'WebhookTest' });

export const deliveryListQuery = z.strictObject({
  ...pageQuery(),
  status: deliveryStatus.optional(),
  event: z.enum(EVENT_TYPES).optional(),
  since: timeInput.optional().describe('Written at or after'),
  until: timeInput.optional().describe('Written before'),
});
export const allDeliveriesQuery = deliveryListQuery.extend({
  webhook_id: z.string().max(64).optional(),
  conversation_id: z.string().max(255).optional(),
  http_status: z.coerce
    .number()
    .int()
    .min(100)
    .max(599)
    .optional()
    .describe('Of the answer that an attempt got'),
  event_id: z.string().max(64).optional().describe('The `id` of the body'),
  error_class: z.enum(ERROR_CLASSES).optional().describe('Of an attempt that failed'),
});
export type AllDeliveriesQuery = z.output<typeof allDeliveriesQuery>;
/** As a member of a body. */
export const deliveryFilter = allDeliveriesQuery
  .omit({ limit: true, cursor: true })
  .meta({ id: 'DeliveryFilter', description: 'All that is given must be met' });
export type DeliveryFilter = z.output<typeof deliveryFilter>;
export type DeliveryListQuery = z.output<typeof deliveryListQuery>;

const deliveryMembers = {
  id: z.string(),
  webhook_id: z.string().nullable(),
  event_id: z.string().describe('The `id` of the body, the same in every repetition'),
  event: z.string(),
  kind: deliveryKind.describe('`replay`: asked for, one attempt, counts for nothing'),
  status: deliveryStatus,
  attempts: z.int(),
  next_attempt_at: time.nullable(),
  replay_of: z.string().nullable(),
  created_at: time,
  finished_at: time.nullable(),
};
export const delivery = z.strictObject(deliveryMembers).meta({ id: 'Delivery' });

const shownHeaders = z.record(z.string(), z.string()).nullable();

export const deliveryAttempt = z
  .strictObject({
    attempt: z.int(),
    at: time,
    status: z.int().nullable().describe('HTTP status, when an answer had begun'),
    error_class: z.enum(ERROR_CLASSES).nullable().describe('Null: it succeeded'),
    message: z.string().nullable(),
    ms: z.int(),
    url: z.string().nullable().describe('The one that was called'),
    request_headers: shownHeaders.describe(
      'What was sent; signatures and values of your own headers are masked',
    ),
    response_headers: shownHeaders.describe('The first 4 KiB of them; what may be a credential is masked'),
    timings: z
      .strictObject({
        dns_ms: z.int().nullable(),
        connect_ms: z.int().nullable(),
        tls_ms: z.int().nullable(),
        first_byte_ms: z.int().nullable().describe('From the beginning of the attempt'),
      })
      .nullable()
      .describe('Null in a part: a connection that was open already, or nothing of the kind'),
    answer: z.string().nullable().describe('The first 4 KiB of the answer'),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliveryDetail = z
  .strictObject({
    ...deliveryMembers,
    body: anyEvent()
      .meta({ id: 'ToldEvent' })
      .nullable()
      .describe('Without `signature`; null when it is no longer kept'),
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
    since: timeInput.describe('Deliveries written at or after'),
    until: timeInput.describe('Deliveries written before'),
    status: z
      .enum(['delivered', 'skipped', 'superseded', 'exhausted', 'canceled'])
      .optional()
      .describe('Default: skipped and exhausted, as far as their event has not arrived since'),
    event: z.enum(EVENT_TYPES).optional(),
    dry_run: z.boolean().default(false).describe('Only counts'),
  })
  .refine((body) => body.since < body.until, { path: ['until'], message: 'must be after since' })
  .meta({ id: 'Replay' });
export type ReplayRequest = z.output<typeof replayRequest>;

export const replayResult = z
  .strictObject({ matched: z.int(), replayed: z.int(), dry_run: z.boolean() })
  .meta({ id: 'ReplayResult' });

export const verifyRequest = z
  .strictObject({
    body: z.string().max(VERIFIED_BODY_CHARS_MAX).describe('The raw body exactly as the receiver got it'),
    headers: members(
      100,
      z.string().max(128),
      z.union([z.string().max(8_192), z.array(z.string().max(8_192)).max(100)]),
    )
      .default({})
      .describe('The headers as the receiver got them, in any case'),
  })
  .meta({ id: 'VerifyRequest' });
export type VerifyRequest = z.output<typeof verifyRequest>;

export const verifyResult = z
  .strictObject({
    verified: z.boolean(),
    matches: z
      .array(
        z.strictObject({
          scheme: z.enum(['signature', 'x-signature-256', 'webhook-signature']),
          secret: z.enum(['current', 'previous']),
        }),
      )
      .describe('Every signature that fits, and the secret that it fits'),
    reason: z
      .enum(VERIFY_REASONS)
      .nullable()
      .describe('The first likely reason why nothing, or not everything, fits'),
    message: z.string(),
    first_difference: z
      .int()
      .nullable()
      .describe(
        'Of an altered body: the first byte that differs from what was sent; never one of the signature',
      ),
  })
  .meta({ id: 'VerifyResult' });
