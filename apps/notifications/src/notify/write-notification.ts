// The rows of an accepted notification: one statement for the notification and all of its deliveries, then what channels
// do in the same transaction.
import type { Sql } from '@parley/postgres';
import { RING_AGAIN_AFTER_MS, type ChannelName } from '@parley/queues';
import type { Notice } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { deliveryTable } from './delivery-table.ts';

export interface NewNotification {
  readonly notice: Notice;
  readonly rejected: readonly { readonly channel: string; readonly reason: string }[];
  /** `api`, or the service whose message asked for it. */
  readonly source: string;
  readonly createdBy: string;
}

export interface NewDelivery {
  readonly id: string;
  /** A name that this deployment does not have comes with `failed`. */
  readonly channel: ChannelName;
  readonly plain: object;
  readonly sealed: string | null;
  /** Set for what cannot be sent and is written down as such: a channel of a message that is not configured. */
  readonly failed?: { readonly errorClass: string; readonly message: string };
}

const INSERT = `
  WITH notification AS (
    INSERT INTO notifications (id, organization_id, subject, subject_given, message, rejected, source, created_by,
      created_at, send_at, expires_at, request_id, traceparent)
    VALUES ($1::text, $2::text, $3::text, $4::boolean, $5::text, $6::text, $7::text, $8::text,
      $9::timestamptz, $10::timestamptz, $11::timestamptz, $12::text, $13::text))
  INSERT INTO deliveries (id, notification_id, organization_id, channel, status, plan, sealed, attempts,
    next_attempt_at, next_ring_at, last_error_class, last_error, sent_at)
  SELECT id, $1::text, $2::text, channel, status, plan, sealed,
    CASE WHEN status = 'delivered' THEN 1 ELSE 0 END,
    CASE WHEN status = 'queued' THEN $14::timestamptz END,
    CASE WHEN status = 'queued' THEN $15::timestamptz END,
    error_class, error,
    CASE WHEN status = 'delivered' THEN $9::timestamptz END
  FROM unnest($16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[])
    AS delivery (id, channel, status, plan, sealed, error_class, error)`;

export async function writeNotification(
  deps: Deps,
  sql: Sql,
  { notice, rejected, source, createdBy }: NewNotification,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const { sendAt } = notice;
  const dueAt = sendAt ?? notice.createdAt;
  await sql(INSERT, [
    notice.id,
    notice.organizationId,
    notice.subject,
    notice.subjectGiven,
    notice.message,
    rejected.length > 0 ? JSON.stringify(rejected) : null,
    source,
    createdBy,
    notice.createdAt,
    sendAt,
    notice.expiresAt,
    notice.requestId,
    notice.traceparent,
    dueAt,
    // A scheduled send has no job: the sweeper rings when its time has come.
    sendAt ?? new Date(notice.createdAt.getTime() + RING_AGAIN_AFTER_MS),
    deliveries.map(({ id }) => id),
    deliveries.map(({ channel }) => channel),
    deliveries.map((delivery) =>
      delivery.failed ? 'failed' : isNow(deps, delivery, sendAt) ? 'delivered' : 'queued',
    ),
    deliveries.map(({ plain }) => JSON.stringify(plain)),
    deliveries.map(({ sealed }) => sealed),
    deliveries.map(({ failed }) => failed?.errorClass ?? null),
    deliveries.map(({ failed }) => failed?.message ?? null),
  ]);
  for (const delivery of deliveries) {
    if (delivery.failed || !isNow(deps, delivery, sendAt)) continue;
    const { id, channel, plain } = delivery;
    await deps.channels.get(channel)!.accept!(deps, sql, notice, { id, channel, plain, attempt: 1 });
  }
}

/** Whether the channel does its work in this transaction. */
function isNow(deps: Pick<Deps, 'channels'>, { channel }: NewDelivery, sendAt: Date | null): boolean {
  return sendAt === null && deps.channels.get(channel)?.accept !== undefined;
}

/** After the commit: rings for what waits, tells whom it concerns, and says so once. Never throws. */
export function announce(
  deps: Deps,
  { notice, rejected, source }: NewNotification,
  deliveries: readonly NewDelivery[],
): void {
  const { sendAt } = notice;
  const sendable = deliveries.filter(({ failed }) => !failed);
  if (sendAt === null) {
    const due = { status: 'queued', attempts: 0, rings: 0, dueAt: notice.createdAt };
    void deliveryTable(deps).ring(sendable.map(({ id, channel }) => ({ id, channel, ...due })));
    for (const { channel } of sendable) {
      if (!isNow(deps, { channel } as NewDelivery, sendAt)) continue;
      deps.channels.get(channel)?.committed?.(deps, notice);
      deps.count.attempted(channel, 'delivered');
    }
  }
  deps.count.accepted(source);
  deps.log.info(
    {
      notification_id: notice.id,
      organization_id: notice.organizationId,
      request_id: notice.requestId,
      source,
      channels: sendable.map(({ channel }) => channel),
      rejected: rejected.map(({ channel }) => channel),
      failed: deliveries.flatMap(({ channel, failed }) =>
        failed ? [`${channel}: ${failed.errorClass}`] : [],
      ),
      send_at: sendAt,
    },
    'notification.sent',
  );
}
