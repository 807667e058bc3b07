// The organisation of the session.
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { readBody, readData, flowBuilder, notifications, voiceApi, type Service } from './clients.ts';

const readOrganization = {
  'flow-builder': () => readBody(flowBuilder.GET('/v1/organization')),
  'voice-api': () => readData(voiceApi.GET('/v1/organization')),
  notifications: () => readBody(notifications.GET('/v1/organization')),
} as const;

export const organizationQuery = (service: Service) =>
  queryOptions({ queryKey: ['organization', service], queryFn: async () => readOrganization[service]() });

/** Every service returns the same id. */
export const readOrganizationId = async (queries: QueryClient): Promise<string> =>
  (await queries.ensureQueryData(organizationQuery('flow-builder'))).id;
