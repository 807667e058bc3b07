// GET /v1/audit-log, the same in every service.
import { z } from 'zod';
import { decodeCursor, pageQuery, toPage, type Dialect } from '@parley/envelopes';
import { get, type Endpoint } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { AUDIT_ACTIONS } from './actions.ts';
import { listAudit, type AuditRow } from './audit-log.ts';

export interface AuditEndpointOptions {
  readonly dialect: Dialect;
  readonly sql: Sql;
}

export function auditEndpoint({ dialect, sql }: AuditEndpointOptions): Endpoint {
  const entry = z
    .strictObject({
      id: z.string(),
      at: dialect.timeSchema,
      action: z.string().describe('A later release may have more of them'),
      actor: z.strictObject({
        kind: z.enum(['api_key', 'identity', 'signature', 'portal', 'operator']),
        id: z
          .string()
          .describe('Id of the API key, `sub` of the identity token, id of the application, or `operator`'),
      }),
      target: z.string().describe('The id of the object of the action'),
      details: z.record(z.string(), z.unknown()),
    })
    .meta({ id: 'AuditEntry' });

  const toView = ({ id, at, action, actorKind, actor, target, details }: AuditRow) => ({
    id,
    at: dialect.time(at),
    action,
    actor: { kind: actorKind, id: actor },
    target,
    details,
  });

  return get(
    '/audit-log',
    {
      operationId: 'listAuditLog',
      summary: 'Who did what, newest first; stored for a year',
      scope: 'admin',
      query: z.strictObject({
        action: z.enum(AUDIT_ACTIONS).optional(),
        actor: z.string().min(1).max(255).optional(),
        from: dialect.timeQuery.optional().describe('Not before'),
        to: dialect.timeQuery.optional().describe('Before'),
        ...pageQuery(),
      }),
      replies: { 200: dialect.pageSchema(entry) },
    },
    async ({ caller, query }) => {
      const beforeId = query.cursor === undefined ? null : decodeCursor(query.cursor, 'text')[0];
      const rows = await listAudit(sql, caller.organizationId, query, query.limit, beforeId);
      return dialect.page(toPage(rows, query.limit, ({ id }) => [id], toView));
    },
  );
}
