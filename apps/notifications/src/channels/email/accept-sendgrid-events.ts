// POST /v1/providers/sendgrid/events/{organization_id}: SendGrid's event webhook, after its
// signature was verified.
import type { Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../../base-deps.ts';
import { hashAddress } from '../../addresses/address-hash.ts';
import { isAddress } from '../../addresses/email-address.ts';
import { addSuppressions, type NewSuppression } from '../../people/suppression.ts';
import { mailPlan } from './mail-target.ts';
import { settleDelivery } from '../../outcomes/settle-delivery.ts';
import {
  chooseHeavier,
  findSuppressionReason,
  listMessageIds,
  toReportedOutcome,
  sendGridEvent,
  type ReportedOutcome,
  type SendGridEvent,
} from './sendgrid-events.rules.ts';

/** SendGrid repeats an unanswered batch for a day. Event ids are stored for longer. */
export const EVENTS_REMEMBERED_MS = 7 * 24 * 60 * 60_000;
const BATCH_ROWS = 5_000;

type EventDeps = Pick<BaseDeps, 'pool' | 'clock' | 'count' | 'log' | 'dataSealer' | 'ids'>;

/** An event with the delivery that it is about, if that is known. */
interface FoundEvent extends SendGridEvent {
  readonly delivery: FoundDelivery | undefined;
}

interface FoundDelivery {
  readonly id: string;
  readonly notificationId: string;
  /** False for events about copies. */
  isAbout(event: SendGridEvent): boolean;
}

/** Skips unknown kinds of events: refusing one would make SendGrid repeat the whole batch. */
export async function acceptSendGridEvents(deps: EventDeps, caller: Caller, given: readonly unknown[]) {
  const { organizationId } = caller;
  const readable = given.flatMap((one) => sendGridEvent.safeParse(one).data ?? []);
  const events = readable.filter((event) => toReportedOutcome(event) !== null);
  const { moved, lost } =
    events.length === 0 ? { moved: 0, lost: 0 } : await applyEvents(deps, organizationId, events);
  const unmatched = given.length - readable.length + lost;
  if (unmatched > 0) {
    deps.count.mailEventsUnmatched('sendgrid', unmatched);
    deps.log.warn({ organization_id: organizationId, events: unmatched }, 'email.events_unmatched');
  }
  return { received: given.length, moved, unmatched };
}

/** `lost`: events of mails that no delivery is known for. They may suppress an address too. */
async function applyEvents(deps: EventDeps, organizationId: string, events: readonly SendGridEvent[]) {
  return inTransaction(deps.pool, async (sql) => {
    const found = await findDeliveries(sql, organizationId, events);
    const freshIds = await insertEvents(sql, organizationId, found, deps.clock());
    const fresh = found.filter((event) => freshIds.has(event.sg_event_id));
    await addSuppressions(deps, sql, organizationId, listSuppressions(fresh));
    const moved = await moveDeliveries(deps, sql, fresh);
    return { moved, lost: found.filter(({ delivery }) => !delivery).length };
  });
}

function listSuppressions(events: readonly FoundEvent[]): NewSuppression[] {
  return events.flatMap((event) => {
    const { email: address = '', delivery } = event;
    const reason = findSuppressionReason(event);
    if (!reason || !isAddress(address)) return [];
    const notificationId = delivery?.notificationId ?? null;
    return { address, reason, source: 'sendgrid', detail: event.event, notificationId };
  });
}

async function moveDeliveries(deps: EventDeps, sql: Sql, events: readonly FoundEvent[]): Promise<number> {
  const outcomes = new Map<string, ReportedOutcome>();
  for (const event of events) {
    const reported = toReportedOutcome(event);
    if (!reported || !event.delivery?.isAbout(event)) continue;
    const { id } = event.delivery;
    const known = outcomes.get(id);
    outcomes.set(id, known ? chooseHeavier(known, reported) : reported);
  }
  let moved = 0;
  // In id order, so that two batches about the same deliveries cannot deadlock.
  for (const [id, reported] of [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (await settleDelivery(deps, sql, id, reported)) moved += 1;
  }
  return moved;
}

/**
 * By the notification that an event names, else by message id and receiver: this organisation's
 * mail only.
 */
async function findDeliveries(
  sql: Sql,
  organizationId: string,
  events: readonly SendGridEvent[],
): Promise<FoundEvent[]> {
  const named = await findNamedDeliveries(sql, organizationId, events);
  const rest = events.filter((event) => event.notification_id === undefined);
  const mails = await findMails(sql, organizationId, rest);
  return events.map((event) => {
    const { notification_id: id, email, sg_message_id: messageId } = event;
    if (id !== undefined) return { ...event, delivery: named.get(id) };
    const hash = email === undefined ? '' : hashAddress(organizationId, email).toString('hex');
    const mail = listMessageIds(messageId).flatMap((one) => mails.get(`${one} ${hash}`) ?? [])[0];
    return { ...event, delivery: mail };
  });
}

async function findNamedDeliveries(sql: Sql, organizationId: string, events: readonly SendGridEvent[]) {
  const rows = await sql<{ id: string; notification_id: string; plan: string }>(
    `SELECT id, notification_id, plan FROM deliveries
     WHERE organization_id = $1 AND channel = 'email' AND notification_id = ANY($2::text[])`,
    [organizationId, [...new Set(events.flatMap((event) => event.notification_id ?? []))]],
  );
  return new Map(
    rows.map(({ id, notification_id: notificationId, plan }) => {
      const { cc = [], bcc = [] } = mailPlan.safeParse(JSON.parse(plan)).data ?? {};
      const copies = new Set([...cc, ...bcc].map((address) => address.toLowerCase()));
      const isAbout = ({ email = '' }: SendGridEvent) => !copies.has(email.toLowerCase());
      return [notificationId, { id, notificationId, isAbout }];
    }),
  );
}

/** By `<message id> <hash of the receiver>`. */
async function findMails(sql: Sql, organizationId: string, events: readonly SendGridEvent[]) {
  const ids = new Set(events.flatMap((event) => listMessageIds(event.sg_message_id)));
  if (ids.size === 0) return new Map<string, FoundDelivery>();
  const rows = await sql<{ id: string; notification_id: string; message_id: string; hash: string }>(
    `SELECT deliveries.id, notification_id, message_id, encode(address_hash, 'hex') AS hash
     FROM sent_mails JOIN deliveries ON deliveries.id = delivery_id
     WHERE sent_mails.organization_id = $1 AND message_id = ANY($2::text[])`,
    [organizationId, [...ids]],
  );
  return new Map(
    rows.map(({ id, notification_id: notificationId, message_id: messageId, hash }) => {
      const delivery: FoundDelivery = { id, notificationId, isAbout: () => true };
      return [`${messageId} ${hash}`, delivery];
    }),
  );
}

/** @returns the ids that were new. */
async function insertEvents(sql: Sql, organizationId: string, events: readonly FoundEvent[], nowMs: number) {
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
      events.map(({ delivery }) => delivery?.notificationId ?? null),
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
