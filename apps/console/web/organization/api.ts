// Health and audit log of each service.
import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { readBody, readData, flowBuilder, notifications, voiceApi, type Service } from '../api/clients.ts';

interface AuditQuery {
  readonly actor?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number;
}

/** The services differ only in the format of timestamps. */
export type AuditEntry = Awaited<
  ReturnType<NonNullable<ReturnType<typeof auditQuery>['queryFn']>>
>['items'][number];

export function auditQuery(service: Service, { actor, cursor, limit }: AuditQuery) {
  const query = {
    ...(actor ? { actor } : {}),
    ...(cursor ? { cursor } : {}),
    ...(limit ? { limit } : {}),
  };
  const params = { params: { query } };
  const ask = {
    'flow-builder': () => readBody(flowBuilder.GET('/v1/audit-log', params)),
    'voice-api': () => readData(voiceApi.GET('/v1/audit-log', params)),
    notifications: () => readBody(notifications.GET('/v1/audit-log', params)),
  };
  return queryOptions({
    queryKey: ['audit-log', service, query],
    queryFn: async () => ask[service](),
  });
}

/** /health is not part of the OpenAPI documents. */
const health = z.object({
  status: z.string(),
  version: z.string(),
  store: z.looseObject({ ready: z.boolean() }),
  classifier: z.object({ ready: z.boolean(), message: z.string().optional() }).optional(),
});

/** Null when the service does not answer. */
export const healthQuery = (service: Service) =>
  queryOptions({
    queryKey: ['health', service],
    queryFn: async () => {
      const response = await fetch(`/api/${service}/health`);
      return response.ok ? health.parse(await response.json()) : null;
    },
    refetchInterval: 15_000,
    retry: false,
  });
