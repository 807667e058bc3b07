// Fans sends to topics out, one chunk of members at a time. Each chunk commits its members'
// notifications together with the send's progress, so a killed worker loses and repeats nothing.
// Created once per worker process.
// Each organisation is a lane (docs/platform.md#lanes) with one topic in flight, which yields after
// a second. A fan-out runs at most OPEN_MAX first attempts ahead of its deliveries, so the queues
// stay short for other organisations.
import { AppError } from '@parley/envelopes';
import { inTransaction } from '@parley/server/postgres';
import {
  claimEach,
  createWorkInFlight,
  computeFailureWaitMs,
  type AttemptTiming,
  type WorkEntry,
  type WorkRow,
} from '@parley/jobs';
import type { Deps } from '../deps.ts';
import { isTransient, openContext, planSend } from '../accept/accept-notification.ts';
import type { NewNotification, PlannedSend } from '../accept/send.ts';
import { announce, insertNotifications, sealSend } from '../accept/write-notification.ts';
import { createStoredRequestSchema, type StoredRequest } from './stored-request.ts';
import { shareContents, writeContents } from '../deliver/shared-content.ts';
import { toMemberTargets } from './member-placeholder.ts';
import { topicTable } from './topic-table.ts';

/** Members and bytes of one transaction. */
export const CHUNK_MEMBERS = 500;
const CHUNK_BYTES = 4 * 1024 * 1024;
const ROW_BYTES = 1_000;
/** Concurrent sends of a process, one for each organisation. */
const SENDS_MAX = 8;
/** A send yields to others after this time. */
const TURN_MS = 1_000;
/** A send waits while its newest members have this many deliveries without an attempt. */
const OPEN_MAX = 1_000;
const NEWEST = 2 * OPEN_MAX;
const OPEN_WAIT_MS = 1_000;
/** A send that fails for a reason of ours is retried for a day, like a delivery. */
const FAILS_FOR_MS = 24 * 60 * 60_000;
const FAILURE_WAIT_MS = computeFailureWaitMs(5);

