// Copies recordings into the buckets of organisations, and removes copies from them
// (docs/voice-api.md#copies-of-recordings). Rows say what to do: a worker leases one, tries it, and
// writes down the outcome. If it dies, the lease ends and another one tries again.
import { resolveOwnSecret, type RelayOutcome } from '@parley/outbound';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { BaseDeps } from '../base-deps.ts';
import { STORE_COLUMNS, type Store } from '../retention/recording-storage.ts';
import type { CopySummary } from './copies.ts';
import { signRequest, type StoredObject } from './sign.ts';

export const COPIES_EVERY_MS = 5_000;
/** Files that a process passes on at a time; they are streamed. */
export const COPY_SLOTS = 4;
/** Of these, by one organisation. */
const ORGANIZATION_SLOTS = 2;

/** A recording of several hours in an uncompressed format. Stores accept 5 GiB in one request. */
const BYTES_MAX = 1024 * 1024 * 1024;
const COPY_TIMEOUT_MS = 10 * 60_000;
const REMOVE_TIMEOUT_MS = 30_000;
/** Longer than an attempt, so that two never overlap. */
const LEASE_MS = COPY_TIMEOUT_MS + 60_000;

/** Over about four hours; then the copy has failed. Removals are repeated until they succeed. */
export const COPY_ATTEMPTS_MAX = 9;
const FIRST_PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 60 * 60_000;

type CopyDeps = Pick<BaseDeps, 'sql' | 'pool' | 'clock' | 'log' | 'outbound' | 'secrets'> & {
  readonly config: { readonly FLOW_SECRETS?: string | undefined };
};

interface Claimed extends Store {
  readonly copyId: string;
  readonly organizationId: string;
  readonly conversationId: string;
  readonly objectKey: string;
  readonly sourceUrl: string | null;
  readonly status: 'waiting' | 'deleting';
  readonly attempts: number;
}

/** What an attempt came to. A problem is a sentence for the customer. */
type Attempted =
  | { readonly done: true; readonly bytes?: number; readonly contentType?: string }
  | { readonly done: false; readonly problem: string };

export interface RecordingCopier {
  /** Works until nothing is due. Returns the number of attempts. */
  work(): Promise<number>;
  /** Ends what is in flight; its rows are tried again. */
  close(): void;
}

export function createRecordingCopier(deps: CopyDeps): RecordingCopier {
  const busy = new Map<string, number>();
  const stop = new AbortController();
  const change = (id: string, by: number) => {
    const count = (busy.get(id) ?? 0) + by;
    if (count === 0) busy.delete(id);
    else busy.set(id, count);
  };

  async function workOnNext(): Promise<boolean> {
    const full = [...busy].flatMap(([id, count]) => (count >= ORGANIZATION_SLOTS ? [id] : []));
    const claimed = await claimNext(deps, full);
    if (!claimed) return false;
    change(claimed.organizationId, 1);
    try {
      const attempted = await attempt(deps, claimed, stop.signal);
      await recordAttempt(deps, claimed, attempted);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      await releaseLease(deps, claimed);
    } finally {
      change(claimed.organizationId, -1);
    }
    return true;
  }

  return {
    work: async () => {
      let count = 0;
      while (!stop.signal.aborted && (await workOnNext())) count += 1;
      return count;
    },
    close: () => stop.abort(new Error('the process stops')),
  };
}

/** The row that waited longest, of organisations that have a free slot. */
async function claimNext({ sql, clock }: CopyDeps, full: readonly string[]): Promise<Claimed | undefined> {
  const nowMs = clock();
  const [claimed] = await sql<Claimed>(CLAIM, [new Date(nowMs), full, new Date(nowMs + LEASE_MS)]);
  return claimed;
}

const CLAIM = `
  WITH RECURSIVE owner AS (
    (SELECT organization_id AS id FROM recording_copies WHERE next_at IS NOT NULL ORDER BY organization_id LIMIT 1)
    UNION ALL
    SELECT (SELECT organization_id FROM recording_copies WHERE organization_id > owner.id AND next_at IS NOT NULL
            ORDER BY organization_id LIMIT 1) FROM owner WHERE owner.id IS NOT NULL
  ), oldest AS (
    SELECT first.id FROM owner, LATERAL (
      SELECT copy.id, copy.next_at FROM recording_copies AS copy
      WHERE copy.organization_id = owner.id AND copy.next_at <= $1::timestamptz
      ORDER BY copy.next_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS first
    WHERE owner.id <> ALL($2::text[]) ORDER BY first.next_at LIMIT 1
  )
  UPDATE recording_copies AS copy SET attempts = copy.attempts + 1, next_at = $3::timestamptz
  FROM oldest, recording_stores AS store WHERE copy.id = oldest.id AND store.id = copy.store_id
  RETURNING copy.id AS "copyId", copy.organization_id AS "organizationId", copy.conversation_id AS "conversationId",
    copy.object_key AS "objectKey", copy.source_url AS "sourceUrl", copy.status, copy.attempts, ${STORE_COLUMNS}`;

/** @throws failures of ours */
async function attempt(deps: CopyDeps, claimed: Claimed, signal: AbortSignal): Promise<Attempted> {
  const place = { secrets: deps.secrets, place: deps.config.FLOW_SECRETS };
  const secretAccessKey = await resolveOwnSecret(place, deps.log, claimed.organizationId, claimed.secret);
  if (secretAccessKey === null)
    return { done: false, problem: `The secret ${claimed.secret} of the bucket cannot be read.` };
  const object = { store: claimed, objectKey: claimed.objectKey, secretAccessKey };
  return claimed.status === 'deleting'
    ? removeObject(deps, object)
    : copyObject(deps, object, claimed.sourceUrl ?? '', signal);
}

