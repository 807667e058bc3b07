// The endpoint table of templates. On /v1 only: the product face is for sending.
import { del, get, post, put, type Endpoint } from '@parley/http';
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
  templateQuery,
  templateSchemas,
} from './schemas.ts';
import { deleteTemplate, getTemplate, listTemplates, publishTemplate, saveTemplate } from './templates.ts';

export function templateEndpoints(deps: Deps): Endpoint[] {
  const { templateRequest, draftPreviewRequest, template } = templateSchemas(deps.channels);
  const params = templateParams;
  return [
    get(
      '/templates',
      {
        operationId: 'listTemplates',
        summary: 'The templates, by id',
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
        summary: 'A new version of a template; the same content again is the same version',
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
        summary: 'A version of a template',
        scope: 'read',
        params,
        query: templateQuery,
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
        summary: 'What each channel would be given to send',
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
        summary: 'What each channel would be given to send by a template that is not saved',
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
        summary: 'Delete a template with all of its versions',
        scope: 'delete',
        params,
        replies: { 204: null },
        refusals: ['not_found'],
      },
      ({ caller, params: { template_id: id } }) => deleteTemplate(deps, caller, id),
    ),
  ];
}
