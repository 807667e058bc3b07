// Wire schemas of recipients, categories and preferences (docs/notifications.md#recipients,
// docs/notifications.md#preferences).
import { z } from 'zod';
import { freeForm, members, notificationsDialect, pageQuery } from '@parley/envelopes';
import { isTimeZone } from '@parley/server/runtime';
import { callerId, storedId } from '../callers/caller-id.ts';
import type { Channels } from '../channels/channels.ts';
import { categoryId } from '../callers/caller-id.ts';
import { PERSONAL_CHANNELS, type PersonalChannel } from '../people/opt-out.rules.ts';
import { SUPPRESSION_REASONS, SUPPRESSION_SOURCES } from '../people/suppression.rules.ts';
import { emailAddress, mailboxText } from '../addresses/email-address.ts';

const { timeSchema: time } = notificationsDialect;

/** Keeps a page below the megabyte of lists (docs/platform.md#byte-budgets). */
const ATTRIBUTES_BYTES_MAX = 8 * 1024;
/** RFC 5646 §4.4.1: longer tags are not in use. */
const LANGUAGE_CHARS_MAX = 35;
const TIME_ZONE_CHARS_MAX = 64;
const NAME_CHARS_MAX = 100;
const DESCRIPTION_CHARS_MAX = 500;
/** Enough for the categories of any plan. */
const CHANGES_MAX = 500;

export const recipientParams = z.strictObject({ user_id: storedId });
export const writtenRecipientParams = z.strictObject({ user_id: callerId });
export const categoryParams = z.strictObject({ category_id: categoryId });

export const putRecipient = z
  .strictObject({
    email: mailboxText.optional().describe('With or without a display name: Ada <ada@example.com>'),
    chat_webhook: z
      .string()
      .min(1)
      .max(2_048)
      .optional()
      .describe(
        'Incoming webhook of a chat product: public https address. Stored sealed, shown as host and hash',
      ),
    language: z
      .string()
      .max(LANGUAGE_CHARS_MAX)
      .refine(isLanguage, 'must be a language tag (BCP 47), such as de or pt-BR')
      .optional(),
    time_zone: z
      .string()
      .max(TIME_ZONE_CHARS_MAX)
      .refine(isTimeZone, 'must be a time zone (IANA), such as Europe/Berlin')
      .optional(),
    attributes: freeForm()
      .refine(
        (given) => new TextEncoder().encode(JSON.stringify(given)).length <= ATTRIBUTES_BYTES_MAX,
        `must have at most ${ATTRIBUTES_BYTES_MAX} bytes as JSON`,
      )
      .default({})
      .describe('Any data of yours, at most 8 KiB'),
  })
  .meta({ id: 'PutRecipient', description: 'The complete recipient. Absent members are removed.' });
export type PutRecipient = z.output<typeof putRecipient>;

function isLanguage(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false; // RangeError: not a tag
  }
}

export const recipient = z
  .strictObject({
    user_id: z.string(),
    email: z.string().nullable(),
    chat_webhook: z.strictObject({ host: z.string(), hash: z.string() }).nullable(),
    language: z.string().nullable(),
    time_zone: z.string().nullable(),
    attributes: z.looseObject({}),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Recipient' });
export const recipientPage = z.strictObject({
  items: z.array(recipient),
  next_cursor: z.string().nullable(),
});
export const recipientListQuery = z.strictObject(pageQuery());

export const recipientLink = z
  .strictObject({
    link: z.string().describe('The value of `?link=`, which replaces a credential at the preferences'),
    url: z.string().nullable().describe('The preferences as JSON; null without PUBLIC_URL'),
    page_url: z.string().nullable().describe('The preferences as a page; null without PUBLIC_URL'),
  })
  .meta({ id: 'RecipientLink' });

export const suppressionListQuery = z.strictObject({
  email: emailAddress.optional().describe('Only suppressions of this address'),
  reason: z.enum(SUPPRESSION_REASONS).optional(),
  ...pageQuery(),
});
export type SuppressionListQuery = z.output<typeof suppressionListQuery>;
const SUPPRESSED_AT_ONCE_MAX = 1_000;
export const newSuppressions = z.strictObject({
  emails: z
    .array(emailAddress)
    .min(1)
    .max(SUPPRESSED_AT_ONCE_MAX)
    .describe('In any case of letters, without display names'),
  reason: z.enum(SUPPRESSION_REASONS),
});
export type NewSuppressions = z.output<typeof newSuppressions>;
export const addedSuppressions = z.strictObject({
  added: z.int(),
  known: z.int().describe('Addresses that were suppressed for this reason before'),
});
export const suppressionParams = z.strictObject({ suppression_id: storedId });

const suppression = z
  .strictObject({
    id: z.string(),
    email: z.string().nullable().describe('null: erased with its recipient'),
    email_hash: z.string().describe('Begin of the digest of the address, as in the audit log'),
    reason: z.enum(SUPPRESSION_REASONS),
    source: z
      .enum(SUPPRESSION_SOURCES)
      .describe('`link`: the unsubscribe page; `api`: `POST /v1/suppressions`'),
    detail: z.string().nullable().describe('Status code or event of the source'),
    notification_id: z.string().nullable().describe('The mail that it followed, if known'),
    created_at: time,
  })
  .meta({ id: 'Suppression' });
export const suppressionPage = z.strictObject({
  items: z.array(suppression),
  next_cursor: z.string().nullable(),
});

export const putCategory = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(NAME_CHARS_MAX)
      .regex(/\S/, 'must not be blank')
      .describe('The name that recipients read'),
    description: z.string().min(1).max(DESCRIPTION_CHARS_MAX).optional(),
    required: z.boolean().default(false).describe('true: critical. Recipients cannot switch it off'),
    opt_in: z.boolean().default(false).describe('true: off until a recipient switches it on'),
  })
  .refine(({ required, opt_in: optIn }) => !(required && optIn), {
    path: ['opt_in'],
    message: 'must be false for a required category',
  })
  .meta({ id: 'PutCategory' });