export interface TopicSender {
  /** Jobs may repeat: skips rows that are done or held elsewhere. */
  accept(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Waits for sends in flight and releases the rest. Close the workers first. */
  close(): Promise<void>;
}

/** A send in flight, with the notification that its member notifications copy. */
export interface ClaimedSend {
  readonly id: string;
  readonly organizationId: string;
  readonly topicId: string;
  readonly request: string;
  readonly doneId: string;
  readonly subject: string;
  readonly subjectGiven: boolean;
  readonly message: string;
  readonly category: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly sendAt: Date | null;
  readonly expiresAt: Date | null;
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

const SELECT = `SELECT claimed.id, claimed.organization_id AS "organizationId", topic_id AS "topicId", request, done_id AS "doneId",
    subject, subject_given AS "subjectGiven", message, category, created_by AS "createdBy", created_at AS "createdAt",
    send_at AS "sendAt", expires_at AS "expiresAt", request_id AS "requestId", traceparent
  FROM claimed JOIN notifications AS notification ON notification.id = claimed.id`;

export function createTopicSendClaim(deps: Deps) {
  return topicTable(deps).prepareClaim<ClaimedSend>({ select: SELECT });
}

interface Entry extends WorkEntry {
  readonly send: ClaimedSend;
}

export function createTopicSender(deps: Deps): TopicSender {
  const { clock, log } = deps;
  const claim = createTopicSendClaim(deps);
  const inFlight = createWorkInFlight<WorkRow, Entry>({
    table: topicTable(deps),
    clock,
    log,
    placesMax: SENDS_MAX,
    entriesPerClaim: 1,
    pauseMs: TURN_MS,
    limits: { concurrencyMax: 1, patienceMs: 0 },
    claim: claimEach(claim, toEntry),
    attempt,
  });

  async function attempt(entry: Entry, signal: () => AbortSignal): Promise<AttemptTiming> {
    const startedAtMs = performance.now();
    const { send } = entry;
    try {
      const end = await runTurn(send, signal());
      if (end === 'more') await inFlight.release([entry]);
      else if (end === 'full') await inFlight.release([entry], clock() + OPEN_WAIT_MS);
      else if (typeof end === 'object') await inFlight.release([entry], clock() + end.waitMs);
      else inFlight.finish(entry);
    } catch (error) {
      log.error({ err: error, notification_id: send.id }, 'topic.not_sent');
      await handleFailure(entry);
    }
    return { ms: performance.now() - startedAtMs, timedOut: false };
  }

  async function runTurn(send: ClaimedSend, signal: AbortSignal): Promise<'more' | 'full' | 'ended' | Wait> {
    const untilMs = performance.now() + TURN_MS;
    for (let at = send.doneId; ;) {
      if (await isTooFarAhead(deps, send)) return 'full';
      const next = await sendChunk(deps, send, inFlight.lease, at);
      if (next === null) return 'ended';
      if (typeof next === 'object') return next;
      at = next;
      if (signal.aborted || performance.now() >= untilMs) return 'more';
    }
  }

  async function handleFailure(entry: Entry): Promise<void> {
    const { id, sendAt, createdAt } = entry.send;
    const nowMs = clock();
    if (nowMs - (sendAt ?? createdAt).getTime() < FAILS_FOR_MS)
      return inFlight.release([entry], nowMs + FAILURE_WAIT_MS);
    const end = deps.sql(END, [id, inFlight.lease, 'failed', 'This service failed to send it for a day.']);
    await end.catch((error: unknown) => log.error({ err: error, notification_id: id }, 'topic.not_ended'));
    inFlight.finish(entry);
  }

  return { accept: inFlight.accept, close: inFlight.close };
}

function toEntry(send: ClaimedSend): Entry {
  return { rowId: send.id, organizationId: send.organizationId, receiver: 'topics', retry: false, send };
}

/** Counts due deliveries of the newest members that wait for a first attempt. */
async function isTooFarAhead(
  { sql, clock }: Pick<Deps, 'sql' | 'clock'>,
  { organizationId, id }: ClaimedSend,
): Promise<boolean> {
  const [row] = await sql<{ open: number }>(
    `SELECT count(*)::int AS open FROM (
       SELECT id FROM notifications WHERE organization_id = $1 AND parent_id = $2
       ORDER BY created_at DESC, id DESC LIMIT ${NEWEST}) AS newest
     JOIN deliveries ON notification_id = newest.id WHERE status = 'queued' AND attempts = 0 AND next_attempt_at <= $3`,
    [organizationId, id, new Date(clock())],
  );
  return row!.open >= OPEN_MAX;
}

const END = `UPDATE topic_sends SET outcome = $3, last_reason = COALESCE($4, last_reason), next_ring_at = NULL, lease = NULL,
    leased_until = NULL
  WHERE id = $1 AND lease = $2 AND leased_until IS NOT NULL AND outcome IS NULL`;

const ADVANCE = `UPDATE topic_sends SET done_id = $4, targeted = targeted + $5, accepted = accepted + $6, suppressed = suppressed + $7,
    unreachable = unreachable + $8, last_reason = COALESCE($9, last_reason), deaths = 0
  WHERE id = $1 AND lease = $2 AND leased_until IS NOT NULL AND outcome IS NULL AND done_id = $3 RETURNING 1 AS one`;

/** The organisation has used up its sends of this minute. */
interface Wait {
  readonly waitMs: number;
}

/**
 * Writes the notifications of the next chunk of members after `doneId`, and the progress, in one
 * transaction. Returns the last member; null when nothing is left, or the send was canceled or lost
 * to another worker.
 */
export async function sendChunk(
  deps: Deps,
  send: ClaimedSend,
  lease: string,
  doneId: string,
): Promise<string | Wait | null> {
  const { id, expiresAt } = send;
  const nowMs = deps.clock();
  if (expiresAt && expiresAt.getTime() <= nowMs) {
    await deps.sql(END, [id, lease, 'expired', null]);
    return null;
  }
  const request = createStoredRequestSchema(deps.channels).parse(JSON.parse(send.request));
  const chunk = await listMembersAfter(deps, send, doneId, computeMembersMax(request));
  if (chunk.length === 0) {
    await deps.sql(END, [id, lease, 'sent', null]);
    deps.log.info({ notification_id: id, organization_id: send.organizationId }, 'topic.sent');
    return null;
  }
  // The accepted call already paid for the first member.
  const paid = doneId === '' ? 1 : 0;
  const { granted, waitMs } = await deps.limits.spend(send.organizationId, chunk.length - paid);
  const users = chunk.slice(0, granted + paid);
  if (users.length === 0) return { waitMs };
  const { all, contents, unreachable, reason } = await planMembers(deps, send, request, users, nowMs);
  const suppressed = all.filter(({ deliveries }) => deliveries.every(({ failed }) => failed)).length;
  const last = users.at(-1)!;
  const advanced = await inTransaction(deps.pool, async (sql) => {
    // The row first, like a cancellation: either this is not written, or it is canceled.
    const [row] = await sql(ADVANCE, [
      id,
      lease,
      doneId,
      last,
      users.length,
      all.length,
      suppressed,
      unreachable,
      reason,
    ]);
    if (!row) return false;
    if (contents.length > 0) await writeContents(deps, sql, send, contents);
    if (all.length > 0) await insertNotifications(deps, sql, all);
    return true;
  });
  if (!advanced) return null;
  if (all.length > 0) announce(deps, all);
  const facts = { notification_id: id, organization_id: send.organizationId, members: users.length };
  deps.log.info({ ...facts, accepted: all.length, suppressed, unreachable }, 'topic.chunk_sent');
  return last;
}

function computeMembersMax({ member_bytes: bytes }: StoredRequest): number {
  return Math.max(1, Math.min(CHUNK_MEMBERS, Math.floor(CHUNK_BYTES / (bytes + ROW_BYTES))));
}

/** Excludes members who joined after the send. */
async function listMembersAfter(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId, topicId, createdAt, sendAt }: ClaimedSend,
  doneId: string,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ user_id: string }>(
    `SELECT user_id FROM topic_members WHERE organization_id = $1 AND topic_id = $2 AND user_id > $3 AND created_at <= $4
     ORDER BY user_id LIMIT $5::int`,
    [organizationId, topicId, doneId, sendAt ?? createdAt, limit],
  );
  return rows.map((row) => row.user_id);
}

