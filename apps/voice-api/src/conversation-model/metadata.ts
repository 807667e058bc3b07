// `metadata` and `tags` of bots and conversations.
import { z } from 'zod';
import { members } from '@parley/envelopes';

/** As in Stripe's metadata. */
const METADATA_KEYS_MAX = 50;
const METADATA_KEY_CHARACTERS_MAX = 40;
const METADATA_VALUE_CHARACTERS_MAX = 500;
export const TAGS_MAX = 20;
export const TAG_CHARACTERS_MAX = 64;

export const metadata = members(
  METADATA_KEYS_MAX,
  z.string().min(1).max(METADATA_KEY_CHARACTERS_MAX),
  z.string().max(METADATA_VALUE_CHARACTERS_MAX),
).describe(
  `Free key-value pairs: at most ${METADATA_KEYS_MAX} keys of ${METADATA_KEY_CHARACTERS_MAX} characters, values of ${METADATA_VALUE_CHARACTERS_MAX}`,
);

export const tags = z
  .array(z.string().max(TAG_CHARACTERS_MAX).regex(/\S/, 'must not be blank'))
  .max(TAGS_MAX)
  .superRefine((given, context) => {
    const repeated = given.findIndex((tag, place) => given.indexOf(tag) < place);
    if (repeated === -1) return;
    context.addIssue({ code: 'custom', path: [repeated], message: 'must not be repeated' });
  })
  .meta({ uniqueItems: true });
