// The stored form of a template's texts, and the schemas of its parts.
import { z } from 'zod';
import { mailboxText } from '../addresses/email-address.ts';
import { mailHeaders } from '../addresses/mail-headers.ts';
import { HTML_BYTES_MAX } from './text-limits.ts';

const SUBJECT_SOURCE_CHARS_MAX = 2_000;
const MESSAGE_SOURCE_CHARS_MAX = 20_000;

export const locale = z
  .string()
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/, 'must be a language, such as de or pt-BR');

const subject = z.string().min(1).max(SUBJECT_SOURCE_CHARS_MAX);
const message = z.string().min(1).max(MESSAGE_SOURCE_CHARS_MAX);

/** Texts of a channel that replace `subject` and `message`. */
export const channelTexts = {
  email: z.strictObject({
    subject: subject.optional(),
    text: message.optional().describe('Plain text next to the HTML. Default: made from the HTML'),
    html: z.string().min(1).max(HTML_BYTES_MAX).optional(),
    from: mailboxText.optional().describe('Sender: one of GET /v1/senders. Default: the setting email_from'),
    headers: mailHeaders.optional(),
  }),
  chat: z.strictObject({ text: message }),
  in_app: z.strictObject({ title: subject.optional(), body: message.optional() }),
  web_push: z.strictObject({ title: subject.optional(), body: message.optional() }),
} as const;

export const texts = { subject: subject.optional(), message } as const;

/** The stored form, independent of the deployment's channels. */
export const templateContent = z.object({
  default_locale: locale,
  locales: z.record(
    z.string(),
    z.object({ ...texts, ...channelTexts }).partial({
      email: true,
      chat: true,
      in_app: true,
      web_push: true,
    }),
  ),
});
export type TemplateContent = z.output<typeof templateContent>;
export type LocaleContent = TemplateContent['locales'][string];
