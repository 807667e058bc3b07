// What is known of a conversation only after it: what it cost, where its recording is (docs/voice-api.md#after-the-call). Pure.
import { z } from 'zod';

const URL_CHARACTERS_MAX = 2_048;
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
export const recordingUrl = z
  .url({ protocol: /^https?$/ })
  .max(URL_CHARACTERS_MAX)
  .describe('Where the recording of the call is; this service never fetches it');
