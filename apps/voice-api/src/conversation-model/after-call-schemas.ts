// Members of a conversation that are known after the call: cost, recording, analysis
// (docs/voice-api.md#after-the-call). Pure.
import { z } from 'zod';
import { freeForm, httpsAddress } from '@parley/envelopes';
import { tags } from './metadata.ts';

const PARTS_MAX = 50;
const PART_NAME_CHARACTERS_MAX = 64;
/** In units of the currency. */
const AMOUNT_MAX = 1_000_000_000;

const amount = z.number().min(0).max(AMOUNT_MAX);

export const cost = z
  .strictObject({
    currency: z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 currency code, for example EUR'),
    total: amount,
    parts: z
      .array(z.strictObject({ name: z.string().min(1).max(PART_NAME_CHARACTERS_MAX), amount }))
      .max(PARTS_MAX)
      .optional()
      .describe('Parts of the total, for example telephony, asr, llm, tts'),
  })
  .meta({ id: 'Cost' });
export type Cost = z.output<typeof cost>;

export const recordingUrl = httpsAddress.describe(
  'https URL of the recording; it is fetched only for a copy in the bucket of the organisation',
);

/** As JSON. */
const ANALYSIS_BYTES_MAX = 64 * 1024;
const METADATA_BYTES_MAX = 16 * 1024;
const SUMMARY_CHARACTERS_MAX = 10_000;
const SENTIMENT_CHARACTERS_MAX = 64;

const countBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
const upTo = (bytesMax: number) => (value: unknown) => countBytes(value) <= bytesMax;

/** Metadata of a conversation, from its events or set later. */
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
    .describe('Your analysis of the call: any object of up to 64 KiB as JSON')
    .optional(),
};
