// Tells callbacks of notifications whose channels have all settled: the row goes with the commit that writes the message, so it is told
// once, by whichever worker. Of a notification that is tracked it stays, and is told of the first open and click after that. The one-off
// delivery of the voice API does the sending (docs/notifications.md#callbacks).
import { inTransaction, type Sql } from '@parley/postgres';
import { signingSecrets, type OutgoingMessage } from '@parley/queues';
import { callbackContext } from '@parley/sealed-columns';
import { signingKeys, webhookSecrets } from '../channels/webhook.ts';
import type { Deps } from '../deps.ts';
import { getNotification } from '../notify/read-status.ts';

/** Rows of one transaction: two reads and a message of some KiB each. */
const LOOKED_AT_ONCE = 50;
/** Transactions of a round; what is left comes with the next one. */
const BATCHES_MAX = 20;
/** A secret or a key that cannot be read now may be there later. Its notification's retention ends it. */
const AGAIN_AFTER_MS = 60_000;

interface Marked {
  readonly id: string;
  readonly organizationId: string;
}

/** One round. Gives how many were told. */
export async function tellSettled(deps: Deps): Promise<number> {
  let told = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const marked = await deps.sql<Marked>(
      `SELECT id, organization_id AS "organizationId" FROM notification_callbacks WHERE look_at <= $1
       ORDER BY look_at LIMIT ${LOOKED_AT_ONCE}`,
      [new Date(deps.clock())],
    );
    told += await tellMarked(deps, marked);
    if (marked.length < LOOKED_AT_ONCE) break;
  }
  return told;
}

async function tellMarked(deps: Deps, marked: readonly Marked[]): Promise<number> {
  if (marked.length === 0) return 0;
  // Before the transaction: a secret may have to be fetched.
  const secrets = new Map<string, readonly string[] | null>();
  for (const { organizationId } of marked)
    if (!secrets.has(organizationId)) secrets.set(organizationId, await secretsOf(deps, organizationId));
  const enqueued = await inTransaction(deps.pool, async (sql) => {
    const messages = await messagesOf(deps, sql, marked, secrets);
    return deps.outbox.write(sql, messages);
  });
  void deps.outbox.enqueueJobs(enqueued);
  return enqueued.ids.length;
}

interface CallbackRow extends Marked {
  readonly sealed: string;
  readonly tracked: boolean;
  /** It was told of that before. */
  readonly settled: boolean;
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

async function messagesOf(
  deps: Deps,
  sql: Sql,
  marked: readonly Marked[],
  secrets: ReadonlyMap<string, readonly string[] | null>,
): Promise<OutgoingMessage[]> {
  const nowMs = deps.clock();
  // Locked first, looked at second: either the end of a channel that settles meanwhile is seen, or its mark comes after this look.
  const rows = await sql<CallbackRow>(
    `SELECT callback.id, callback.organization_id AS "organizationId", sealed, tracked, settled_told_at IS NOT NULL AS settled,
       request_id AS "requestId", traceparent
     FROM notification_callbacks AS callback JOIN notifications AS notification ON notification.id = callback.id
     WHERE callback.id = ANY($1::text[]) AND look_at <= $2 ORDER BY callback.id FOR UPDATE OF callback SKIP LOCKED`,
    [marked.map(({ id }) => id), new Date(nowMs)],
  );
  const messages: OutgoingMessage[] = [];
  const told: string[] = [];
  const stays: string[] = [];
  const open: string[] = [];
  const again: string[] = [];
  for (const row of rows) {
    const data = await getNotification({ sql }, row, row.id);
    if (!row.settled && data.channels.some(({ status }) => status === 'queued' || status === 'sending')) {
      open.push(row.id);
      continue;
    }
    const message = await messageOf(deps, row, data, secrets.get(row.organizationId) ?? null, nowMs);
    if (message) messages.push(message);
    (!message ? again : row.tracked ? stays : told).push(row.id);
  }
  await sql('DELETE FROM notification_callbacks WHERE id = ANY($1::text[])', [told]);
  await sql(
    `UPDATE notification_callbacks SET look_at = CASE WHEN id = ANY($2::text[]) THEN $3::timestamptz END,
       settled_told_at = CASE WHEN id = ANY($4::text[]) THEN COALESCE(settled_told_at, $5) ELSE settled_told_at END
     WHERE id = ANY($1::text[])`,
    [[...open, ...again, ...stays], again, new Date(nowMs + AGAIN_AFTER_MS), stays, new Date(nowMs)],
  );
  return messages;
}

/** Undefined when it cannot be told now. */
async function messageOf(
  { dataSealer, ids, log }: Deps,
  { id, organizationId, sealed, settled, requestId, traceparent }: CallbackRow,
  data: object,
  secrets: readonly string[] | null,
  nowMs: number,
): Promise<OutgoingMessage | undefined> {
  const facts = { notification_id: id, organization_id: organizationId, request_id: requestId };
  if (secrets === null) return undefined;
  const event = settled ? 'notification.engaged' : 'notification.settled';
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
        body: { id: ids('evt'), event, timestamp: new Date(nowMs).toISOString(), data },
      },
      trace: { requestId: requestId ?? undefined, traceparent: traceparent ?? undefined },
    };
  } catch (error) {
    log.error({ err: error, ...facts }, 'callback.not_told');
    return undefined;
  }
}

/** Null when there is none to sign with at the moment. */
async function secretsOf({ settings, log }: Deps, organizationId: string): Promise<readonly string[] | null> {
  try {
    const secret = await settings.get(organizationId, 'webhook_secret');
    const secrets = secret && signingSecrets.safeParse(webhookSecrets(secret));
    if (secrets?.success && signingKeys(secrets.data)) return secrets.data;
    log.warn({ organization_id: organizationId }, 'callback.without_secret');
  } catch (error) {
    log.warn({ err: error, organization_id: organizationId }, 'secret.unavailable');
  }
  return null;
}
