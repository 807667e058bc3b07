// Applies events of mail providers to deliveries and to the list of suppressed addresses.
import type { Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../../../base-deps.ts';
import { getAddress } from '../../../addresses/mailbox.rules.ts';
import { hashAddress } from '../../../addresses/address-hash.ts';
import { isAddress } from '../../../addresses/email-address.ts';
import { addSuppressions, type NewSuppression } from '../../../people/suppression.ts';
import { mailPlan } from '../mail-target.ts';
import type { EventProviderName } from '../mail-provider.ts';
import { settleDelivery } from '../../../outcomes/settle-delivery.ts';
import {
  chooseHeavier,
  findSuppressionReason,
  toReportedOutcome,
  type MailEvent,
  type ReportedOutcome,
} from './mail-event.rules.ts';

/** Providers repeat an unanswered request for a day at most. Event ids are stored for longer. */
export const EVENTS_REMEMBERED_MS = 7 * 24 * 60 * 60_000;
const BATCH_ROWS = 5_000;

type EventDeps = Pick<BaseDeps, 'pool' | 'clock' | 'count' | 'log' | 'dataSealer' | 'ids'>;

/** An event with the delivery that it is about, if that is known. */
interface FoundEvent extends MailEvent {
  readonly delivery: FoundDelivery | undefined;
}

interface FoundDelivery {
  readonly id: string;
  readonly notificationId: string;
  /** False for events about copies. */
  isAbout(event: MailEvent): boolean;
}

/**
 * Unknown words and mail are stored and counted: refusing an event would make a provider repeat the
 * whole batch. `received`: events with those that could not be read.
 */
export async function acceptMailEvents(
  deps: EventDeps,
  { organizationId }: Caller,
  provider: EventProviderName,
  events: readonly MailEvent[],
  received: number,
) {
  const relevant = events.filter(({ meaning }) => meaning !== 'irrelevant');
  const { moved, unknown } =
    relevant.length === 0
      ? { moved: 0, unknown: 0 }
      : await applyEvents(deps, organizationId, provider, relevant);
  const unmatched = received - events.length + unknown;
  if (unmatched > 0) {
    deps.count.mailEventsUnmatched(provider, unmatched);
    const facts = { organization_id: organizationId, provider, events: unmatched };
    deps.log.warn(facts, 'email.events_unmatched');
  }
  return { received, moved, unmatched };
}

/** `unknown`: of mails that no delivery is known for, which may suppress an address, and words. */
async function applyEvents(
  deps: EventDeps,
  organizationId: string,
  provider: EventProviderName,
  events: readonly MailEvent[],
) {
  return inTransaction(deps.pool, async (sql) => {
    const found = await findDeliveries(sql, organizationId, events);
    const freshIds = await insertEvents(sql, organizationId, found, deps.clock());
    const fresh = found.filter((event) => freshIds.has(event.id));
    await addSuppressions(deps, sql, organizationId, listSuppressions(provider, fresh));
    const moved = await moveDeliveries(deps, sql, fresh);
    const unknown = found.filter(({ delivery, meaning }) => !delivery || meaning === undefined);
    return { moved, unknown: unknown.length };
  });
}

function listSuppressions(source: EventProviderName, events: readonly FoundEvent[]): NewSuppression[] {
  return events.flatMap((event) => {
    const { address = '', delivery, name: detail } = event;
    const reason = findSuppressionReason(event);
    if (!reason || !isAddress(address)) return [];
    return { address, reason, source, detail, notificationId: delivery?.notificationId ?? null };
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
  events: readonly MailEvent[],
): Promise<FoundEvent[]> {
  const named = await findNamedDeliveries(sql, organizationId, events);
  const rest = events.filter((event) => event.notificationId === undefined);
  const mails = await findMails(sql, organizationId, rest);
  return events.map((event) => {
    const { notificationId: id, address, messageIds } = event;
    if (id !== undefined) return { ...event, delivery: named.get(id) };
    const hash = address === undefined ? '' : hashAddress(organizationId, address).toString('hex');
    const mail = messageIds.flatMap((one) => mails.get(`${one} ${hash}`) ?? [])[0];
    return { ...event, delivery: mail };
  });
}

async function findNamedDeliveries(sql: Sql, organizationId: string, events: readonly MailEvent[]) {
  const rows = await sql<{ id: string; notification_id: string; plan: string }>(
    `SELECT id, notification_id, plan FROM deliveries
     WHERE organization_id = $1 AND channel = 'email' AND notification_id = ANY($2::text[])`,
    [organizationId, [...new Set(events.flatMap((event) => event.notificationId ?? []))]],
  );
  return new Map(
    rows.map(({ id, notification_id: notificationId, plan }) => {
      const { cc = [], bcc = [] } = mailPlan.safeParse(JSON.parse(plan)).data ?? {};
      const copies = new Set([...cc, ...bcc].map((mailbox) => getAddress(mailbox).toLowerCase()));
      const isAbout = ({ address = '' }: MailEvent) => !copies.has(address.toLowerCase());
      return [notificationId, { id, notificationId, isAbout }];
    }),
  );
}

/** By `<message id> <hash of the receiver>`. */
async function findMails(sql: Sql, organizationId: string, events: readonly MailEvent[]) {
  const ids = new Set(events.flatMap(({ messageIds }) => messageIds));
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
      events.map(({ id }) => id),
      events.map(({ delivery }) => delivery?.notificationId ?? null),
      events.map(({ name }) => name),
      events.map(({ occurredAtMs }) => occurredAtMs / 1_000),
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
