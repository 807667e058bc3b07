// What is set aside because workers died with it (docs/platform.md#quarantine): its delivery says so, and its organisation reads of it
// in the inbox of everybody. The rest of the organisation's work goes on.
import type { Sql } from '@parley/postgres';
import type { QuarantinedMessage } from '@parley/queues';
import { markCallbacks } from '../callbacks/callback-rows.ts';
import type { Deps } from '../deps.ts';
import { acceptMessage } from './accept-message.ts';

export const SET_ASIDE =
  'Workers ended without a word while they had it in hand. It is set aside until the operator puts it back.';

interface Told {
  readonly id: string;
  readonly organization_id: string;
  readonly notification_id: string;
  readonly channel: string;
}

/** Deliveries that nobody attempts any more. */
export async function deliveriesSetAside(deps: Deps, sql: Sql, ids: readonly string[]): Promise<() => void> {
  const rows = await sql<Told>(
    `UPDATE deliveries SET status = 'quarantined', last_error_class = 'quarantined', last_error = $2
     WHERE id = ANY($1::text[]) RETURNING id, organization_id, notification_id, channel`,
    [ids, SET_ASIDE],
  );
  await markCallbacks(
    sql,
    new Date(deps.clock()),
    rows.map((row) => row.notification_id),
  );
  return tellAll(deps, sql, rows);
}

/** Parts of these deliveries, chunks or devices: the others go on, so the delivery is open until they are put back. */
export async function partsSetAside(
  deps: Deps,
  sql: Sql,
  deliveryIds: readonly string[],
): Promise<() => void> {
  const rows = await sql<Told>(
    `UPDATE deliveries SET last_error_class = 'quarantined', last_error = $2
     WHERE id = ANY($1::text[]) RETURNING id, organization_id, notification_id, channel`,
    [deliveryIds, SET_ASIDE],
  );
  return tellAll(deps, sql, rows);
}

/** A message of another service that is not applied. */
export function messageSetAside(deps: Deps, sql: Sql, message: QuarantinedMessage): Promise<() => void> {
  return tell(
    deps,
    sql,
    message.organizationId,
    `The message ${message.id} of another service was not sent. ${SET_ASIDE}`,
  );
}

async function tellAll(deps: Deps, sql: Sql, rows: readonly Told[]): Promise<() => void> {
  const after: (() => void)[] = [];
  for (const { id, organization_id: organizationId, notification_id: notificationId, channel } of rows) {
    const facts = { id, organization_id: organizationId, notification_id: notificationId, channel };
    deps.log.error(facts, 'delivery.quarantined');
    after.push(
      await tell(
        deps,
        sql,
        organizationId,
        `Notification ${notificationId} was not sent over ${channel}. ${SET_ASIDE}`,
      ),
    );
  }
  return () => after.forEach((work) => work());
}

/** In its own inbox, and in this transaction: nothing of this can be set aside itself. */
export async function tell(
  deps: Deps,
  sql: Sql,
  organizationId: string,
  message: string,
): Promise<() => void> {
  const after: (() => unknown)[] = [];
  await acceptMessage(
    deps,
    sql,
    {
      organization_id: organizationId,
      channels: ['in_app'],
      subject: 'Work was set aside',
      message,
      target: {},
    },
    {
      organizationId,
      messageId: '',
      producer: 'notifications',
      attempt: 1,
      signal: new AbortController().signal,
      afterCommit: (work) => void after.push(work),
    },
  );
  return () => after.forEach((work) => void work());
}