export type PutCategory = z.output<typeof putCategory>;

export const category = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    required: z.boolean(),
    opt_in: z.boolean(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Category' });
export const categoryList = z.strictObject({
  items: z.array(category),
  next_cursor: z.null().describe('Always null: the plan limits their number'),
});

export const preferencesQuery = z.strictObject({
  user_id: storedId
    .optional()
    .describe('User of the preferences, with an API key. Default with an identity token: its `sub`'),
  link: z.string().max(512).optional().describe('A signed link of the recipient, instead of a credential'),
});

/** A channel that this deployment does not have is refused like an unknown name. */
export function preferenceSchemas(channels: Channels) {
  const names = PERSONAL_CHANNELS.filter((name) => channels.has(name));
  const wanted = z.strictObject(
    Object.fromEntries(names.map((name) => [name, z.boolean().optional()])) as Record<
      PersonalChannel,
      z.ZodOptional<z.ZodBoolean>
    >,
  );
  return {
    putPreferences: z
      .strictObject({
        all: z.boolean().optional().describe('false: nothing that is not required'),
        channels: wanted.optional().describe('false: nothing on this channel that is not required'),
        categories: members(CHANGES_MAX, categoryId, wanted)
          .optional()
          .describe('By category: channels to switch off (false) or on (true). Others stay as they are'),
      })
      .refine(({ all, channels: switches, categories }) => (all ?? switches ?? categories) !== undefined, {
        message: 'must have at least one of all, channels and categories',
      })
      .meta({ id: 'PutPreferences' }),
    preferences: z
      .strictObject({
        user_id: z.string(),
        all: z.boolean().describe('false: the recipient gets nothing that is not required'),
        channels: wanted.describe('false: the recipient gets nothing on this channel that is not required'),
        categories: z.array(
          z.strictObject({
            id: z.string(),
            name: z.string(),
            description: z.string().nullable(),
            required: z.boolean().describe('true: recipients cannot switch it off'),
            opt_in: z.boolean().describe('true: off until the recipient switches it on'),
            channels: wanted.describe(
              'true: the recipient wants this category on the channel. It also needs `all` and the channel',
            ),
          }),
        ),
      })
      .meta({ id: 'Preferences' }),
    pageChange: linkQuery.extend({
      category: categoryId.optional().describe('Default: every category'),
      channel: z.enum(names).optional().describe('Default: every channel'),
      on: z.enum(['true', 'false']),
    }),
  };
}
type PreferenceSchemas = ReturnType<typeof preferenceSchemas>;
export type PutPreferences = z.output<PreferenceSchemas['putPreferences']>;
export type PreferencesPageChange = z.output<PreferenceSchemas['pageChange']>;

export const linkQuery = z.strictObject({ link: z.string().max(512) });
export const unsubscribeQuery = linkQuery.extend({
  all: z.literal('true').optional().describe('Unsubscribes the address from all mail that is not required'),
});
