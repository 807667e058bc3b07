// Reads the status of a notification channel by channel, and the log of its attempts.
import { AppError, notificationsDialect } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Delivery, DeliveryAttempt, Notification } from '@parley/store-notifications';
import type { Deps } from '../deps.ts';
import { ENGAGEMENT, toEngagement, type EngagementRow } from '../engagements/read-engagement.ts';
import { readRecurringStatus } from '../recurring/read-recurring.ts';
import { readTopicStatus } from '../topic-sends/topic-send-status.ts';
import { isWithdrawal } from '../deliver/delivery-table.ts';

const { time } = notificationsDialect;

/** @throws AppError not_found, also for a notification of another organisation. */
export async function getNotification(
  { sql }: Pick<Deps, 'sql'>,
  caller: Pick<Caller, 'organizationId'>,
  id: string,
) {
  const found = await findNotification(sql, caller, id);
  const { createdAt, sendAt, expiresAt, canceledAt, category, rejected, workflowId } = found;
  const deliveries = await sql<DeliveryRow>(
    `SELECT channel, status, attempts, next_attempt_at AS "nextAttemptAt", last_error_class AS "lastErrorClass",
            sent_at AS "sentAt", counts, ${ENGAGEMENT} AS engagement
     FROM deliveries WHERE notification_id = $1 AND NOT (${isWithdrawal('deliveries')}) ORDER BY id`,
    [id],
  );
  return {
    notification_id: id,
    created_at: time(createdAt),
    ...(sendAt ? { send_at: time(sendAt) } : {}),
    ...(expiresAt ? { expires_at: time(expiresAt) } : {}),
    ...(canceledAt ? { canceled_at: time(canceledAt) } : {}),
    ...(category === null ? {} : { category }),
    ...(workflowId === null ? {} : { workflow: { id: workflowId, version: found.workflowVersion } }),
    ...(deliveries.length === 0 ? await readParentStatus(sql, caller.organizationId, id) : {}),
    channels: deliveries.map((delivery) => channelStatus(delivery, canceledAt !== null)),
    ...(rejected === null ? {} : { rejected: JSON.parse(rejected) as unknown }),
  };
}

/** Of what has notifications of its own: a send to a topic, or a recurring one. */
async function readParentStatus(sql: Sql, organizationId: string, id: string) {
  return {
    ...(await readTopicStatus(sql, organizationId, id)),
    ...(await readRecurringStatus(sql, organizationId, id)),
  };
}

type NotificationRow = Pick<
  Notification,
  | 'createdAt'
  | 'sendAt'
  | 'expiresAt'
  | 'canceledAt'
  | 'category'
  | 'rejected'
  | 'workflowId'
  | 'workflowVersion'
>;

/** @throws AppError not_found */
async function findNotification(
  sql: Sql,
  { organizationId }: Pick<Caller, 'organizationId'>,
  id: string,
): Promise<NotificationRow> {
  const [found] = await sql<NotificationRow>(
    `SELECT created_at AS "createdAt", send_at AS "sendAt", expires_at AS "expiresAt", canceled_at AS "canceledAt", category,
       rejected, workflow_id AS "workflowId", workflow_version AS "workflowVersion" FROM notifications WHERE id = $1 AND organization_id = $2`,
    [id, organizationId],
  );
  if (!found) throw unknownNotification(id);
  return found;
}

type DeliveryRow = Pick<
  Delivery,
  'channel' | 'status' | 'attempts' | 'nextAttemptAt' | 'lastErrorClass' | 'sentAt' | 'counts'
> & { readonly engagement: EngagementRow };

function channelStatus(row: DeliveryRow, canceled: boolean) {
  // A canceled attempt in flight may have left the row queued.
  const status = canceled && row.status === 'queued' ? 'canceled' : row.status;
  return {
    channel: row.channel,
    status,
    attempts: row.attempts,
    last_error_class: row.lastErrorClass,
    sent_at: row.sentAt && time(row.sentAt),
    ...(status === 'queued' && row.nextAttemptAt ? { next_attempt_at: time(row.nextAttemptAt) } : {}),
    ...(row.counts === null ? {} : { counts: JSON.parse(row.counts) as unknown }),
    ...toEngagement(row.engagement),
  };
}

type AttemptRow = Omit<DeliveryAttempt, 'deliveryId' | 'organizationId'> & Pick<Delivery, 'channel'>;

/** Attempts in one answer: five channels with all their attempts stay below it. */
const ATTEMPTS_MAX = 500;

/** @throws AppError not_found */
export async function listAttempts({ sql }: Pick<Deps, 'sql'>, caller: Caller, id: string) {
  await findNotification(sql, caller, id);
  const attempts = await sql<AttemptRow>(
    // A handed-over attempt ends later; its delivery holds the result.
    `SELECT channel, attempt, started_at AS "startedAt", ms, outcome,
       CASE WHEN later THEN last_http_status ELSE http_status END AS "httpStatus",
       CASE WHEN later THEN last_error_class ELSE error_class END AS "errorClass",
       CASE WHEN later THEN last_error ELSE error END AS error
     FROM delivery_attempts JOIN deliveries ON deliveries.id = delivery_id
     CROSS JOIN LATERAL (SELECT outcome = 'handed_over' AND attempt = attempts AND status <> 'sending') AS ended (later)
     WHERE notification_id = $1 AND delivery_attempts.organization_id = $2 AND NOT (${isWithdrawal('deliveries')})
     ORDER BY started_at, delivery_id, attempt LIMIT $3::int`,
    [id, caller.organizationId, ATTEMPTS_MAX],
  );
  return {
    items: attempts.map(({ channel, attempt, startedAt, ms, outcome, httpStatus, errorClass, error }) => ({
      channel,
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
