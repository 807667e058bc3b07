// The target of the e-mail channel (docs/notifications.md#e-mail): recipients, copies, HTML and
// attachments.
import { z } from 'zod';
import { jsonPointer } from '@parley/envelopes';
import { callerId } from '../../callers/caller-id.ts';
import { track } from '../../engagements/schemas.ts';
import { mailboxText } from '../../addresses/email-address.ts';
import { mailHeaders } from '../../addresses/mail-headers.ts';
import { getAddress } from '../../addresses/mailbox.rules.ts';
import { HTML_BYTES_MAX } from '../../rendering/text-limits.ts';

/** Addresses in `cc`, and in `bcc`. */
export const COPIES_MAX = 20;
export const ATTACHMENTS_MAX = 10;
/** Of one mail. Common servers accept 20 MB, and a mail is a third larger than its content. */
export const ATTACHMENT_BYTES_MAX = 10 * 1024 * 1024;
/** In base64; a request body may have 1 MiB. */
const INLINE_CHARS_MAX = 1024 * 1024;

const attachment = z
  .strictObject({
    filename: z
      .string()
      .regex(/^[^\p{Cc}/\\"]{1,200}$/u, 'must be 1 to 200 characters without /, \\ and "')
      .describe('File name in the mail'),
    content_type: z
      .string()
      .max(127)
      .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i, 'must be like application/pdf')
      .optional()
      .describe('Default: derived from the filename'),
    content: z.base64().min(1).max(INLINE_CHARS_MAX).optional().describe('Base64'),
    url: z
      .string()
      .min(1)
      .max(2_048)
      .optional()
      .describe('Public https address, fetched when the mail is sent. Stored sealed'),
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
    email: mailboxText.optional().describe('With or without a display name: Ada <ada@example.com>'),
    user_id: callerId.optional().describe('Sends to this recipient instead of an address'),
    cc: z.array(mailboxText).max(COPIES_MAX).optional().describe('Copies, visible to all'),
    bcc: z.array(mailboxText).max(COPIES_MAX).optional().describe('Blind copies'),
    from: mailboxText
      .optional()
      .describe('Sender: one of GET /v1/senders. Default: that of the template, or the setting email_from'),
    reply_to: mailboxText.optional().describe('Reply address. Default: the setting email_reply_to'),
    headers: mailHeaders.optional(),
    in_reply_to: z
      .string()
      .max(500)
      .regex(/^<[!-;=?A-~]+@[!-;=?A-~]+>$/, 'must be a Message-ID in angle brackets')
      .optional()
      .describe('Message-ID of the mail that this one answers'),
    thread_key: callerId
      .optional()
      .describe('Mail with the same key and sender domain stands in one thread, such as an order number'),
    html: z
      .string()
      .min(1)
      .refine(
        (html) => new TextEncoder().encode(html).length <= HTML_BYTES_MAX,
        `must have at most ${HTML_BYTES_MAX} bytes`,
      )
      .meta({ maxLength: HTML_BYTES_MAX })
      .optional()
      .describe('HTML version; the message is its plain-text alternative'),
    attachments: z.array(attachment).max(ATTACHMENTS_MAX).optional(),
  })
  .superRefine(({ email, user_id: user, cc = [], bcc = [] }, context) => {
    if ((email === undefined) === (user === undefined))
      context.addIssue({ code: 'custom', message: 'must have exactly one of email and user_id' });
    // A duplicate makes SendGrid refuse the mail and a mail server send it twice.
    const seen = new Set(email === undefined ? [] : [getAddress(email).toLowerCase()]);
    for (const [name, copies] of Object.entries({ cc, bcc }))
      for (const [index, copy] of copies.entries()) {
        const address = getAddress(copy).toLowerCase();
        if (seen.has(address))
          context.addIssue({ code: 'custom', path: [name, index], message: 'is a duplicate' });
        seen.add(address);
      }
  });

export const mailTarget = z
  .union([full, mailboxText.transform((email): z.output<typeof full> => ({ email }))], {
    error: ({ errors }) => {
      const [problem] = (errors as z.core.$ZodIssue[][] | undefined)?.[0] ?? [];
      const place = jsonPointer(problem?.path ?? []);
      return place ? `${place}: ${problem!.message}` : 'must be {email} or {user_id}, or an e-mail address';
    },
  })
  .describe('E-mail: `{email}`, `{user_id}` of a recipient, or the address itself');
export type MailTarget = z.output<typeof mailTarget>;

/** Stored in the clear. */
export const mailPlan = z.object({
  /** A recipient's address is sealed. */
  email: z.string().optional(),
  user_id: z.string().optional(),
  cc: z.array(z.string()).optional(),
  bcc: z.array(z.string()).optional(),
  from: z.string().optional(),
  reply_to: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  in_reply_to: z.string().optional(),
  thread_key: z.string().optional(),
  /** Hosts to fetch from: the lane of the mail. */
  fetched_from: z.array(z.string()).optional(),
  /** Engagements recorded of its HTML. */
  track: track.optional(),
  /** Of a required category: reaches people who unsubscribed. */
  required: z.boolean().optional(),
});

/** Sealed until the last attempt: large, and addresses of attachments are often secret. */
export const mailContent = z.object({
  /** The recipient's address and unsubscribe link. */
  email: z.string().optional(),
  unsubscribe: z.string().optional(),
  preferences: z.string().optional(),
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
