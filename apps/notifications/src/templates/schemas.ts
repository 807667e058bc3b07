// Wire schemas of templates (docs/notifications.md#templates).
import { z } from 'zod';
import { freeForm } from '@parley/envelopes';
import type { Channels } from '../channels/channels.ts';
import { channelTexts, locale, texts } from '../rendering/template-content.ts';
import { contentId, publishMember, versionNumber } from '../versions/schemas.ts';

export const LOCALES_MAX = 50;
/** Of one version, as JSON. */
export const CONTENT_BYTES_MAX = 512 * 1024;
/** Of one send. */
export const TEMPLATE_DATA_BYTES_MAX = 32 * 1024;

/** A channel that this deployment does not have is refused like an unknown name. */
export function templateSchemas(channels: Channels) {
  const { web_push: _, ...withoutPush } = channelTexts;
  const known = channels.has('web_push') ? channelTexts : withoutPush;
  const content = z.strictObject({ ...texts, ...z.object(known).partial().shape });
  const locales = z
    .array(content.extend({ locale }).meta({ id: 'TemplateTexts' }))
    .min(1)
    .max(LOCALES_MAX)
    .describe('The texts in each language');
  const body = {
    default_locale: locale.describe(
      'Used when a send names no locale, or one that the template does not have',
    ),
    locales,
  };
  return {
    templateRequest: z
      .strictObject({ ...body, publish: publishMember })
      .meta({ id: 'TemplateRequest', description: 'A new version of a template.' }),
    draftPreviewRequest: z
      .strictObject({ ...body, locale: locale.optional(), data: templateData.optional() })
      .meta({
        id: 'TemplateDraftPreviewRequest',
        description: 'An unsaved template to preview.',
      }),
    members: body,
  };
}

export const templateData = freeForm().refine(
  (given) => new TextEncoder().encode(JSON.stringify(given)).length <= TEMPLATE_DATA_BYTES_MAX,
  `must have at most ${TEMPLATE_DATA_BYTES_MAX} bytes as JSON`,
);

/** The template of a send. */
export const templateUse = z.strictObject({
  id: contentId,
  version: versionNumber.optional().describe('Default: the published version'),
  data: templateData.optional().describe('Data for the template, at most 32 KiB'),
});
export type TemplateUse = z.output<typeof templateUse>;

export const previewRequest = z
  .strictObject({
    version: versionNumber.optional().describe('Default: the published version, else the latest'),
    locale: locale.optional(),
    data: templateData.optional(),
  })
  .meta({ id: 'TemplatePreviewRequest' });

const previewMembers = {
  locale: z.string().describe('The language in use'),
  channels: z
    .record(
      z.string().describe('Name of a channel'),
      z.strictObject({ subject: z.string(), message: z.string(), html: z.string().optional() }),
    )
    .describe('The texts of each channel'),
};
export const templatePreview = z
  .strictObject({ version: z.int(), ...previewMembers })
  .meta({ id: 'TemplatePreview' });
export const templateDraftPreview = z.strictObject(previewMembers).meta({ id: 'TemplateDraftPreview' });
