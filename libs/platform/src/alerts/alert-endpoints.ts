// GET /v1/alerts and its acknowledgement, the same in every service. End users never have its
// scope, `admin`.
import { z } from 'zod';
import { AppError, decodeCursor, pageQuery, toPage, type Dialect } from '@parley/envelopes';
import { get, put, type Endpoint } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { ALERT_KINDS, alertKinds, type AlertKindName } from './alert-kinds.ts';
import { acknowledgeAlert, ALERT_STATUSES, listAlerts, type AlertRow } from './alerts.ts';

export interface AlertEndpointsOptions {
  readonly dialect: Dialect;
  readonly sql: Sql;
}

/** `alt_` and 32 digits, with room. */
const ID_CHARS_MAX = 64;

export function alertEndpoints({ dialect, sql }: AlertEndpointsOptions): Endpoint[] {
  const alert = z
    .strictObject({
      id: z.string(),
      kind: z.string().describe('A later release may know more of them'),
      severity: z.enum(['error', 'warning']),
      title: z.string(),
      subject: z.string().describe('The id of what is concerned; one alert of a kind and subject is open'),
      message: z.string().describe('Of the last time that the cause showed'),
      status: z.enum(ALERT_STATUSES),
      opened_at: dialect.timeSchema,
      last_raised_at: dialect.timeSchema.describe('When the cause showed last, within 10 s'),
      acknowledged_at: dialect.timeSchema.nullable(),
      acknowledged_by: z.string().nullable(),
      resolved_at: dialect.timeSchema.nullable().describe('When the cause was gone'),
    })
    .meta({ id: 'Alert' });

  const time = (at: Date | null) => (at === null ? null : dialect.time(at));
  const view = (row: AlertRow) => ({
    id: row.id,
    kind: row.kind,
    ...titled(row.kind),
    subject: row.subject,
    message: row.message,
    status: statusOf(row),
    opened_at: dialect.time(row.openedAt),
    last_raised_at: dialect.time(row.lastRaisedAt),
    acknowledged_at: time(row.acknowledgedAt),
    acknowledged_by: row.acknowledgedBy,
    resolved_at: time(row.resolvedAt),
  });

  return [
    get(
      '/alerts',
      {
        operationId: 'listAlerts',
        summary: 'What goes wrong for the organisation on this platform, newest first; for its operators',
        scope: 'admin',
        query: z.strictObject({
          status: z.enum(ALERT_STATUSES).optional(),
          kind: z.enum(ALERT_KINDS).optional(),
          ...pageQuery(),
        }),
        replies: { 200: dialect.pageSchema(alert) },
      },
      async ({ caller, query }) => {
        const after = query.cursor === undefined ? null : decodeCursor(query.cursor, 'time', 'text');
        const rows = await listAlerts(sql, caller.organizationId, query, query.limit, after);
        return dialect.page(toPage(rows, query.limit, ({ openedAt, id }) => [openedAt.getTime(), id], view));
      },
    ),

    put(
      '/alerts/{id}/acknowledgement',
      {
        operationId: 'acknowledgeAlert',
        summary: 'Acknowledge an alert. It resolves by itself when its cause is gone',
        scope: 'admin',
        params: z.strictObject({ id: z.string().min(1).max(ID_CHARS_MAX) }),
        replies: { 200: alert },
        refusals: ['not_found'],
      },
      async ({ caller, params }) => {
        const row = await acknowledgeAlert(sql, caller.organizationId, params.id, caller.principal);
        if (!row) throw new AppError('not_found', `alert: there is none with the id "${params.id}"`);
        return view(row);
      },
    ),
  ];
}

/** A newer release may have raised it. */
function titled(kind: AlertKindName) {
  const { severity, title } = Object.hasOwn(alertKinds, kind)
    ? alertKinds[kind]
    : ({ severity: 'warning', title: kind } as const);
  return { severity, title };
}

function statusOf({ resolvedAt, acknowledgedAt }: AlertRow) {
  return resolvedAt ? 'resolved' : acknowledgedAt ? 'acknowledged' : 'open';
}
