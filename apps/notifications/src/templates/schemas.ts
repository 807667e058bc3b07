// The wire shapes of templates (docs/notifications.md#templates).
import { z } from 'zod';
import { freeForm, notificationsDialect, pageQuery } from '@parley/envelopes';
import type { Channels } from '../channels/channels.ts';
import { HTML_BYTES_MAX } from '../email/mail-target.ts';

const { timeSchema } = notificationsDialect;

const SUBJECT_SOURCE_CHARS_MAX = 2_000;
const MESSAGE_SOURCE_CHARS_MAX = 20_000;
export const LOCALES_MAX = 50;
/** Of one version, as JSON. */
export const CONTENT_BYTES_MAX = 512 * 1024;
/** Of one send. */
export const TEMPLATE_DATA_BYTES_MAX = 32 * 1024;

export const templateId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 characters of A–Z, a–z, 0–9, ., _ and -');

export const locale = z
  .string()
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/, 'must be a language, such as de or pt-BR');

const subject = z.string().min(1).max(SUBJECT_SOURCE_CHARS_MAX);
const message = z.string().min(1).max(MESSAGE_SOURCE_CHARS_MAX);

/** What a channel says in place of `subject` and `message`. */
const parts = {
  email: z.strictObject({
    subject: subject.optional(),
    text: message.optional().describe('The plain text, beside the HTML'),
    html: z.string().min(1).max(HTML_BYTES_MAX).optional(),
  }),
  chat: z.strictObject({ text: message }),
  in_app: z.strictObject({ title: subject.optional(), body: message.optional() }),
  web_push: z.strictObject({ title: subject.optional(), body: message.optional() }),
} as const;

const words = { subject: subject.optional(), message } as const;
const { web_push: push, ...withoutPush } = parts;

/** As it is stored, whatever channels the deployment has. */
export const templateContent = z.object({
  default_locale: locale,
  locales: z.record(
    z.string(),
    z.object({ ...words, ...withoutPush, web_push: push }).partial({
      email: true,
      chat: true,
      in_app: true,
      web_push: true,
    }),
  ),
});
export type TemplateContent = z.output<typeof templateContent>;
export type LocaleContent = TemplateContent['locales'][string];

/** A channel that this deployment has not is as unknown as any other name. */
export function templateSchemas(channels: Channels) {
  const known = channels.has('web_push') ? { ...withoutPush, web_push: push } : withoutPush;
  const content = z.strictObject({ ...words, ...z.object(known).partial().shape });
  const locales = z
    .array(content.extend({ locale }))
    .min(1)
    .max(LOCALES_MAX)
    .describe('What it says in each language');
  const body = {
    default_locale: locale.describe('Of sends that name no locale, or one that the template has not'),
    locales,
  };
  return {
    templateRequest: z
      .strictObject({
        ...body,
        publish: z.boolean().default(true).describe('false: sends go on with the version that is published'),
      })
      .meta({ id: 'TemplateRequest', description: 'A new version of a template.' }),
    draftPreviewRequest: z.strictObject({ ...body, locale: locale.optional(), data: data.optional() }).meta({
      id: 'TemplateDraftPreviewRequest',
      description: 'What a template would say, which is not saved.',
    }),
    template: z
      .strictObject({ ...head.shape, version: z.int(), ...body })
      .meta({ id: 'Template', description: 'A version of a template.' }),
  };
}

export const head = z.strictObject({
  template_id: z.string(),
  latest_version: z.int(),
  published_version: z.int().nullable(),
  created_at: timeSchema,
  updated_at: timeSchema,
});

export const savedTemplate = z
  .strictObject({ ...head.shape, version: z.int() })
  .meta({ id: 'SavedTemplate' });
export const templateHead = head.meta({ id: 'TemplateHead' });
export const templatePage = z.strictObject({
  items: z.array(templateHead),
  next_cursor: z.string().nullable(),
});

export const templateListQuery = z.strictObject(pageQuery());
export const templateParams = z.strictObject({ template_id: templateId });
const version = z.int().min(1).max(1_000_000);
export const templateQuery = z.strictObject({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Left out: the published one, else the latest'),
});
export const publishRequest = z
  .strictObject({ version: version.nullable().describe('null: none is published any more') })
  .meta({ id: 'TemplatePublish' });

const data = freeForm().refine(
  (given) => new TextEncoder().encode(JSON.stringify(given)).length <= TEMPLATE_DATA_BYTES_MAX,
  `must have at most ${TEMPLATE_DATA_BYTES_MAX} bytes as JSON`,
);

/** In a send. */
export const templateUse = z.strictObject({
  id: templateId,
  version: version.optional().describe('Left out: the published one'),
  data: data.optional().describe('What the template names, at most 32 KiB'),
});
export type TemplateUse = z.output<typeof templateUse>;

export const previewRequest = z
  .strictObject({
    version: version.optional().describe('Left out: the published one, else the latest'),
    locale: locale.optional(),
    data: data.optional(),
  })
  .meta({ id: 'TemplatePreviewRequest' });

const said = {
  locale: z.string().describe('The language that was taken'),
  channels: z
    .record(
      z.string().describe('Name of a channel'),
      z.strictObject({ subject: z.string(), message: z.string(), html: z.string().optional() }),
    )
    .describe('What each channel is given to send'),
};
export const templatePreview = z.strictObject({ version: z.int(), ...said }).meta({ id: 'TemplatePreview' });
export const templateDraftPreview = z.strictObject(said).meta({ id: 'TemplateDraftPreview' });
