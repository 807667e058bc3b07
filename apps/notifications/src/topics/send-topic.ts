// Works off sends to topics: a chunk of members at a time, each chunk one commit of what its members get and of how far the send is. So
// a worker that is killed loses nothing and repeats nothing; what leaves for somebody is a delivery like any other. Made once a
// worker process.
//
// Each organisation is a lane (docs/platform.md#lanes) with one topic at a time: after a second it hands on, and whoever waits has a turn.
// A fan-out is at most OPEN_MAX first attempts ahead of its deliveries, so that those of others find their queues short.
import { AppError } from '@parley/envelopes';
import { inTransaction } from '@parley/postgres';
import {
  createWorkInFlight,
  computeFailureWaitMs,
  type AttemptTiming,
  type WorkEntry,
  type WorkRow,
} from '@parley/queues';
import type { Deps } from '../deps.ts';
import { isPassing, newNotification, planSend, type PlannedSend } from '../notify/accept-notification.ts';
import { announce, writeNotifications, type NewNotification } from '../notify/write-notification.ts';
import { peopleOf } from '../recipients/people.ts';
import { templateReader } from '../templates/use-template.ts';
import { keptRequest, type KeptRequest } from './kept-request.ts';
import { shareContents, writeContents } from './shared-content.ts';
import { targetsOf } from './stand-in.ts';
import { topicTable } from './topic-table.ts';

/** Members of one transaction, and bytes of what they get. */
export const CHUNK_MEMBERS = 500;
const CHUNK_BYTES = 4 * 1024 * 1024;
const ROW_BYTES = 1_000;
/** Sends that a process can have under way, one of each organisation. */
const SENDS_AT_ONCE = 8;
/** Then others have a turn. */
const TURN_MS = 1_000;
/** Deliveries of its newest members that nobody has attempted yet: with so many it waits. */
const OPEN_MAX = 1_000;
const NEWEST = 2 * OPEN_MAX;
const OPEN_WAIT_MS = 1_000;
/** A send that fails for a reason of ours is tried again for a day, as a delivery is. */
const FAILS_FOR_MS = 24 * 60 * 60_000;
const FAILURE_WAIT_MS = computeFailureWaitMs(5);

