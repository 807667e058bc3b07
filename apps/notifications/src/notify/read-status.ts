// How far a notification got, channel by channel, and the log of its attempts.
import { AppError, notificationsDialect } from '@parley/envelopes';
import type { Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { refuseEndUser } from './accept-notification.ts';

const { time } = notificationsDialect;

/** @throws AppError not_found, also for a notification of another organisation. */
export async function getNotification({ db }: Pick<Deps, 'db'>, caller: Caller, id: string) {
  refuseEndUser(caller);
  const found = await db.notification.findFirst({
    where: { id, organizationId: caller.organizationId },
    include: { deliveries: { orderBy: { id: 'asc' } } },
  });
  if (!found) throw unknownNotification(id);
  const { createdAt, sendAt, expiresAt, canceledAt, deliveries, rejected } = found;
  return {
    notification_id: id,
    created_at: time(createdAt),
    ...(sendAt ? { send_at: time(sendAt) } : {}),
    ...(expiresAt ? { expires_at: time(expiresAt) } : {}),
    ...(canceledAt ? { canceled_at: time(canceledAt) } : {}),
    channels: deliveries.map((delivery) => channelStatus(delivery, canceledAt !== null)),
    ...(rejected === null ? {} : { rejected: JSON.parse(rejected) as unknown }),
  };
}

interface DeliveryRow {
  readonly channel: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly lastErrorClass: string | null;
  readonly sentAt: Date | null;
  readonly counts: string | null;
}

function channelStatus(row: DeliveryRow, canceled: boolean) {
  // An attempt that was under way while it was canceled may have left the row waiting; there will be no other.
  const status = canceled && row.status === 'queued' ? 'canceled' : row.status;
  return {
    channel: row.channel,
    status,
    attempts: row.attempts,
    last_error_class: row.lastErrorClass,
    sent_at: row.sentAt && time(row.sentAt),
    ...(status === 'queued' && row.nextAttemptAt ? { next_attempt_at: time(row.nextAttemptAt) } : {}),
    ...(row.counts === null ? {} : { counts: JSON.parse(row.counts) as unknown }),
  };
}

/** Attempts shown of one notification: five channels, DELIVERY_ATTEMPTS_MAX each at most. */
const ATTEMPTS_MAX = 500;

/** @throws AppError not_found */
export async function listAttempts({ db }: Pick<Deps, 'db'>, caller: Caller, id: string) {
  refuseEndUser(caller);
  const { organizationId } = caller;
  const known = await db.notification.findFirst({ where: { id, organizationId }, select: { id: true } });
  if (!known) throw unknownNotification(id);
  const attempts = await db.deliveryAttempt.findMany({
    where: { organizationId, delivery: { notificationId: id } },
    include: { delivery: { select: { channel: true } } },
    orderBy: [{ startedAt: 'asc' }, { deliveryId: 'asc' }, { attempt: 'asc' }],
    take: ATTEMPTS_MAX,
  });
  return {
    items: attempts.map(({ delivery, attempt, startedAt, ms, outcome, httpStatus, errorClass, error }) => ({
      channel: delivery.channel,
      attempt,
      started_at: time(startedAt),
      ms,
      outcome,
      http_status: httpStatus,
      error_class: errorClass,
      error,
    })),
    next_cursor: null,
  };
}

export function unknownNotification(id: string): AppError {
  return new AppError('not_found', `there is no notification "${id}"`);
}
