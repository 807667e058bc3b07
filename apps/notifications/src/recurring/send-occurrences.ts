// Sends due occurrences. The transaction that accepts an occurrence also writes the time of the
// next one, so a killed process neither loses nor repeats any. Organisations take turns.
import type { Caller } from '@parley/server/http';
import { AppError } from '@parley/envelopes';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { recurringContext } from '@parley/server/sealed-columns';
import type { RecurringSend } from '@parley/store-notifications';
import { isTransient } from '../accept/accept-notification.ts';
import { createWorkflowReader } from '../accept/apply-workflow.ts';
import type { GivenRequest } from '../accept/request/notify-request.ts';
import type { Deps } from '../deps.ts';
import { findNextOccurrence } from '../timing/recurrence.ts';
import { acceptOccurrence } from './accept-recurring.ts';

/** Occurrences of a round. Every organisation has its first before any has its second. */
const ROUND_ROWS = 50;
/** Due occurrences among which a round chooses: as many as the largest plan has. */
const DUE_ROWS = 10_000;
/** Rounds until other work of the process gets its turn. */
const ROUNDS_MAX = 20;
/** After a failure of ours. */
const RETRY_AFTER_MS = 30_000;
/** A send whose template is gone, for example, does not try forever. */
export const REFUSED_MAX = 10;

/** Returns the number of accepted occurrences. */
export async function sendOccurrences(deps: Deps): Promise<number> {
  let accepted = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const due = await deps.sql<{ id: string; organization_id: string }>(
      `SELECT id, organization_id FROM
         (SELECT id, organization_id, due_at, row_number() OVER (PARTITION BY organization_id ORDER BY due_at) AS turn
          FROM (SELECT id, organization_id, due_at FROM recurring_sends WHERE due_at <= $1
                ORDER BY due_at LIMIT ${DUE_ROWS}) AS due) AS ranked
       ORDER BY turn, due_at LIMIT ${ROUND_ROWS}`,
      [new Date(deps.clock())],
    );
    for (const { id, organization_id: organizationId } of due)
      if (await sendOne(deps, organizationId, id)) accepted += 1;
    if (due.length === 0) break;
  }
  return accepted;
}

type Row = Pick<
  RecurringSend,
  'id' | 'organizationId' | 'sealed' | 'rrule' | 'timezone' | 'startsAt' | 'nextAt' | 'number'
> & {
  readonly createdBy: string;
  readonly requestId: string | null;
  readonly traceparent: string | null;
};

/** True when the occurrence was accepted. */
async function sendOne(deps: Deps, organizationId: string, id: string): Promise<boolean> {
  try {
    const { granted, waitMs } = await deps.limits.spend(organizationId, 1);
    if (granted === 0) {
      await postpone(deps, organizationId, id, waitMs);
      return false;
    }
    const after: (() => void)[] = [];
    const sent = await inTransaction(deps.pool, (sql) => sendWithin(deps, sql, organizationId, id, after));
    for (const work of after) work();
    return sent;
  } catch (error) {
    if (error instanceof AppError && !isTransient(error)) await refuse(deps, organizationId, id, error);
    else {
      deps.log.error({ err: error, notification_id: id }, 'recurring.not_sent');
      await postpone(deps, organizationId, id, RETRY_AFTER_MS);
    }
    return false;
  }
}

async function sendWithin(
  deps: Deps,
  sql: Sql,
  organizationId: string,
  id: string,
  after: (() => void)[],
): Promise<boolean> {
  const row = await lockDue(deps, sql, organizationId, id);
  if (!row) return false;
  const text = await deps.dataSealer.unseal(row.sealed!, recurringContext({ organizationId, id }));
  const given = JSON.parse(text) as GivenRequest;
  await deps.limits.storage.admit(organizationId, Buffer.byteLength(text));
  const body = await createWorkflowReader(deps, sql, organizationId)(given);
  const caller = { organizationId, principal: row.createdBy } as Caller;
  await acceptOccurrence(deps, caller, body, {
    request: { requestId: row.requestId ?? '', traceparent: row.traceparent ?? '' },
    transaction: { sql, afterCommit: (work) => void after.push(work) },
    charge: () => Promise.resolve(),
    parentId: id,
  });
  await advance(deps, sql, row, null);
  return true;
}

/** Null: another process has it, or it is not due any more. */
async function lockDue(
  { clock }: Pick<Deps, 'clock'>,
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<Row | null> {
  const [row] = await sql<Row>(
    `SELECT send.id, send.organization_id AS "organizationId", sealed, rrule, timezone, starts_at AS "startsAt", next_at AS "nextAt", number, created_by AS "createdBy",
       request_id AS "requestId", traceparent
     FROM recurring_sends AS send JOIN notifications AS notification ON notification.id = send.id
     WHERE send.id = $1 AND send.organization_id = $2 AND due_at <= $3 FOR UPDATE OF send SKIP LOCKED`,
    [id, organizationId, new Date(clock())],
  );
  return row ?? null;
}

/** The occurrence does not take place, and the next one has its turn. */
async function refuse(deps: Deps, organizationId: string, id: string, error: AppError): Promise<void> {
  const problem = error.fields?.map(({ path, message }) => `${path}: ${message}`).join('; ') ?? error.message;
  deps.log.warn({ notification_id: id, organization_id: organizationId, problem }, 'recurring.refused');
  await inTransaction(deps.pool, async (sql) => {
    const row = await lockDue(deps, sql, organizationId, id);
    if (row) await advance(deps, sql, row, problem);
  });
}

async function advance(
  deps: Pick<Deps, 'clock'>,
  sql: Sql,
  { id, organizationId, rrule, timezone, startsAt, nextAt, number }: Row,
  problem: string | null,
): Promise<void> {
  const recurrence = { rrule, timezone, startsAtMs: startsAt.getTime() };
  const next = findNextOccurrence(recurrence, { atMs: nextAt.getTime(), number }, deps.clock());
  const at = next ? new Date(next.atMs) : null;
  await sql(
    `UPDATE recurring_sends SET next_at = COALESCE($2, next_at), number = COALESCE($3, number),
       accepted = accepted + CASE WHEN $4::text IS NULL THEN 1 ELSE 0 END,
       refused = CASE WHEN $4::text IS NULL THEN 0 ELSE refused + 1 END, last_error = $4::text,
       outcome = ended.outcome,
       due_at = CASE WHEN ended.outcome IS NULL THEN $2 END,
       sealed = CASE WHEN ended.outcome IS NULL THEN sealed END
     FROM (SELECT CASE WHEN $4::text IS NOT NULL AND refused + 1 >= ${REFUSED_MAX} THEN 'failed'
                       WHEN $2::timestamptz IS NULL THEN 'ended' END AS outcome
           FROM recurring_sends WHERE id = $1 AND organization_id = $5) AS ended
     WHERE id = $1 AND organization_id = $5`,
    [id, at, next?.number ?? null, problem, organizationId],
  );
}

async function postpone(
  { sql, clock }: Deps,
  organizationId: string,
  id: string,
  waitMs: number,
): Promise<void> {
  const nowMs = clock();
  await sql(
    'UPDATE recurring_sends SET due_at = $2 WHERE id = $1 AND due_at <= $3 AND organization_id = $4',
    [id, new Date(nowMs + waitMs), new Date(nowMs), organizationId],
  );
}
