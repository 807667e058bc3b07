// POST /v1/providers/sendgrid/events/{organization_id}: SendGrid's event webhook, after its
// signature was verified.
import type { Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../../base-deps.ts';
import { mailPlan } from './mail-target.ts';
import { settleDelivery } from '../../outcomes/settle-delivery.ts';
import {
  chooseHeavier,
  toReportedOutcome,
  sendGridEvent,
  type ReportedOutcome,
  type SendGridEvent,
} from './sendgrid-events.rules.ts';

/** SendGrid repeats an unanswered batch for a day. Event ids are stored for longer. */
export const EVENTS_REMEMBERED_MS = 7 * 24 * 60 * 60_000;
const BATCH_ROWS = 5_000;

type EventDeps = Pick<BaseDeps, 'pool' | 'clock' | 'count' | 'log'>;

/** Skips unknown events: refusing one would make SendGrid repeat the whole batch. */
export async function acceptSendGridEvents(deps: EventDeps, caller: Caller, given: readonly unknown[]) {
  const events = given.flatMap((one) => {
    const parsed = sendGridEvent.safeParse(one);
    return parsed.success && toReportedOutcome(parsed.data) ? [parsed.data] : [];
  });
  const moved = events.length === 0 ? 0 : await moveDeliveries(deps, caller.organizationId, events);
  return { received: given.length, moved };
}

async function moveDeliveries(
  deps: EventDeps,
  organizationId: string,
  events: readonly SendGridEvent[],
): Promise<number> {
  return inTransaction(deps.pool, async (sql) => {
    const deliveries = await findDeliveries(sql, organizationId, events);
    const relevant = events.filter((event) => deliveries.get(event.notification_id)?.isAbout(event));
    const fresh = await insertEvents(sql, organizationId, relevant, deps.clock());
    const outcomes = new Map<string, ReportedOutcome>();
    for (const event of relevant) {
      const reported = toReportedOutcome(event);
      if (!reported || !fresh.has(event.sg_event_id)) continue;
      const { id } = deliveries.get(event.notification_id)!;
      const known = outcomes.get(id);
      outcomes.set(id, known ? chooseHeavier(known, reported) : reported);
    }
    let moved = 0;
    // In id order, so that two batches about the same deliveries cannot deadlock.
    for (const [id, reported] of [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (await settleDelivery(deps, sql, id, reported)) moved += 1;
    }
    return moved;
  });
}

/** This organisation's mail deliveries by notification. Events about copies do not concern them. */
async function findDeliveries(sql: Sql, organizationId: string, events: readonly SendGridEvent[]) {
  const rows = await sql<{ id: string; notification_id: string; plan: string }>(
    `SELECT id, notification_id, plan FROM deliveries
     WHERE organization_id = $1 AND channel = 'email' AND notification_id = ANY($2::text[])`,
    [organizationId, [...new Set(events.map((event) => event.notification_id))]],
  );
  return new Map(
    rows.map(({ id, notification_id: notificationId, plan }) => {
      const { cc = [], bcc = [] } = mailPlan.safeParse(JSON.parse(plan)).data ?? {};
      const copies = new Set([...cc, ...bcc].map((address) => address.toLowerCase()));
      const isAbout = ({ email = '' }: SendGridEvent) => !copies.has(email.toLowerCase());
      return [notificationId, { id, isAbout }];
    }),
  );
}

/** @returns the ids that were new. */
async function insertEvents(
  sql: Sql,
  organizationId: string,
  events: readonly SendGridEvent[],
  nowMs: number,
) {
  const rows = await sql<{ event_id: string }>(
    `INSERT INTO email_events (organization_id, event_id, notification_id, event, occurred_at, received_at)
     SELECT DISTINCT ON (id) $1::text, id, notification_id, event, to_timestamp(at), $2::timestamptz
     FROM unnest($3::text[], $4::text[], $5::text[], $6::float8[]) AS given (id, notification_id, event, at)
     ORDER BY id
     ON CONFLICT (organization_id, event_id) DO NOTHING
     RETURNING event_id`,
    [
      organizationId,
      new Date(nowMs),
      events.map((event) => event.sg_event_id),
      events.map((event) => event.notification_id),
      events.map((event) => event.event),
      events.map((event) => event.timestamp),
    ],
  );
  return new Set(rows.map((row) => row.event_id));
}

/** Housekeeping. @returns the number of rows. */
export async function deleteOldEvents({ sql, clock }: Pick<BaseDeps, 'sql' | 'clock'>): Promise<number> {
  const rows = await sql(
    `DELETE FROM email_events WHERE (organization_id, event_id) IN
       (SELECT organization_id, event_id FROM email_events WHERE received_at < $1 LIMIT $2::int) RETURNING 1`,
    [new Date(clock() - EVENTS_REMEMBERED_MS), BATCH_ROWS],
  );
  return rows.length;
}
