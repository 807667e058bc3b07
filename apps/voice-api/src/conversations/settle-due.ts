// Settles conversations that are due: ends those that last too long (the reaper) and makes ended
// ones final (docs/voice-api.md#settling-and-the-reaper). Replicas may run it concurrently.
//
//   claim (a lease, limited by the size of the transcripts) ── settle, in one transaction
//
// A worker that crashes leaves its lease. After two crashes a conversation is settled in isolation;
// after the third it is quarantined (docs/platform.md#quarantine).
import { raiseQuarantined } from '@parley/platform/alerts';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { deathsSql, NEVER, QUARANTINE_DEATHS, ISOLATION_DEATHS } from '@parley/jobs';
import { ignoreFailure } from '@parley/server/runtime';
import type { Deps } from './deps.ts';
import { settle } from './conversation.rules.ts';
import { toConversation, PLANNED_ROW, type ConversationKey, type PlannedRow } from './conversation-rows.ts';
import { deleteInterims } from './event-rows.ts';
import { READ_BYTES_MAX, WEIGHT } from './read-transcripts.ts';
import { sendWakeUps, writeConversations } from './write-conversations.ts';

/** Period of the search for due conversations: the maximum delay of a final transcript. */
export const SETTLE_EVERY_MS = 250;
/** Period of the search for conversations with which workers crashed. */
export const SUSPECTS_EVERY_MS = 5_000;
/** Conversations of one transaction. */
const SETTLE_BATCH_MAX = 100;
/** Batches of one round; the next round follows immediately. */
const BATCHES_MAX = 50;
/** Suspected conversations of one round. Each runs in isolation. */
const SUSPECTS_MAX = 20;
/** From the claim to its transaction, which then locks the rows. Never renewed. */
const LEASE_MS = 10_000;

type SettleDeps = Pick<
  Deps,
  'pool' | 'sql' | 'queues' | 'clock' | 'ids' | 'outbox' | 'deliveryEnqueuer' | 'feedNotifier' | 'log'
>;

/** Returns the number of settled conversations. `bytesMax` limits the transcripts in memory. */
export async function settleDue(deps: SettleDeps, bytesMax = READ_BYTES_MAX): Promise<number> {
  let settled = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const claimed = await claim(deps, CLAIM, [SETTLE_BATCH_MAX, bytesMax]);
    if (claimed.keys.length === 0) break;
    settled += await deps.queues.isolation.runConcurrent(() => settleClaimed(deps, claimed, bytesMax));
  }
  return settled;
}

/** Settles suspected conversations in isolation, but not a fourth time. */
export async function settleSuspects(deps: SettleDeps): Promise<void> {
  await quarantineConversations(deps);
  const suspects = await deps.sql<ConversationKey>(SUSPECTS, [new Date(deps.clock()), SUSPECTS_MAX]);
  for (const { organizationId, conversationId } of suspects) {
    await deps.queues.isolation.runIsolated(organizationId, async () => {
      const claimed = await claim(deps, CLAIM_ONE, [organizationId, conversationId]);
      if (claimed.keys.length === 0) return;
      deps.log.warn(
        { organization_id: organizationId, conversation_id: conversationId },
        'conversation.taken_alone',
      );
      await settleClaimed(deps, claimed, READ_BYTES_MAX);
    });
  }
}

interface Claimed {
  readonly keys: readonly ConversationKey[];
  readonly leasedUntil: Date;
}

async function claim({ sql, clock }: SettleDeps, text: string, values: readonly unknown[]): Promise<Claimed> {
  const leasedUntil = new Date(clock() + LEASE_MS);
  return { keys: await sql<ConversationKey>(text, [new Date(clock()), leasedUntil, ...values]), leasedUntil };
}

const DEATHS = deathsSql('conversation', '$1', 'leased_until');
const FREE = 'due_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)';
const KEY = 'conversation.organization_id AS "organizationId", conversation.id AS "conversationId"';
const LEASE = `UPDATE conversations AS conversation SET leased_until = $2, deaths = ${DEATHS}`;