export interface TopicSender {
  /** Claims sends and hands them over. A bell may ring twice: what is done, or in another hand, is left alone. */
  take(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Waits for what is under way and hands the rest back. Close the workers first. */
  close(): Promise<void>;
}

/** A send in hand, with the notification that its members' are made of. */
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

export function claimingTopicSends(deps: Deps) {
  return topicTable(deps).prepareClaim<ClaimedSend>({ select: SELECT });
}

interface Entry extends WorkEntry {
  readonly send: ClaimedSend;
}

export function createTopicSender(deps: Deps): TopicSender {
  const { clock, log } = deps;
  const claim = claimingTopicSends(deps);
  const inHand = createWorkInFlight<WorkRow, Entry>({
    table: topicTable(deps),
    clock,
    log,
    placesMax: SENDS_AT_ONCE,
    entriesPerClaim: 1,
    pauseMs: TURN_MS,
    limits: { concurrencyMax: 1, patienceMs: 0 },
    claim: async (ids, lease, alone) => {
      const rows = await claim(ids, lease, [], alone);
      return { rowIds: rows.map(({ id }) => id), entries: rows.map(entryOf) };
    },
    attempt,
  });

  async function attempt(entry: Entry, signal: () => AbortSignal): Promise<AttemptTiming> {
    const startedAtMs = performance.now();
    const { send } = entry;
    try {
      const end = await turn(send, signal());
      if (end === 'more') await inHand.release([entry]);
      else if (end === 'full') await inHand.release([entry], clock() + OPEN_WAIT_MS);
      else if (typeof end === 'object') await inHand.release([entry], clock() + end.waitMs);
      else finished(entry);
    } catch (error) {
      log.error({ err: error, notification_id: send.id }, 'topic.not_sent');
      await failed(entry);
    }
    return { ms: performance.now() - startedAtMs, timedOut: false };
  }

  async function turn(send: ClaimedSend, signal: AbortSignal): Promise<'more' | 'full' | 'ended' | Wait> {
    const untilMs = performance.now() + TURN_MS;
    for (let at = send.doneId; ;) {
      if (await isAhead(deps, send)) return 'full';
      const next = await sendChunk(deps, send, inHand.lease, at);
      if (next === null) return 'ended';
      if (typeof next === 'object') return next;
      at = next;
      if (signal.aborted || performance.now() >= untilMs) return 'more';
    }
  }

  function finished(entry: Entry): void {
    inHand.closeEntries([entry]);
    inHand.freePlaces([entry]);
  }

  async function failed(entry: Entry): Promise<void> {
    const { id, sendAt, createdAt } = entry.send;
    const nowMs = clock();
    if (nowMs - (sendAt ?? createdAt).getTime() < FAILS_FOR_MS)
      return inHand.release([entry], nowMs + FAILURE_WAIT_MS);
    const end = deps.sql(END, [id, inHand.lease, 'failed', 'This service failed to send it for a day.']);
    await end.catch((error: unknown) => log.error({ err: error, notification_id: id }, 'topic.not_ended'));
    finished(entry);
  }

  return { take: inHand.accept, close: inHand.close };
}

function entryOf(send: ClaimedSend): Entry {
  return { rowId: send.id, organizationId: send.organizationId, receiver: 'topics', retry: false, send };
}

/**
 * Of its newest members so many wait for their first attempt that it is better to wait for those. What is not due yet (a step, quiet
 * hours) stands in nobody's way.
 */
async function isAhead(
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

/** The organisation has sent as much as it may in a minute. */
interface Wait {
  readonly waitMs: number;
}

/**
 * What the members behind `doneId` get, at most a chunk of them, and how far the send is with it, in one transaction. Gives the last one;
 * null when there is nothing left to do, or it is another worker's, or canceled, by now.
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
  const request = keptRequest(deps.channels).parse(JSON.parse(send.request));
  const chunk = await membersBehind(deps, send, doneId, membersMax(request));
  if (chunk.length === 0) {
    await deps.sql(END, [id, lease, 'sent', null]);
    deps.log.info({ notification_id: id, organization_id: send.organizationId }, 'topic.sent');
    return null;
  }
  // The call that was accepted has paid for the first member.
  const paid = doneId === '' ? 1 : 0;
  const { granted, waitMs } = await deps.limits.spend(send.organizationId, chunk.length - paid);
  const users = chunk.slice(0, granted + paid);
  if (users.length === 0) return { waitMs };
  const { all, contents, unreachable, reason } = await planMembers(deps, send, request, users, nowMs);
  const suppressed = all.filter(({ deliveries }) => deliveries.every(({ failed }) => failed)).length;
  const last = users.at(-1)!;
  const advanced = await inTransaction(deps.pool, async (sql) => {
    // First the row, which whoever cancels takes first too: then this is not written, or is there to be canceled.
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
    if (all.length > 0) await writeNotifications(deps, sql, all);
    return true;
  });
  if (!advanced) return null;
  if (all.length > 0) announce(deps, all);
  const facts = { notification_id: id, organization_id: send.organizationId, members: users.length };
  deps.log.info({ ...facts, accepted: all.length, suppressed, unreachable }, 'topic.chunk_sent');
  return last;
}

function membersMax({ member_bytes: bytes }: KeptRequest): number {
  return Math.max(1, Math.min(CHUNK_MEMBERS, Math.floor(CHUNK_BYTES / (bytes + ROW_BYTES))));
}

/** Who came after the send is not meant. */
async function membersBehind(
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
  { target, ...kept }: KeptRequest,
  users: readonly string[],
  nowMs: number,
) {
  const { organizationId, id: parentId, createdBy: principal } = send;
  const requests = users.map((userId) => ({
    ...kept,
    ...(kept.template
      ? {}
      : { message: send.message, subject: send.subjectGiven ? send.subject : undefined }),
    category: send.category ?? undefined,
    expires_at: send.expiresAt ?? undefined,
    target: targetsOf(target, userId),
    dry_run: false,
  }));
  const reading = {
    people: await peopleOf(deps, deps.sql, organizationId, requests),
    templates: templateReader(deps, deps.sql, organizationId),
  };
  const caller = { organizationId, principal };
  const context = { requestId: send.requestId ?? '', traceparent: send.traceparent ?? '' };
  const sends: PlannedSend[] = [];
  let unreachable = 0;
  let reason: string | null = null;
  for (const request of requests) {
    try {
      sends.push(await planSend(deps, deps.sql, caller, request, context, reading, nowMs));
    } catch (error) {
      if (!(error instanceof AppError) || isPassing(error)) throw error;
      unreachable += 1;
      reason = error.fields?.[0]?.message ?? error.message;
    }
  }
  const shared = shareContents(parentId, sends);
  const all: NewNotification[] = [];
  for (const one of shared.sends) all.push({ ...(await newNotification(deps, caller, one)), parentId });
  return { all, contents: shared.contents, unreachable, reason };
}
