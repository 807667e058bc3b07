// The endpoint table of templates. Only on /v1: the product face only sends.
import { del, get, post, put, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { previewDraft, previewTemplate } from './use-template.ts';
import {
  previewRequest,
  publishRequest,
  savedTemplate,
  templateDraftPreview,
  templateHead,
  templateListQuery,
  templatePage,
  templateParams,
  templatePreview,
  templateSchemas,
} from './schemas.ts';
import { versionQuery } from '../versions/schemas.ts';
import { deleteTemplate, getTemplate, listTemplates, publishTemplate, saveTemplate } from './templates.ts';

export function templateEndpoints(deps: Deps): Endpoint[] {
  const { templateRequest, draftPreviewRequest, template } = templateSchemas(deps.channels);
  const params = templateParams;
  return [
    get(
      '/templates',
      {
        operationId: 'listTemplates',
        summary: 'List templates by id',
        scope: 'read',
        query: templateListQuery,
        replies: { 200: templatePage },
      },
      ({ caller, query }) => listTemplates(deps, caller, query),
    ),
    put(
      '/templates/{template_id}',
      {
        operationId: 'saveTemplate',
        stores: true,
        summary: 'Save a new version of a template. Equal content does not create a version',
        scope: 'write',
        params,
        body: templateRequest,
        replies: { 200: savedTemplate, 201: savedTemplate },
        refusals: ['limit_exceeded'],
      },
      ({ caller, params: { template_id: id }, body }) => saveTemplate(deps, caller, id, body),
    ),
    get(
      '/templates/{template_id}',
      {
        operationId: 'getTemplate',
        summary: 'Get a version of a template',
        scope: 'read',
        params,
        query: versionQuery,
        replies: { 200: template },
        refusals: ['not_found'],
      },
      ({ caller, params: { template_id: id }, query }) => getTemplate(deps, caller, id, query.version),
    ),
    post(
      '/templates/{template_id}/publish',
      {
        operationId: 'publishTemplate',
        summary: 'Move the publish pointer',
        scope: 'write',
        params,
        body: publishRequest,
        replies: { 200: templateHead },
        refusals: ['not_found'],
      },
      ({ caller, params: { template_id: id }, body }) => publishTemplate(deps, caller, id, body.version),
    ),
    post(
      '/templates/{template_id}/preview',
      {
        operationId: 'previewTemplate',
        summary: "Preview each channel's texts",
        scope: 'read',
        params,
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
    del(
      '/templates/{template_id}',
      {
        operationId: 'deleteTemplate',
        summary: 'Delete a template with all versions',
        scope: 'delete',
        params,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params: { template_id: id } }) => deleteTemplate(deps, caller, id),
    ),
  ];
}
