// Applications and their portal links.
import { queryOptions } from '@tanstack/react-query';
import { readData, voiceApi } from '../api/clients.ts';
import type { components } from '@parley/sdk/voice-api';

export type Application = components['schemas']['Application'];
export type NewPortalLink = components['schemas']['NewPortalLink'];
export type PortalLink = components['schemas']['PortalLink'];

/** First elements of the keys of what an application owns. */
export const APPLICATIONS = ['applications', 'webhooks', 'webhook'] as const;
const ONE = '/v1/applications/{application_id}';
const LINKS = '/v1/applications/{application_id}/portal-links';
const at = (id: string) => ({ params: { path: { application_id: id } } });

export const applicationsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['applications', cursor],
    queryFn: () =>
      readData(
        voiceApi.GET('/v1/applications', { params: { query: cursor === undefined ? {} : { cursor } } }),
      ),
  });

export const renameApplication = (id: string, name: string) =>
  readData(voiceApi.PUT(ONE, { ...at(id), body: { name } }));

/** PUT renames an application that exists, which is not what a person means by creating one. */
export async function createApplication(id: string, name: string): Promise<Application> {
  const { response } = await voiceApi.GET(ONE, at(id));
  if (response.ok) throw new Error(`The id ${id} is taken. Choose another one.`);
  return renameApplication(id, name);
}

export const deleteApplication = (id: string) => readData(voiceApi.DELETE(ONE, at(id)));
export const createPortalLink = (id: string, body: NewPortalLink) =>
  readData(voiceApi.POST(LINKS, { ...at(id), body }));
export const revokePortalLinks = (id: string) => readData(voiceApi.DELETE(LINKS, at(id)));