/** $1 now, $2 the end of the lease, $3 count, $4 bytes. A larger conversation is claimed alone. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT organization_id, id, due_at, ${WEIGHT} AS weight FROM conversations AS conversation
    WHERE ${FREE} AND ${DEATHS} < ${ISOLATION_DEATHS} ORDER BY due_at LIMIT $3 FOR UPDATE OF conversation SKIP LOCKED),
  chosen AS (
    SELECT organization_id, id
    FROM (SELECT due.*, sum(weight) OVER (ORDER BY due_at, organization_id, id) AS until FROM due) AS summed
    WHERE until <= $4::int OR until = weight)
  ${LEASE} FROM chosen
  WHERE conversation.organization_id = chosen.organization_id AND conversation.id = chosen.id RETURNING ${KEY}`;

const CLAIM_ONE = `${LEASE} WHERE organization_id = $3 AND id = $4 AND ${FREE} AND ${DEATHS} = ${ISOLATION_DEATHS} RETURNING ${KEY}`;

const SUSPECTS = `
  SELECT ${KEY} FROM conversations AS conversation WHERE ${FREE} AND ${DEATHS} = ${ISOLATION_DEATHS} ORDER BY due_at LIMIT $2`;

/** An event makes a quarantined conversation due again; it is quarantined silently. */
const QUARANTINE = `
  WITH crashed AS (
    SELECT organization_id, id, quarantined_at FROM conversations AS conversation
    WHERE ${FREE} AND ${DEATHS} >= ${QUARANTINE_DEATHS} LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE conversations AS conversation
  SET deaths = ${QUARANTINE_DEATHS}, quarantined_at = $1, due_at = $2, leased_until = NULL FROM crashed
  WHERE conversation.organization_id = crashed.organization_id AND conversation.id = crashed.id
  RETURNING ${KEY}, crashed.quarantined_at IS NULL AS "isNew"`;

/** In the order of the intake's locks. */
const LOCK_CLAIMED = `
  SELECT ${PLANNED_ROW} FROM conversations AS conversation
  JOIN unnest($1::text[], $2::text[]) AS key (o, c) ON conversation.organization_id = key.o AND conversation.id = key.c
  WHERE leased_until = $3 AND due_at <= $4
  ORDER BY conversation.organization_id, conversation.id FOR UPDATE OF conversation`;

const RELEASE = `
  UPDATE conversations AS conversation SET leased_until = NULL FROM unnest($1::text[], $2::text[]) AS key (o, c)
  WHERE conversation.organization_id = key.o AND conversation.id = key.c AND leased_until = $3`;

async function quarantineConversations(deps: SettleDeps): Promise<void> {
  await inTransaction(deps.pool, async (sql) => {
    const rows = await sql<ConversationKey & { isNew: boolean }>(QUARANTINE, [
      new Date(deps.clock()),
      NEVER,
      SETTLE_BATCH_MAX,
    ]);
    const quarantined = rows
      .filter(({ isNew }) => isNew)
      .map(({ organizationId, conversationId: id }) => ({ organizationId, what: `conversation ${id}` }));
    for (const { organizationId, what } of quarantined)
      deps.log.error({ organization_id: organizationId, what }, 'work.quarantined');
    await raiseQuarantined(sql, 'conversations', quarantined);
  });
}

/** Returns the number of settled conversations. Releases the others immediately. */
async function settleClaimed(deps: SettleDeps, claimed: Claimed, bytesMax: number): Promise<number> {
  const keys = [
    claimed.keys.map(({ organizationId }) => organizationId),
    claimed.keys.map(({ conversationId }) => conversationId),
    claimed.leasedUntil,
  ];
  let count = 0;
  try {
    const settled = await inTransaction(deps.pool, (sql) => settleLocked(deps, sql, keys, bytesMax));
    count = settled.count;
    if (count === 0) return 0;
    sendWakeUps(deps, settled.wakeUps);
    deps.log.info({ count, timed_out: settled.timedOut }, 'conversations.settled');
  } finally {
    if (count < claimed.keys.length)
      await ignoreFailure(deps.sql(RELEASE, keys), 'leases end without a release', deps.log);
  }
  return count;
}

async function settleLocked(deps: SettleDeps, sql: Sql, keys: readonly unknown[], bytesMax: number) {
  const nowMs = deps.clock();
  const rows = await sql<PlannedRow>(LOCK_CLAIMED, [...keys, new Date(nowMs)]);
  const folded = rows.map((row) => settle(toConversation(row), nowMs));
  const wakeUps = await writeConversations(deps, sql, folded, nowMs, { readBytesMax: bytesMax });
  const interims = rows.map(({ organization_id: organizationId, id: conversationId }) => ({
    organizationId,
    conversationId,
  }));
  await deleteInterims(sql, interims);
  return { count: rows.length, timedOut: folded.filter(({ failedNow }) => failedNow).length, wakeUps };
}
