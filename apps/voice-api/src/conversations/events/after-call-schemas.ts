// What is known of a conversation only after it: what it cost, where its recording is (docs/voice-api.md#after-the-call). Pure.
import { z } from 'zod';
import { freeForm, httpsAddress } from '@parley/envelopes';
import { tags } from '../../bots/schemas.ts';

const PARTS_MAX = 50;
const PART_NAME_CHARACTERS_MAX = 64;
/** In units of the currency. */
const AMOUNT_MAX = 1_000_000_000;

const amount = z.number().min(0).max(AMOUNT_MAX);

export const cost = z
  .strictObject({
    currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency of ISO 4217, such as EUR'),
    total: amount,
    parts: z
      .array(z.strictObject({ name: z.string().min(1).max(PART_NAME_CHARACTERS_MAX), amount }))
      .max(PARTS_MAX)
      .optional()
      .describe('What it is made of, such as telephony, asr, llm, tts'),
  })
  .meta({ id: 'Cost' });
export type Cost = z.output<typeof cost>;

/** Never fetched from here: shown to who reads the conversation. */
export const recordingUrl = httpsAddress.describe(
  'Where the recording of the call is (https); this service never fetches it',
);

/** As JSON. */
const ANALYSIS_BYTES_MAX = 64 * 1024;
const METADATA_BYTES_MAX = 16 * 1024;
const SUMMARY_CHARACTERS_MAX = 10_000;
const SENTIMENT_CHARACTERS_MAX = 64;

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
const upTo = (bytesMax: number) => (value: unknown) => bytesOf(value) <= bytesMax;

/** Of a conversation, whoever says it after the call: an object of any members, where events bring texts only. */
export const anyMetadata = freeForm()
  .refine(upTo(METADATA_BYTES_MAX), `must have at most ${METADATA_BYTES_MAX} bytes as JSON`)
  .describe('Any object of up to 16 KiB as JSON');

export const afterCall = {
  tags: tags.optional(),
  cost: cost.optional(),
  recording_url: recordingUrl.optional(),
  summary: z.string().max(SUMMARY_CHARACTERS_MAX).optional(),
  sentiment: z.string().max(SENTIMENT_CHARACTERS_MAX).optional(),
  success: z.boolean().optional(),
  analysis: freeForm()
    .refine(upTo(ANALYSIS_BYTES_MAX), `must have at most ${ANALYSIS_BYTES_MAX} bytes as JSON`)
    .describe(
      'What the organisation makes of the call, in a form of its own: any object of up to 64 KiB as JSON',
    )
    .optional(),
};
