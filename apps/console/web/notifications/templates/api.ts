// Templates and their previews.
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../api/error.ts';
import { readBody, notifications } from '../../api/clients.ts';
import type { components, operations } from '@parley/sdk/notifications';
import type { TemplateRequest } from './words.rules.ts';

export type TemplateHead = components['schemas']['TemplateHead'];
export type TemplatePreview = components['schemas']['TemplateDraftPreview'];
export type PreviewRequest = components['schemas']['TemplateDraftPreviewRequest'];
export type TemplateQuery = NonNullable<operations['listTemplates']['parameters']['query']>;

/** Query keys to invalidate after a change. */
export const TEMPLATES = ['templates', 'template'];

const at = (id: string) => ({ params: { path: { template_id: id } } });

export const templatesQuery = (query: TemplateQuery) =>
  queryOptions({
    queryKey: ['templates', query],
    queryFn: () => readBody(notifications.GET('/v1/templates', { params: { query } })),
  });

export const templateQuery = (id: string, version?: number) =>
  queryOptions({
    queryKey: ['template', id, version],
    queryFn: () =>
      readBody(
        notifications.GET('/v1/templates/{template_id}', {
          params: { path: { template_id: id }, query: version === undefined ? {} : { version } },
        }),
      ),
  });

export const saveTemplate = (id: string, body: TemplateRequest) =>
  readBody(notifications.PUT('/v1/templates/{template_id}', { ...at(id), body }));

/** Saving under an existing id would create a version of that template. */
export async function createTemplate(id: string, body: TemplateRequest) {
  const { response } = await notifications.GET('/v1/templates/{template_id}', at(id));
  if (response.ok)
    throw new ApiError(409, null, { error: `The template "${id}" already exists. Choose another id.` });
  return saveTemplate(id, body);
}

export const publishTemplate = (id: string, version: number | null) =>
  readBody(notifications.POST('/v1/templates/{template_id}/publish', { ...at(id), body: { version } }));

export const deleteTemplate = (id: string) =>
  readBody(notifications.DELETE('/v1/templates/{template_id}', at(id)));

/** A POST that changes nothing. Runs at every pause in typing, so results are not cached. */
export const previewQuery = (body: PreviewRequest) =>
  queryOptions({
    queryKey: ['template-preview', body],
    queryFn: ({ signal }) => readBody(notifications.POST('/v1/templates/preview', { body, signal })),
    gcTime: 0,
  });
