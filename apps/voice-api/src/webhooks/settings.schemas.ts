// How a webhook is called, beside where and of what (docs/voice-api.md#webhook-settings): the members of its requests and answers.
import { z } from 'zod';
import { members } from '@parley/envelopes';
import { limits } from '@parley/flow-engine';
import { ERROR_CLASSES, headerProblem, isSecretReference, secretNameOf } from '@parley/outbound';

const { webhookHeadersMax: HEADERS_MAX, webhookHeaderCharsMax: HEADER_CHARS_MAX } = limits;
const HEADER_NAME_CHARS_MAX = 128;
/** Of one webhook together: they are in memory with it, and written down with every attempt. */
const HEADERS_CHARS_MAX = 8_192;
const BOTS_MAX = 100;
const BOT_ID_CHARS_MAX = 255;
const TIMEOUT_MS_MIN = 500;
/** What an answer may take of a worker's place. */
const TIMEOUT_MS_MAX = 30_000;
/** Faster than one receiver is called by a process. */
const RATE_MAX = 1_000;

/** Ours: what receivers verify, and the cause of a delivery. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'traceparent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-delivery-attempt',
  'x-request-id',
  'x-signature-256',
]);

const headers = members(
  HEADERS_MAX,
  z.string().min(1).max(HEADER_NAME_CHARS_MAX),
  z.string().max(HEADER_CHARS_MAX),
)
  .superRefine((given, context) => {
    const problem = problemOf(given);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .describe(
    'Sent with every attempt. A value may be `secret://<name>`: a secret of the organisation, read at each',
  );

function problemOf(given: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(given).map((name) => name.toLowerCase());
  const own = names.find((name) => OWN_HEADERS.has(name));
  if (own !== undefined) return `the header "${own}" is one of ours`;
  if (new Set(names).size < names.length) return 'two of the headers differ in nothing but their case';
  if (JSON.stringify(given).length > HEADERS_CHARS_MAX)
    return `together more than ${HEADERS_CHARS_MAX} characters`;
  const nameless = Object.values(given).some((one) => isSecretReference(one) && secretNameOf(one) === null);
  return nameless ? 'what stands behind secret:// is not the name of a secret' : headerProblem(given);
}

/** Of a new webhook and of a change; each may be left out. */
export const webhookSettings = {
  headers: headers.nullable().optional(),
  bot_ids: z
    .array(z.string().min(1).max(BOT_ID_CHARS_MAX))
    .max(BOTS_MAX)
    .refine((ids) => new Set(ids).size === ids.length, 'names a bot twice')
    .meta({ uniqueItems: true })
    .optional()
    .describe('Only events of these bots; empty: of all'),
  timeout_ms: z
    .int()
    .min(TIMEOUT_MS_MIN)
    .max(TIMEOUT_MS_MAX)
    .nullable()
    .optional()
    .describe('For a complete answer; null: 15 seconds, or what the operator says'),
  rate_per_second: z
    .int()
    .min(1)
    .max(RATE_MAX)
    .nullable()
    .optional()
    .describe('Attempts a second at most, of all workers together; null: as fast as it answers'),
  ordered: z
    .boolean()
    .optional()
    .describe('One delivery after the other within a conversation: a failed one is waited for'),
  asymmetric: z
    .boolean()
    .optional()
    .describe('Signs with an Ed25519 key as well (`v1a`); the public one is `public_key`'),
};
export type WebhookSettings = z.output<z.ZodObject<typeof webhookSettings>>;

/** The same as answers show them. */
export const shownSettings = {
  headers: z
    .record(z.string(), z.string().nullable())
    .nullable()
    .describe('By their names: a reference to a secret as it is, any other value as null'),
  bot_ids: z.array(z.string()),
  timeout_ms: z.int().nullable(),
  rate_per_second: z.int().nullable(),
  ordered: z.boolean(),
  public_key: z.string().nullable().describe('`whpk_…`: verifies `v1a` signatures; null: there are none'),
};

export const webhookHealth = z
  .strictObject({
    deliveries: z.int().describe('Of the last 24 hours; of the newest 10,000 of them'),
    success_rate: z.number().nullable().describe('Successful attempts of all that were made; null: none was'),
    p95_ms: z.number().nullable().describe('Of the successful attempts'),
    last_error: z
      .strictObject({
        at: z.iso.datetime(),
        error_class: z.enum(ERROR_CLASSES),
        status: z.int().nullable(),
        message: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'WebhookHealth' });