async function planMembers(
  deps: Deps,
  send: ClaimedSend,
  { target, ...common }: StoredRequest,
  users: readonly string[],
  nowMs: number,
) {
  const { organizationId, id: parentId, createdBy: principal } = send;
  const requests = users.map((userId) => ({
    ...common,
    ...(common.template
      ? {}
      : { message: send.message, subject: send.subjectGiven ? send.subject : undefined }),
    category: send.category ?? undefined,
    expires_at: send.expiresAt ?? undefined,
    target: toMemberTargets(target, userId),
    dry_run: false,
  }));
  const context = await openContext(
    {
      deps,
      sql: deps.sql,
      caller: { organizationId, principal },
      request: { requestId: send.requestId ?? '', traceparent: send.traceparent ?? '' },
      nowMs,
    },
    requests,
  );
  const sends: PlannedSend[] = [];
  let unreachable = 0;
  let reason: string | null = null;
  for (const request of requests) {
    try {
      sends.push(await planSend(context, request));
    } catch (error) {
      if (!(error instanceof AppError) || isTransient(error)) throw error;
      unreachable += 1;
      reason = error.fields?.[0]?.message ?? error.message;
    }
  }
  const shared = shareContents(parentId, sends);
  const all: NewNotification[] = [];
  for (const one of shared.sends)
    all.push({ ...(await sealSend(deps, one, { source: 'api', createdBy: principal })), parentId });
  return { all, contents: shared.contents, unreachable, reason };
}
