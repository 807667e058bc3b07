// Seals and writes accepted notifications: one statement for them and their deliveries, then the
// channels' effects in the same transaction.
import type { EndpointTransaction } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { deliveryContext } from '@parley/server/sealed-columns';
import { REENQUEUE_AFTER_MS, type ChannelName } from '@parley/jobs';
import { sealCallback, writeCallbacks } from './callback-rows.ts';
import type { NewDelivery, NewNotification, PlannedChannel, PlannedSend } from './send.ts';
import { admitAll, type Admitted } from './throttle-and-digest.ts';
import type { AcceptedDelivery, Notice } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { noticeFor } from '../deliver/send-options.ts';
import { deliveryTable } from '../deliver/delivery-table.ts';

/** The rows of a planned send, with its callback address sealed. */
export async function sealSend(
  deps: Deps,
  { notice, planned, rejected, category, timed, callbackUrl, track, workflow }: PlannedSend,
  { source, createdBy, parentId }: Pick<NewNotification, 'source' | 'createdBy' | 'parentId'>,
): Promise<NewNotification> {
  const deliveries = await Promise.all(planned.map((one) => sealDelivery(deps, notice, one)));
  const callback =
    callbackUrl === undefined
      ? null
      : { sealed: await sealCallback(deps, notice, callbackUrl), tracked: track !== undefined };
  const facts = { notice, rejected, source, createdBy, deliveries, category, timed, callback, workflow };
  return parentId === undefined ? facts : { ...facts, parentId };
}

/** The row of a planned channel, with its secret sealed and bound to it. */
export async function sealDelivery(
  { ids, dataSealer }: Pick<Deps, 'ids' | 'dataSealer'>,
  { organizationId }: Notice,
  { channel, planned: { plain, sealed: secret }, suppressed, dueAt = null }: PlannedChannel,
): Promise<NewDelivery> {
  const id = ids('dlv');
  const sealed =
    secret === undefined ? null : await dataSealer.seal(secret, deliveryContext({ organizationId, id }));
  const row = { id, channel: channel.name, plain, dueAt, sealed };
  if (suppressed === undefined) return row;
  const { errorClass, reason } = suppressed;
  return { ...row, failed: { status: 'suppressed', errorClass, message: `${reason}.` } };
}

/**
 * Admits sends past their throttles and digests, and writes those that are not joined. Runs in the
 * request's transaction if there is one, else in as few statements as possible.
 */
export async function writeAll(
  deps: Deps,
  all: readonly NewNotification[],
  transaction: EndpointTransaction | undefined,
  done: (written: readonly NewNotification[]) => void,
): Promise<readonly Admitted[]> {
  let written = all;
  const write = async (sql: Sql): Promise<readonly Admitted[]> => {
    if (!all.some(({ timed }) => timed)) {
      await insertNotifications(deps, sql, all);
      return all.map((notification) => ({ kind: 'new', notification }));
    }
    const { admitted, saveDigests } = await admitAll(deps, sql, all);
    written = admitted.flatMap((one) => (one.kind === 'joined' ? [] : one.notification));
    if (written.length > 0) await insertNotifications(deps, sql, written);
    await saveDigests(sql);
    return admitted;
  };
  if (transaction) {
    const admitted = await write(transaction.sql);
    transaction.afterCommit(() => done(written));
    return admitted;
  }
  const joins = all.some(
    ({ timed, callback, deliveries }) =>
      timed !== undefined ||
      callback !== null ||
      deliveries.some(({ channel }) => deps.channels.get(channel)?.accept),
  );
  const admitted = joins ? await inTransaction(deps.pool, write) : await write(deps.sql);
  done(written);
  return admitted;
}

const INSERT = `
  WITH notification AS (
    INSERT INTO notifications (id, organization_id, subject, subject_given, message, rejected, source, created_by,
      created_at, send_at, expires_at, request_id, traceparent, category, parent_id, content_id,
      workflow_id, workflow_version)
    SELECT id, $1::text, subject, subject_given, message, rejected, $2::text, $3::text, $4::timestamptz, send_at, expires_at,
      $5::text, $6::text, category, $24::text, content_id, workflow_id, workflow_version
    FROM unnest($7::text[], $8::text[], $9::boolean[], $10::text[], $11::text[], $12::timestamptz[], $13::timestamptz[], $23::text[],
        $25::text[], $27::text[], $28::int[])
      AS notice (id, subject, subject_given, message, rejected, send_at, expires_at, category, content_id, workflow_id,
        workflow_version))
  INSERT INTO deliveries (id, notification_id, organization_id, channel, status, plan, sealed, attempts,
    next_attempt_at, next_ring_at, last_error_class, last_error, sent_at, shared_bytes)
  SELECT id, notification_id, $1::text, channel, status, plan, sealed,
    CASE WHEN status = 'delivered' THEN 1 ELSE 0 END,
    CASE WHEN status = 'queued' THEN COALESCE(send_at, $4::timestamptz) END,
    -- A scheduled send has no job: the sweeper rings when its time has come.
    CASE WHEN status = 'queued' THEN COALESCE(send_at, $4::timestamptz + ${REENQUEUE_AFTER_MS} * interval '1 ms') END,
    error_class, error,
    CASE WHEN status = 'delivered' THEN $4::timestamptz END, shared_bytes
  FROM unnest($14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
      $22::timestamptz[], $26::int[])
    AS delivery (id, notification_id, channel, status, plan, sealed, error_class, error, send_at, shared_bytes)`;