async function copyObject(
  { outbound, log }: CopyDeps,
  object: StoredObject,
  from: string,
  signal: AbortSignal,
): Promise<Attempted> {
  let contentType = '';
  const outcome = await outbound.relay({
    from,
    bytesMax: BYTES_MAX,
    timeoutMs: COPY_TIMEOUT_MS,
    signal,
    toTarget: async (source) => {
      const type = toMediaType(source.contentType);
      if (type === null) return 'The answer is neither audio nor video.';
      contentType = type;
      const { url, headers } = await signRequest(object, 'PUT', { 'content-type': type });
      return { url, method: 'PUT', headers };
    },
  });
  if (outcome.ok) return { done: true, bytes: outcome.bytes, contentType };
  if (outcome.answer) log.info({ answer: outcome.answer, id: object.objectKey }, 'recording.store_refused');
  return { done: false, problem: describeRefusal(outcome) };
}

function describeRefusal({ at, message }: Extract<RelayOutcome, { ok: false }>): string {
  return at === 'source' ? `The recording cannot be read. ${message}` : `The bucket refuses it. ${message}`;
}

/** Null: something else than a recording, such as a page that asks to sign in. */
function toMediaType(given: string | undefined): string | null {
  const type = given?.split(';')[0]!.trim().toLowerCase() ?? '';
  if (/^(audio|video)\/[a-z0-9.+-]{1,64}$/.test(type)) return type;
  return ['', 'application/octet-stream', 'binary/octet-stream'].includes(type)
    ? 'application/octet-stream'
    : null;
}

async function removeObject({ outbound }: CopyDeps, object: StoredObject): Promise<Attempted> {
  const outcome = await outbound.request({
    ...(await signRequest(object, 'DELETE')),
    method: 'DELETE',
    timeoutMs: REMOVE_TIMEOUT_MS,
  });
  // 404: the bucket has gone, and the object with it.
  if (outcome.ok || outcome.status === 404) return { done: true };
  return { done: false, problem: outcome.message };
}

async function recordAttempt(deps: CopyDeps, claimed: Claimed, attempted: Attempted): Promise<void> {
  const { copyId: id, organizationId: organization_id, conversationId, status, attempts } = claimed;
  const facts = { id, organization_id, attempts, ...attempted };
  if (status === 'deleting') {
    if (attempted.done) await deps.sql('DELETE FROM recording_copies WHERE id = $1', [id]);
    else await postpone(deps, claimed, attempted.problem);
    deps.log[attempted.done ? 'info' : 'warn'](facts, 'recording.removal');
    return;
  }
  deps.log[attempted.done ? 'info' : 'warn'](facts, 'recording.copy');
  const shown = toShown(deps, claimed, attempted);
  const kept = await inTransaction(deps.pool, async (sql) => {
    // In the order of removals: the conversation first.
    await sql('SELECT 1 AS one FROM conversations WHERE organization_id = $1 AND id = $2 FOR UPDATE', [
      organization_id,
      conversationId,
    ]);
    if (!(await writeOutcome(deps, sql, claimed, attempted))) return false;
    await sql('UPDATE conversations SET recording_copy = $3::jsonb WHERE organization_id = $1 AND id = $2', [
      organization_id,
      conversationId,
      JSON.stringify(shown),
    ]);
    return true;
  });
  // It was released while it was written: the object is there, and is removed at once.
  if (!kept)
    await deps.sql('UPDATE recording_copies SET next_at = $2 WHERE id = $1', [id, new Date(deps.clock())]);
}

function toShown({ clock }: CopyDeps, { attempts }: Claimed, attempted: Attempted): CopySummary {
  if (!attempted.done)
    return { status: attempts < COPY_ATTEMPTS_MAX ? 'waiting' : 'failed', error: attempted.problem };
  return {
    status: 'copied',
    bytes: attempted.bytes ?? 0,
    content_type: attempted.contentType ?? '',
    copied_at: new Date(clock()).toISOString(),
  };
}

/** Returns whether the copy is still wanted. */
async function writeOutcome(
  { clock }: CopyDeps,
  sql: Sql,
  { copyId, attempts }: Claimed,
  attempted: Attempted,
): Promise<boolean> {
  const nowMs = clock();
  const isOver = attempted.done || attempts >= COPY_ATTEMPTS_MAX;
  const [row] = await sql(
    `UPDATE recording_copies SET status = $2, next_at = $3, bytes = $4, content_type = $5, error = $6, copied_at = $7
     WHERE id = $1 AND status = 'waiting' RETURNING 1 AS one`,
    [
      copyId,
      attempted.done ? 'copied' : isOver ? 'failed' : 'waiting',
      isOver ? null : new Date(nowMs + computePauseMs(attempts)),
      attempted.done ? (attempted.bytes ?? null) : null,
      attempted.done ? (attempted.contentType ?? null) : null,
      attempted.done ? null : attempted.problem,
      attempted.done ? new Date(nowMs) : null,
    ],
  );
  return row !== undefined;
}

const computePauseMs = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), PAUSE_MAX_MS);

const postpone = ({ sql, clock }: CopyDeps, { copyId, attempts }: Claimed, problem: string) =>
  sql('UPDATE recording_copies SET next_at = $2, error = $3 WHERE id = $1', [
    copyId,
    new Date(clock() + computePauseMs(attempts)),
    problem,
  ]);

/** An attempt that this process broke off does not count. */
const releaseLease = ({ sql, clock }: CopyDeps, { copyId }: Claimed) =>
  sql('UPDATE recording_copies SET next_at = $2, attempts = greatest(0, attempts - 1) WHERE id = $1', [
    copyId,
    new Date(clock()),
  ]);
