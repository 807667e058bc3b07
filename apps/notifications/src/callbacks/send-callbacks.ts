// Enqueues callbacks of settled notifications. The row is deleted in the commit that writes the
// message, so each callback is sent once. The row of a tracked notification stays and also reports
// the first open and click. The voice API's one-off deliveries send them
// (docs/notifications.md#callbacks).
import { inTransaction, type Sql } from '@parley/server/postgres';
import { signingSecrets, type OutgoingMessage } from '@parley/jobs';
import { deriveId } from '@parley/server/runtime';
import { callbackContext } from '@parley/server/sealed-columns';
import { parseSigningKeys, splitSecrets } from '../channels/webhook/webhook.ts';
import type { Deps } from '../deps.ts';
import { ENGAGEMENT_EVENTS } from '../engagements/record-engagement.ts';
import { getNotification } from '../notifications/read-status.ts';

/** Rows of one transaction: two reads and a message of some KiB each. */
const BATCH_ROWS = 50;
/** Transactions of a round. The next round takes the rest. */
const BATCHES_MAX = 20;
/** Wait while a secret or key is unreadable, until retention deletes the notification. */
const RETRY_AFTER_MS = 60_000;

interface MarkedCallback {
  readonly id: string;
  readonly organizationId: string;
}

/** One round. Returns the number of enqueued callbacks. */
export async function sendCallbacks(deps: Deps): Promise<number> {
  let enqueued = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const marked = await deps.sql<MarkedCallback>(
      `SELECT id, organization_id AS "organizationId" FROM notification_callbacks WHERE look_at <= $1
       ORDER BY look_at LIMIT ${BATCH_ROWS}`,
      [new Date(deps.clock())],
    );
    enqueued += await enqueueMarked(deps, marked);
    if (marked.length < BATCH_ROWS) break;
  }
  return enqueued;
}

async function enqueueMarked(deps: Deps, marked: readonly MarkedCallback[]): Promise<number> {
  if (marked.length === 0) return 0;
  // Outside the transaction: a secret may have to be fetched.
  const secrets = new Map<string, readonly string[] | null>();
  for (const { organizationId } of marked)
    if (!secrets.has(organizationId)) secrets.set(organizationId, await loadSecrets(deps, organizationId));
  const enqueued = await inTransaction(deps.pool, async (sql) => {
    const messages = await buildMessages(deps, sql, marked, secrets);
    return deps.outbox.write(sql, messages);
  });
  void deps.outbox.enqueueJobs(enqueued);
  return enqueued.ids.length;
}

interface CallbackRow extends MarkedCallback {
  readonly sealed: string;
  readonly tracked: boolean;
  /** The settlement was already reported. */
  readonly settled: boolean;
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

async function buildMessages(
  deps: Deps,
  sql: Sql,
  marked: readonly MarkedCallback[],
  secrets: ReadonlyMap<string, readonly string[] | null>,
): Promise<OutgoingMessage[]> {
  const nowMs = deps.clock();
  // Lock first, then read: a channel that settles now is visible, or marks the row again.
  const rows = await sql<CallbackRow>(
    `SELECT callback.id, callback.organization_id AS "organizationId", sealed, tracked, settled_told_at IS NOT NULL AS settled,
       request_id AS "requestId", traceparent
     FROM notification_callbacks AS callback JOIN notifications AS notification ON notification.id = callback.id
     WHERE callback.id = ANY($1::text[]) AND look_at <= $2 ORDER BY callback.id FOR UPDATE OF callback SKIP LOCKED`,
    [marked.map(({ id }) => id), new Date(nowMs)],
  );
  const messages: OutgoingMessage[] = [];
  const done: string[] = [];
  const remaining: string[] = [];
  const open: string[] = [];
  const unsendable: string[] = [];
  for (const row of rows) {
    const data = await getNotification({ sql }, row, row.id);
    if (!row.settled && data.channels.some(({ status }) => status === 'queued' || status === 'sending')) {
      open.push(row.id);
      continue;
    }
    const message = await buildMessage(deps, row, data, secrets.get(row.organizationId) ?? null, nowMs);
    if (message) messages.push(message);
    (!message ? unsendable : row.tracked ? remaining : done).push(row.id);
  }
  await sql('DELETE FROM notification_callbacks WHERE id = ANY($1::text[])', [done]);
  await sql(
    `UPDATE notification_callbacks SET look_at = CASE WHEN id = ANY($2::text[]) THEN $3::timestamptz END,
       settled_told_at = CASE WHEN id = ANY($4::text[]) THEN COALESCE(settled_told_at, $5) ELSE settled_told_at END
     WHERE id = ANY($1::text[])`,
    [
      [...open, ...unsendable, ...remaining],
      unsendable,
      new Date(nowMs + RETRY_AFTER_MS),
      remaining,
      new Date(nowMs),
    ],
  );
  return messages;
}

/** Undefined when the message cannot be built now. */
async function buildMessage(
  { dataSealer, log }: Deps,
  { id, organizationId, sealed, settled, requestId, traceparent }: CallbackRow,
  data: NotificationStatus,
  secrets: readonly string[] | null,
  nowMs: number,
): Promise<OutgoingMessage | undefined> {
  const facts = { notification_id: id, organization_id: organizationId, request_id: requestId };
  if (secrets === null) return undefined;
  const event = settled ? 'notification.engaged' : 'notification.settled';
  const eventId = deriveId('evt', [organizationId, id], [event, ...(settled ? listEngagements(data) : [])]);
  try {
    const url = await dataSealer.unseal(sealed, callbackContext({ organizationId, id }));
    log.info(facts, event);
    return {
      contract: 'webhook.deliver',
      organizationId,
      payload: {
        url,
        event,
        signing_secrets: [...secrets],
        body: { id: eventId, event, timestamp: new Date(nowMs).toISOString(), data },
      },
      trace: { requestId: requestId ?? undefined, traceparent: traceparent ?? undefined },
    };
  } catch (error) {
    log.error({ err: error, ...facts }, 'callback.not_told');
    return undefined;
  }
}

type NotificationStatus = Awaited<ReturnType<typeof getNotification>>;

/** What the callback reports first: it decides the id, so that a repeat has the same. */
function listEngagements({ channels }: NotificationStatus): string[] {
  return channels.flatMap((one) =>
    ENGAGEMENT_EVENTS.filter((event) => `${event}_at` in one).map((event) => `${one.channel} ${event}`),
  );
}

/** Null when there is no usable secret at the moment. */
async function loadSecrets(
  { settings, log }: Deps,
  organizationId: string,
): Promise<readonly string[] | null> {
  try {
    const secret = await settings.get(organizationId, 'webhook_secret');
    const secrets = secret && signingSecrets.safeParse(splitSecrets(secret));
    if (secrets?.success && parseSigningKeys(secrets.data)) return secrets.data;
    log.warn({ organization_id: organizationId }, 'callback.without_secret');
  } catch (error) {
    log.warn({ err: error, organization_id: organizationId }, 'secret.unavailable');
  }
  return null;
}
