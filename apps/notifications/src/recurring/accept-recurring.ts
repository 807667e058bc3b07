// Accepts a recurring send: checks the first occurrence like a send of its own, and writes one row
// with its time. Workers send the occurrences (send-occurrences.ts).
import { AppError, notificationsDialect } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { recurringContext } from '@parley/server/sealed-columns';
import {
  acceptNotification,
  openContext,
  planSend,
  toPlanResult,
  type SendCall,
} from '../accept/accept-notification.ts';
import { createWorkflowReader } from '../accept/apply-workflow.ts';
import type { GivenRequest, NotifyRequest } from '../accept/request/notify-request.ts';
import { findTargetUser } from '../accept/request/request-rules.ts';
import { insertNotifications, sealSend } from '../accept/write-notification.ts';
import type { Deps } from '../deps.ts';
import { getTargetUser } from '../people/load-people.ts';
import { requestedChannels, type Schedule } from '../timing/schemas.ts';
import { findFirstOccurrence, findRuleProblem, type Recurrence } from '../timing/recurrence.ts';
import { acceptTopicSend, planTopic } from '../topic-sends/accept-topic-send.ts';

const MINUTE_MS = 60_000;
/** Between the request and the first occurrence. */
const START_MAX_MS = 366 * 24 * 60 * MINUTE_MS;

/** @throws AppError invalid_request, unprocessable, limit_exceeded */
export async function acceptRecurring(
  deps: Deps,
  caller: Caller,
  { schedule, ...given }: GivenRequest & { readonly schedule: Schedule },
  call: SendCall,
) {
  const sql = call.transaction?.sql ?? deps.sql;
  const { organizationId } = caller;
  const body = await createWorkflowReader(deps, sql, organizationId)(given);
  if (body.digest) throw createRefusal('', 'is not allowed with the digest of the workflow');
  const recurrence = await toRecurrence(deps, sql, organizationId, schedule, body);
  const firstAt = new Date(findFirstOccurrence(recurrence)!);
  if (firstAt.getTime() > deps.clock() + START_MAX_MS)
    throw createRefusal('', 'must have its first occurrence within a year');
  const next = { next_at: notificationsDialect.time(firstAt) };
  if (body.dry_run) return { ...(await acceptOccurrence(deps, caller, body, call)), ...next };
  const send = await planFirst(deps, sql, caller, body, call);
  const parent = await sealSend(deps, send, { source: 'api', createdBy: caller.principal });
  const { id } = send.notice;
  const sealed = await deps.dataSealer.seal(JSON.stringify(given), recurringContext({ organizationId, id }));
  const write = async (within: Sql): Promise<void> => {
    await insertNotifications(deps, within, [{ ...parent, deliveries: [], callback: null }]);
    await within(
      `INSERT INTO recurring_sends (id, organization_id, sealed, rrule, timezone, starts_at, next_at, due_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [
        id,
        organizationId,
        sealed,
        recurrence.rrule,
        recurrence.timezone,
        new Date(recurrence.startsAtMs),
        firstAt,
      ],
    );
    await deps.limits.caps.added(within, organizationId, 'recurring_sends');
  };
  await (call.transaction ? write(call.transaction.sql) : inTransaction(deps.pool, write));
  deps.log.info(
    { notification_id: id, organization_id: organizationId, next_at: firstAt },
    'recurring.accepted',
  );
  return { notification_id: id, ...toPlanResult(send), ...next };
}

/** The send, to a topic or to others. */
export function acceptOccurrence(deps: Deps, caller: Caller, body: NotifyRequest, call: SendCall) {
  const { topic_id: topicId } = body.target;
  return typeof topicId === 'string'
    ? acceptTopicSend(deps, caller, body, topicId, call)
    : acceptNotification(deps, caller, body, call);
}

async function planFirst(deps: Deps, sql: Sql, caller: Caller, body: NotifyRequest, { request }: SendCall) {
  const base = { deps, sql, caller, request, nowMs: deps.clock() };
  const { topic_id: topicId } = body.target;
  if (typeof topicId === 'string') return (await planTopic(base, body, topicId)).send;
  return planSend(await openContext(base, [body]), body);
}

async function toRecurrence(
  deps: Deps,
  sql: Sql,
  organizationId: string,
  { rrule, timezone, starts_at: startsAt }: Schedule,
  body: NotifyRequest,
): Promise<Recurrence> {
  const zone = timezone ?? (await findZone(sql, organizationId, body));
  if (zone === undefined) throw createRefusal('/timezone', 'is required, since no recipient has a time zone');
  const nowMs = deps.clock();
  const startsAtMs = Math.max(startsAt?.getTime() ?? 0, Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS);
  const recurrence = { rrule, timezone: zone, startsAtMs };
  const problem = findRuleProblem(recurrence);
  if (problem !== undefined) throw createRefusal('/rrule', problem);
  return recurrence;
}

/** The time zone of the recipient that the send names. */
async function findZone(sql: Sql, organizationId: string, body: NotifyRequest): Promise<string | undefined> {
  if (body.target.topic_id !== undefined) return undefined;
  const users = requestedChannels(body).flatMap(
    ({ name }) => getTargetUser((body.target as Record<string, unknown>)[String(name)]) ?? [],
  );
  const named = findTargetUser(body.target);
  const [found] = await sql<{ time_zone: string }>(
    `SELECT time_zone FROM recipients WHERE organization_id = $1 AND user_id = ANY($2::text[]) AND time_zone IS NOT NULL
     ORDER BY array_position($2::text[], user_id) LIMIT 1`,
    [organizationId, named === undefined ? users : [named, ...users]],
  );
  return found?.time_zone;
}

function createRefusal(path: string, message: string): AppError {
  const fields = [{ path: `/schedule${path}`, message }];
  return new AppError('invalid_request', 'the request is not valid', { fields });
}
