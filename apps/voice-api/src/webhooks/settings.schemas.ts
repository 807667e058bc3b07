// Settings of webhook requests besides address and events (docs/voice-api.md#webhook-settings), as
// members of requests and answers.
import { z } from 'zod';
import { members } from '@parley/envelopes';
import { limits } from '@parley/flow-engine';
import { ERROR_CLASSES, findHeaderProblem, isSecretReference, parseSecretName } from '@parley/outbound';
import { DISABLE_MODES } from './disable.rules.ts';

const { webhookHeadersMax: HEADERS_MAX, webhookHeaderCharsMax: HEADER_CHARS_MAX } = limits;
const HEADER_NAME_CHARS_MAX = 128;
/** Of one webhook in total: they are cached with it and logged with every attempt. */
const HEADERS_CHARS_MAX = 8_192;
const BOTS_MAX = 100;
const BOT_ID_CHARS_MAX = 255;
const TIMEOUT_MS_MIN = 500;
/** Bounds how long an answer occupies a worker. */
const TIMEOUT_MS_MAX = 30_000;
/** Above the rate at which a process calls one receiver. */
const RATE_MAX = 1_000;

/** Our headers: signatures, and the cause of a delivery. */
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
    const problem = findSendableProblem(given);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .describe(
    'Sent with every attempt. A value may be `secret://<name>`, a secret of the organisation that is read for each attempt',
  );

function findSendableProblem(given: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(given).map((name) => name.toLowerCase());
  const own = names.find((name) => OWN_HEADERS.has(name));
  if (own !== undefined) return `must not contain the header "${own}", which Parley sets`;
  if (new Set(names).size < names.length) return 'must not contain headers whose names differ only in case';
  if (JSON.stringify(given).length > HEADERS_CHARS_MAX)
    return `must have at most ${HEADERS_CHARS_MAX} characters in total`;
  const nameless = Object.values(given).some(
    (one) => isSecretReference(one) && parseSecretName(one) === null,
  );
  return nameless ? 'must have the name of a secret after secret://' : findHeaderProblem(given);
}

/** Optional members of a new webhook and of a change. */
export const webhookSettings = {
  headers: headers.nullable().optional(),
  bot_ids: z
    .array(z.string().min(1).max(BOT_ID_CHARS_MAX))
    .max(BOTS_MAX)
    .refine((ids) => new Set(ids).size === ids.length, 'must not contain a bot twice')
    .meta({ uniqueItems: true })
    .optional()
    .describe('Only events of these bots; empty for all bots'),
  timeout_ms: z
    .int()
    .min(TIMEOUT_MS_MIN)
    .max(TIMEOUT_MS_MAX)
    .nullable()
    .optional()
    .describe(
      'Time for a complete answer. Null for the default: 15 seconds, unless the operator sets another',
    ),
  rate_per_second: z
    .int()
    .min(1)
    .max(RATE_MAX)
    .nullable()
    .optional()
    .describe('Maximum of attempts a second over all workers; null for as fast as the receiver answers'),
  ordered: z
    .boolean()
    .optional()
    .describe(
      'Delivers the events of a conversation one after the other; a failed delivery delays later ones',
    ),
  disable: z
    .enum(DISABLE_MODES)
    .optional()
    .describe(
      'When 5 failed attempts of a delivery disable the webhook: always (`after_failures`, the default), or only if nothing was delivered since its first attempt (`when_failing`)',
    ),
  asymmetric: z
    .boolean()
    .optional()
    .describe('Also signs with an Ed25519 key (`v1a`), whose public key is `public_key`'),
};
export type WebhookSettings = z.output<z.ZodObject<typeof webhookSettings>>;

/** The settings in answers. */
export const shownSettings = {
  headers: z
    .record(z.string(), z.string().nullable())
    .nullable()
    .describe('By name. References to secrets are returned, any other value is null'),
  bot_ids: z.array(z.string()),
  timeout_ms: z.int().nullable(),
  rate_per_second: z.int().nullable(),
  ordered: z.boolean(),
  disable: z.enum(DISABLE_MODES),
  public_key: z.string().nullable().describe('`whpk_…`, verifies `v1a` signatures; null if there are none'),
};

export const webhookHealth = z
  .strictObject({
    deliveries: z.int().describe('Deliveries of the last 24 hours, up to the newest 10,000'),
    success_rate: z.number().nullable().describe('Share of successful attempts; null without attempts'),
    p95_ms: z.number().nullable().describe('95th percentile of the duration of successful attempts'),
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
