// The target of the e-mail channel (docs/notifications.md#e-mail): whom a mail goes to, and what it carries beside its text.
import { z } from 'zod';
import { jsonPointer } from '@parley/envelopes';
import { callerId } from '../caller-id.ts';
import { track } from '../engagements/schemas.ts';
import { isAddress } from './address.ts';
import { ADDRESS_CHARACTERS_MAX } from './mail.rules.ts';

/** Of `cc`, and of `bcc`. */
export const COPIES_MAX = 20;
/** Mail programs cut off far shorter pages. */
export const HTML_BYTES_MAX = 256 * 1024;
export const ATTACHMENTS_MAX = 10;
/** Of one mail together, those fetched by URL among them; common servers take 20 MB, and a mail is a third larger than what it carries. */
export const ATTACHMENT_BYTES_MAX = 10 * 1024 * 1024;
/** As base64: a body has 1 MiB. */
const INLINE_CHARS_MAX = 1024 * 1024;

/** An address that mail can be sent to. */
export const emailAddress = z
  .string()
  .max(ADDRESS_CHARACTERS_MAX)
  .refine(isAddress, 'must be an e-mail address')
  .meta({ format: 'email' });

const attachment = z
  .strictObject({
    filename: z
      .string()
      .regex(/^[^\p{Cc}/\\"]{1,200}$/u, 'must be 1 to 200 characters without /, \\ and "')
      .describe('What it is called in the mail'),
    content_type: z
      .string()
      .max(127)
      .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i, 'must be like application/pdf')
      .optional()
      .describe('Left out: told from the filename'),
    content: z.base64().min(1).max(INLINE_CHARS_MAX).optional().describe('Base64'),
    url: z
      .string()
      .min(1)
      .max(2_048)
      .optional()
      .describe('https, public: fetched when the mail is sent; kept sealed'),
    content_id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 characters of A–Z, a–z, 0–9, ., _ and -')
      .optional()
      .describe('For `<img src="cid:…">` of the HTML'),
  })
  .refine(({ content, url }) => (content === undefined) !== (url === undefined), {
    message: 'must have exactly one of content and url',
  });

const full = z
  .strictObject({
    email: emailAddress.optional(),
    user_id: callerId.optional().describe('In place of the address: to this recipient'),
    cc: z.array(emailAddress).max(COPIES_MAX).optional().describe('Who else gets it, seen by all'),
    bcc: z.array(emailAddress).max(COPIES_MAX).optional().describe('Who else gets it, seen by nobody'),
    reply_to: emailAddress.optional().describe('Where answers go; left out, the setting email_reply_to'),
    html: z
      .string()
      .min(1)
      .refine(
        (html) => new TextEncoder().encode(html).length <= HTML_BYTES_MAX,
        `must have at most ${HTML_BYTES_MAX} bytes`,
      )
      .meta({ maxLength: HTML_BYTES_MAX })
      .optional()
      .describe('The same as HTML; the message is its alternative in plain text'),
    attachments: z.array(attachment).max(ATTACHMENTS_MAX).optional(),
  })
  .superRefine(({ email, user_id: user, cc = [], bcc = [] }, context) => {
    if ((email === undefined) === (user === undefined))
      context.addIssue({ code: 'custom', message: 'must have exactly one of email and user_id' });
    // SendGrid refuses a mail for it, a mail server sends it twice.
    const seen = new Set([email?.toLowerCase()]);
    for (const [name, copies] of Object.entries({ cc, bcc }))
      for (const [index, copy] of copies.entries()) {
        if (seen.has(copy.toLowerCase()))
          context.addIssue({ code: 'custom', path: [name, index], message: 'gets the mail already' });
        seen.add(copy.toLowerCase());
      }
  });

export const mailTarget = z
  .union([full, emailAddress.transform((email): z.output<typeof full> => ({ email }))], {
    error: ({ errors }) => {
      const [problem] = (errors as z.core.$ZodIssue[][] | undefined)?.[0] ?? [];
      const place = jsonPointer(problem?.path ?? []);
      return place ? `${place}: ${problem!.message}` : 'must be {email} or {user_id}, or an e-mail address';
    },
  })
  .describe('E-mail: `{email}`, `{user_id}` of a recipient, or the address itself');
export type MailTarget = z.output<typeof mailTarget>;

/** What is kept as it is. */
export const mailPlan = z.object({
  /** A recipient's is sealed. */
  email: z.string().optional(),
  user_id: z.string().optional(),
  cc: z.array(z.string()).optional(),
  bcc: z.array(z.string()).optional(),
  reply_to: z.string().optional(),
  /** Something is fetched when it is sent. Replicas of the release before bound memory by it. */
  fetches: z.boolean().optional(),
  /** The hosts of what is fetched: the lane of the mail. */
  fetched_from: z.array(z.string()).optional(),
  /** What is recorded of its HTML. */
  track: track.optional(),
});
export type MailPlan = z.output<typeof mailPlan>;

/** What is kept sealed, and gone with the last attempt: it is large, and addresses of attachments are often secrets. */
export const mailContent = z.object({
  /** Of a recipient, and the link with which it unsubscribes. */
  email: z.string().optional(),
  unsubscribe: z.string().optional(),
  html: z.string().optional(),
  attachments: z
    .array(
      z.object({
        filename: z.string(),
        content_type: z.string().optional(),
        content: z.string().optional(),
        url: z.string().optional(),
        content_id: z.string().optional(),
      }),
    )
    .optional(),
});
export type MailContent = z.output<typeof mailContent>;
