// The endpoint table of templates.
import { post, type Endpoint } from '@parley/server/http';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { versionEndpoints } from '../versions/endpoints.ts';
import { contentId } from '../versions/schemas.ts';
import { previewDraft, previewTemplate } from './use-template.ts';
import { previewRequest, templateDraftPreview, templatePreview, templateSchemas } from './schemas.ts';
import { parseContent, toContent } from './templates.ts';

export function templateEndpoints(deps: Deps): Endpoint[] {
  const { members, templateRequest, draftPreviewRequest } = templateSchemas(deps.channels);
  return [
    ...versionEndpoints(deps, {
      kind: 'template',
      members,
      request: templateRequest,
      toContent: (caller, request) => toContent(deps, caller, request),
      toMembers: (content) => {
        const { default_locale, locales } = parseContent(content);
        const list = Object.entries(locales).map(([locale, words]) => ({ locale, ...words }));
        return { default_locale, locales: list };
      },
    }),
    post(
      '/templates/{template_id}/preview',
      {
        operationId: 'previewTemplate',
        summary: "Preview each channel's texts",
        scope: 'read',
        params: z.strictObject({ template_id: contentId }),
        body: previewRequest,
        replies: { 200: templatePreview },
        refusals: ['not_found', 'unprocessable'],
      },
      ({ caller, params: { template_id: id }, body }) => previewTemplate(deps, caller, id, body),
    ),
    post(
      '/templates/preview',
      {
        operationId: 'previewTemplateDraft',
        summary: "Preview each channel's texts with an unsaved template",
        scope: 'read',
        body: draftPreviewRequest,
        replies: { 200: templateDraftPreview },
        refusals: ['unprocessable'],
      },
      ({ caller, body }) => previewDraft(deps, caller, body),
    ),
  ];
}
