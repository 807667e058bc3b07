// GET /v1/organization: limits and usage of the caller's organisation. The same in every service.
import { z } from 'zod';
import { get, type Endpoint } from '@parley/server/http';
import {
  getCaps,
  findOrganization,
  getLimits,
  PLANS,
  unknownOrganization,
} from '@parley/server/organizations';
import type { Sql } from '@parley/server/postgres';
import type { ServiceName } from '@parley/server/runtime';
import type { Limits } from './limits.ts';

export function organizationEndpoint(
  service: ServiceName,
  sql: Sql,
  { caps, storage }: Pick<Limits, 'caps' | 'storage'>,
): Endpoint {
  const names = Object.keys(getCaps(service, 'starter'));
  const members = <Value extends z.ZodType>(value: Value) =>
    Object.fromEntries(names.map((name) => [name, value]));
  const sends = getLimits(service, unknownOrganization('')).notifyPerMinute !== undefined;
  const organization = z
    .strictObject({
      id: z.string(),
      name: z.string().nullable(),
      plan: z.enum(PLANS),
      limits: z.strictObject({
        requests_per_minute: z.int().nullable().describe('Requests in any 60 s; null: not limited'),
        concurrent_connections: z.int().nullable().describe('Requests in flight at once; null: not limited'),
        ...(sends
          ? { notify_per_minute: z.int().nullable().describe('Sends in any 60 s; null: not limited') }
          : {}),
        storage_bytes: z.int().describe('Bytes that it may store in this service'),
        ...members(z.int()),
      }),
      used: z
        .strictObject({
          storage_bytes: z.int().describe('As of the last measurement, one or a few minutes ago'),
          ...members(z.int().optional()),
        })
        .describe('Only where counting is cheap'),
    })
    .meta({ id: 'Organization' });

  return get(
    '/organization',
    {
      operationId: 'getOrganization',
      summary: 'The organisation of the credential: its plan, its limits, and their use',
      scope: 'read',
      replies: { 200: organization },
    },
    async ({ caller }) => {
      const { organizationId: id } = caller;
      const found = (await findOrganization(sql, id)) ?? unknownOrganization(id);
      const { requestsPerMinute, concurrentConnections, notifyPerMinute } = getLimits(service, found);
      const [read, stored] = await Promise.all([caps.read(sql, found), storage.read(found)]);
      return {
        id,
        name: found.name,
        plan: found.plan,
        limits: {
          requests_per_minute: requestsPerMinute,
          concurrent_connections: concurrentConnections,
          ...(sends ? { notify_per_minute: notifyPerMinute } : {}),
          storage_bytes: stored.of,
          ...read.caps,
        },
        used: { storage_bytes: Math.round(stored.used), ...read.used },
      };
    },
  );
}