/** `all` come from one request: they share organisation, time and source. At least one. */
export async function insertNotifications(
  deps: Deps,
  sql: Sql,
  all: readonly NewNotification[],
): Promise<void> {
  const [{ notice: first, source, createdBy, parentId = null }] = all as readonly [
    NewNotification,
    ...NewNotification[],
  ];
  const notices = all.map(({ notice }) => notice);
  const rows = all.flatMap(({ notice, deliveries }) =>
    deliveries.map((delivery) => ({ notice, ...delivery })),
  );
  await sql(INSERT, [
    first.organizationId,
    source,
    createdBy,
    first.createdAt,
    first.requestId,
    first.traceparent,
    notices.map(({ id }) => id),
    notices.map(({ subject }) => subject),
    notices.map(({ subjectGiven }) => subjectGiven),
    notices.map(({ message }) => message),
    all.map(({ rejected }) => (rejected.length > 0 ? JSON.stringify(rejected) : null)),
    notices.map(({ sendAt }) => sendAt),
    notices.map(({ expiresAt }) => expiresAt),
    rows.map(({ id }) => id),
    rows.map(({ notice }) => notice.id),
    rows.map(({ channel }) => channel),
    rows.map((row) => decideStatus(deps, row, getDueAt(row.notice, row))),
    rows.map(({ plain }) => JSON.stringify(plain)),
    rows.map(({ sealed }) => sealed),
    rows.map(({ failed }) => failed?.errorClass ?? null),
    rows.map(({ failed }) => failed?.message ?? null),
    rows.map((row) => getDueAt(row.notice, row)),
    all.map(({ category }) => category ?? null),
    parentId,
    notices.map(({ contentId }) => contentId ?? null),
    rows.map(({ notice }) => notice.contentBytes ?? null),
    all.map(({ workflow }) => workflow?.id ?? null),
    all.map(({ workflow }) => workflow?.version ?? null),
  ]);
  const callbacks = all.flatMap(({ notice: { id }, callback }) =>
    callback === null ? [] : [{ id, ...callback }],
  );
  if (callbacks.length > 0) await writeCallbacks(sql, first.organizationId, first.createdAt, callbacks);
  for (const [name, accepted] of groupAccepted(deps, all))
    await deps.channels.get(name)!.accept!(deps, sql, accepted);
}

/** Null: at once. */
function getDueAt({ sendAt }: Notice, { dueAt }: Pick<NewDelivery, 'dueAt'>): Date | null {
  return dueAt ?? sendAt;
}

function decideStatus(deps: Pick<Deps, 'channels'>, row: NewDelivery, sendAt: Date | null): string {
  if (row.failed) return row.failed.status ?? 'failed';
  return isDeliveredNow(deps, row, sendAt) ? 'delivered' : 'queued';
}

/** Whether the channel delivers in this transaction. */
function isDeliveredNow(
  deps: Pick<Deps, 'channels'>,
  { channel, failed }: Pick<NewDelivery, 'channel' | 'failed'>,
  sendAt: Date | null,
): boolean {
  return !failed && sendAt === null && deps.channels.get(channel)?.accept !== undefined;
}

function groupAccepted(deps: Deps, all: readonly NewNotification[]): Map<ChannelName, AcceptedDelivery[]> {
  const byChannel = new Map<ChannelName, AcceptedDelivery[]>();
  for (const { notice, deliveries } of all)
    for (const delivery of deliveries) {
      if (!isDeliveredNow(deps, delivery, getDueAt(notice, delivery))) continue;
      const { channel, plain } = delivery;
      const accepted = { notice: noticeFor(notice, plain), plain };
      if (!byChannel.get(channel)?.push(accepted)) byChannel.set(channel, [accepted]);
    }
  return byChannel;
}

/** After the commit: enqueues what waits, notifies channels and counts. Never throws. */
export function announce(deps: Deps, all: readonly NewNotification[]): void {
  const waiting = all.flatMap(({ notice, deliveries }) => {
    const due = { status: 'queued', attempts: 0, rings: 0, dueAt: notice.createdAt };
    const sendable = deliveries.filter((one) => !one.failed && getDueAt(notice, one) === null);
    return sendable.map(({ id, channel }) => ({ id, channel, ...due }));
  });
  if (waiting.length > 0) void deliveryTable(deps).enqueue(waiting);
  for (const [name, accepted] of groupAccepted(deps, all)) {
    deps.channels.get(name)!.afterCommit?.(deps, accepted[0]!.notice.organizationId);
    for (let one = 0; one < accepted.length; one += 1) deps.count.attempted(name, 'delivered');
  }
  for (const { source } of all) deps.count.accepted(source);
}

/** `announce` for one notification, with its log line. */
export function announceOne(deps: Deps, notification: NewNotification): void {
  announce(deps, [notification]);
  const { notice, rejected, source, deliveries } = notification;
  deps.log.info(
    {
      notification_id: notice.id,
      organization_id: notice.organizationId,
      request_id: notice.requestId,
      source,
      channels: deliveries.flatMap(({ channel, failed }) => (failed ? [] : channel)),
      rejected: rejected.map(({ channel }) => channel),
      failed: deliveries.flatMap(({ channel, failed }) =>
        failed ? [`${channel}: ${failed.errorClass}`] : [],
      ),
      send_at: notice.sendAt,
    },
    'notification.sent',
  );
}
