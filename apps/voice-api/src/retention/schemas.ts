// Wire shapes of retention rules (docs/voice-api.md#retention).
import { z } from 'zod';
import { voiceApiDialect } from '@parley/envelopes';
import { recordingStorage } from './recording-storage.ts';
import { DELIVERY_BODY_DAYS, PARTS, SETTERS, type Part } from './parts.rules.ts';

const time = voiceApiDialect.timeSchema;

const DAYS_MAX = 3_650;
const REASON_CHARACTERS_MAX = 500;

/** Readers see why a part is missing, or why a conversation is held. */
export const reason = z.string().trim().min(1).max(REASON_CHARACTERS_MAX);

/** Retries of a delivery end within 27 hours, so its body is needed for longer than a day. */
const deliveryDays = z.int().min(2).max(DELIVERY_BODY_DAYS);
const days = z
  .int()
  .min(1)
  .max(DAYS_MAX)
  .nullable()
  .describe('Days after the start of the conversation; null: until it is deleted');

const rule = z.strictObject({ days, reason });
const WHAT: Readonly<Record<Part, string>> = {
  transcript: 'Transcript, search document, summary and analysis. The bodies of its deliveries go with it',
  recorded_turns: 'Recorded turns of the flow',
  recording:
    '`recording_url`, and the copy in the bucket of the organisation. The file of the media runtime stays',
  raw_reports: 'Reports of vendors as they arrived',
  delivery_bodies: `Events of the feed, bodies of deliveries and answers to them; at most ${DELIVERY_BODY_DAYS} days`,
};
const byPart = <Schema extends z.ZodType>(schema: (part: Part) => Schema) =>
  Object.fromEntries(PARTS.map((part) => [part, schema(part)])) as Record<Part, Schema>;

const redact = z
  .boolean()
  .optional()
  .describe(
    'Whether readers without the scope `pii` get texts without numbers, addresses and redacted values',
  );

export const retentionChange = z
  .strictObject({
    ...byPart((part) =>
      z
        .strictObject({ days: part === 'delivery_bodies' ? deliveryDays : days, reason })
        .optional()
        .describe(WHAT[part]),
    ),
    redact_transcripts: redact,
    recording_storage: recordingStorage,
  })
  .meta({ id: 'RetentionChange', description: 'Replaces all rules. An absent member has no rule here' });
export type RetentionChange = z.output<typeof retentionChange>;

export const retention = z
  .strictObject({
    bot_id: z.string().nullable().describe('Null: the rules of the organisation'),
    ...byPart((part) => rule.optional().describe(WHAT[part])),
    redact_transcripts: redact,
    recording_storage: recordingStorage,
    effective: z
      .strictObject({
        ...byPart(() => rule.extend({ set_by: z.enum(SETTERS) })),
        redact_transcripts: z.boolean(),
      })
      .describe('The rule that applies: the bot’s, else the organisation’s, else the installation’s'),
    updated_at: time.nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'Retention' });

export const botParams = z.strictObject({ bot_id: z.string().max(255) });
