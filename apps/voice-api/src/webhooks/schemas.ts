// Wire shapes of webhooks (docs/voice-api.md#webhooks).
import { z } from 'zod';
import { members, pageQuery, pathId, voiceApiDialect } from '@parley/envelopes';
import { compileLoneCondition } from '@parley/flow-analysis';
import { EVENT_TYPES } from '../conversation-model/event-types.ts';
import { ANY_EVENT } from './selection.rules.ts';
import { shownSettings, webhookHealth, webhookSettings } from './settings.schemas.ts';
import { VERIFY_REASONS } from '../webhook-format/verify.rules.ts';

const DESCRIPTION_CHARS_MAX = 1_000;
/** Enough for a condition with several hundred values. */
const FILTER_CHARS_MAX = 4_096;
/** Far above the limit of the address check, whose error is more precise. */
const URL_CHARS_MAX = 10_000;
const SECRET_CHARS_MAX = 256;
/** A week (docs/voice-api.md#signatures). */
const GRACE_SECONDS_MAX = 7 * 86_400;
export const GRACE_SECONDS_DEFAULT = 86_400;
/** Far above the largest body that we send. */
const VERIFIED_BODY_CHARS_MAX = 900_000;

const { timeSchema: time } = voiceApiDialect;

const url = z
  .string()
  .min(1)
  .max(URL_CHARS_MAX)
  .describe('https URL of at most 2,048 characters. Checked now and for every request');
const eventSelection = z
  .union(
    [
      z.array(z.literal(ANY_EVENT)).length(1),
      z
        .array(z.enum(EVENT_TYPES))
        .min(1)
        .max(EVENT_TYPES.length)
        .refine((types) => new Set(types).size === types.length)
        .meta({ uniqueItems: true }),
    ],
    `must be ["${ANY_EVENT}"] or distinct values of ${EVENT_TYPES.join(', ')}`,
  )
  .describe('Event types to receive, or ["*"] for all, including future ones');
const secret = z
  .string()
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
  .max(SECRET_CHARS_MAX)
  .describe('Signs deliveries. Default: `whsec_` and 32 random bytes in base64');
const description = z.string().max(DESCRIPTION_CHARS_MAX);
const filter = z
  .strictObject({
    variable: z.string().min(1).max(FILTER_CHARS_MAX).describe('Path into `data`, for example metadata.plan'),
    op: z.string().min(1).max(32).optional().describe('An operator of the flow language'),
    value: z.unknown().optional(),
    case_sensitive: z.boolean().optional(),
  })
  .superRefine((condition, context) => {
    if (JSON.stringify(condition).length > FILTER_CHARS_MAX)
      return context.addIssue({
        code: 'custom',
        message: `must have at most ${FILTER_CHARS_MAX} characters`,
      });
    const compiled = compileLoneCondition(condition);
    if (!compiled.ok) context.addIssue({ code: 'custom', message: compiled.problem });
  })
  .describe('Only events whose `data` matches are delivered');

export const newWebhook = z
  .strictObject({
    url,
    events: eventSelection,
    filter: filter.optional(),
    secret: secret.optional(),
    description: description.optional(),
    application_id: pathId()
      .optional()
      .describe('Only events of conversations whose `metadata.application_id` is this application'),
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
  external_id: z.string().nullable().describe('The id that you chose with PUT; paths take it as well'),
  application_id: z.string().nullable().describe('Null: receives the events of all conversations'),
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
    .describe('End of the grace period of a rotation; until then the old secret signs too'),
  created_at: time,
  updated_at: time,
};
export const webhook = z.strictObject(webhookMembers).meta({ id: 'Webhook' });
export const listedWebhook = z
  .strictObject({ ...webhookMembers, health: webhookHealth.optional().describe('With `health=true`') })
  .meta({ id: 'ListedWebhook' });
export const webhookWithHealth = z
  .strictObject({ ...webhookMembers, health: webhookHealth })
  .meta({ id: 'WebhookWithHealth' });
export const webhookWithSecret = z
  .strictObject({ ...webhookMembers, secret: z.string().describe('Returned only in this answer') })
  .meta({ id: 'WebhookWithSecret' });
export const deletedWebhook = z.strictObject({ id: z.string(), deleted: z.literal(true) });

/** By our id or that of the organisation. */
export const webhookParams = z.strictObject({ webhook_id: z.string().max(255) });
export const ownWebhookParams = z.strictObject({ webhook_id: pathId() });
export const webhookListQuery = z.strictObject({
  ...pageQuery(),
  application_id: pathId().optional(),
  health: z
    .enum(['true', 'false'])
    .transform((given) => given === 'true')
    .optional()
    .describe(
      'Also return the health of each webhook, from its newest 1,000 deliveries of the last 24 hours',
    ),
});

export const rotation = z
  .strictObject({
    secret: secret.optional(),
    grace_seconds: z
      .int()
      .min(0)
      .max(GRACE_SECONDS_MAX)
      .default(GRACE_SECONDS_DEFAULT)
      .describe('Time in which the old secret signs too; 0 ends it immediately'),
  })
  .meta({ id: 'SecretRotation' });
export type Rotation = z.output<typeof rotation>;

export const verifyRequest = z
  .strictObject({
    body: z.string().max(VERIFIED_BODY_CHARS_MAX).describe('The raw body exactly as received'),
    headers: members(
      100,
      z.string().max(128),
      z.union([z.string().max(8_192), z.array(z.string().max(8_192)).max(100)]),
    )
      .default({})
      .describe('The received headers; names are case-insensitive'),
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
      .describe('Matching signatures with their secret'),
    reason: z
      .enum(VERIFY_REASONS)
      .nullable()
      .describe('The most likely reason why no signature, or not every signature, matches'),
    message: z.string(),
    first_difference: z
      .int()
      .nullable()
      .describe('For an altered body: the first byte that differs from the sent body, before the signature'),
  })
  .meta({ id: 'VerifyResult' });
