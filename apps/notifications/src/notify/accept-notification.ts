// The send operation: plan every channel, write the notification with its deliveries, ring for them, answer. Nothing is sent here.
import { AppError, type FieldProblem } from '@parley/envelopes';
import type { Caller, EndpointTransaction, RequestContext } from '@parley/http';
import { inTransaction, type Sql } from '@parley/postgres';
import type { ChannelName } from '@parley/queues';
import { deliveryContext } from '@parley/sealed-columns';
import type { Notice } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { peopleOf, type People } from '../recipients/people.ts';
import { acceptTopicSend } from '../topics/accept-topic-send.ts';
import { categoryProblems, planChannel, type PlannedChannel } from './plan-channel.ts';
import {
  announceOne,
  writeNotifications,
  type NewDelivery,
  type NewNotification,
} from './write-notification.ts';
import { scheduledFor, subjectOf, timeProblems } from './plan.rules.ts';
import type { NotifyRequest } from './schemas.ts';

export interface Rejection {
  readonly channel: ChannelName;
  readonly reason: string;
}

/**
 * @param transaction present when the request carries an Idempotency-Key; otherwise one statement commits for itself.
 * @throws AppError invalid_request naming everything that is wrong; unprocessable when no channel is configured.
 */
export async function acceptNotification(
  deps: Deps,
  caller: Caller,
  request: NotifyRequest,
  context: RequestContext,
  transaction: EndpointTransaction | undefined,
) {
  const { topic_id: topicId } = request.target;
  if (typeof topicId === 'string')
    return acceptTopicSend(deps, caller, request, topicId, context, transaction);
  const sql = transaction?.sql ?? deps.sql;
  const people = await peopleOf(deps, sql, caller.organizationId, [request]);
  const { notice, planned, rejected } = await planSend(deps, sql, caller, request, context, people);
  const answer = answerOf(planned, rejected);
  if (request.dry_run)
    return { dry_run: true, ...answer, preview: await previewAll(deps, sql, notice, planned) };
  const { category } = request;
  const notification = await newNotification(deps, caller, { notice, planned, rejected, category });
  await writeAll(deps, [notification], transaction, () => announceOne(deps, notification));
  return { notification_id: notice.id, ...answer };
}

/** What planning and writing have to know of whoever asks. */
type Asking = Pick<Caller, 'organizationId' | 'principal'>;

/** A send that is right, and not yet written. */
export interface PlannedSend {
  readonly notice: Notice;
  readonly planned: readonly PlannedChannel[];
  readonly rejected: readonly Rejection[];
  readonly category: string | undefined;
}

/** @throws AppError invalid_request, unprocessable */
export async function planSend(
  deps: Deps,
  sql: Sql,
  caller: Asking,
  request: NotifyRequest,
  context: RequestContext,
  people: People,
  nowMs = deps.clock(),
): Promise<PlannedSend> {
  const { subject, subjectGiven } = subjectOf(request.subject, request.message);
  const notice: Notice = {
    id: deps.ids('ntf'),
    organizationId: caller.organizationId,
    subject,
    subjectGiven,
    message: request.message,
    createdAt: new Date(nowMs),
    sendAt: scheduledFor(request.send_at, nowMs),
    expiresAt: request.expires_at ?? null,
    requestId: context.requestId,
    traceparent: context.traceparent,
  };
  const { category } = request;
  const problems = [...timeProblems(request, nowMs), ...categoryProblems(category, people)];
  return { notice, category, ...(await planAll(deps, sql, notice, request, people, problems)) };
}

export function answerOf(planned: readonly PlannedChannel[], rejected: readonly Rejection[]) {
  const stopped = planned.flatMap(({ channel: { name: channel }, suppressed: reason }) =>
    reason === undefined ? [] : { channel, reason },
  );
  return {
    accepted_channels: planned.filter(({ suppressed }) => !suppressed).map(({ channel }) => channel.name),
    ...(rejected.length > 0 ? { rejected } : {}),
    ...(stopped.length > 0 ? { suppressed: stopped } : {}),
  };
}

export async function newNotification(
  deps: Deps,
  { principal }: Asking,
  { notice, planned, rejected, category }: PlannedSend,
): Promise<NewNotification> {
  const deliveries = await Promise.all(planned.map((one) => newDelivery(deps, notice, one)));
  return { notice, rejected, source: 'api', createdBy: principal, deliveries, category };
}

/** The request is right or wrong as a whole (docs/notifications.md#accepting-a-send). */
async function planAll(
  deps: Deps,
  sql: Sql,
  notice: Notice,
  request: NotifyRequest,
  people: People,
  problems: FieldProblem[],
): Promise<{ planned: PlannedChannel[]; rejected: Rejection[] }> {
  const planned: PlannedChannel[] = [];
  const rejected: Rejection[] = [];
  for (const name of request.channels) {
    const plan = await planChannel(deps, sql, notice, request, people, name);
    if (plan.kind === 'planned') planned.push(plan.planned);
    else if (plan.kind === 'rejected') rejected.push({ channel: name, reason: plan.reason });
    else problems.push(...plan.problems);
  }
  if (problems.length > 0)
    throw new AppError('invalid_request', 'the request is not valid', { fields: problems });
  if (planned.length === 0) {
    const reasons = rejected.map(({ channel, reason }) => `${channel}: ${reason}`).join('; ');
    throw new AppError('unprocessable', reasons, { details: { rejected } });
  }
  return { planned, rejected };
}

export async function previewAll(deps: Deps, sql: Sql, notice: Notice, planned: readonly PlannedChannel[]) {
  const previews = planned
    .filter(({ suppressed }) => !suppressed)
    .map(async ({ channel, planned: plan }) => [
      channel.name,
      await channel.preview(deps, sql, notice.organizationId, notice, plan),
    ]);
  return Object.fromEntries(await Promise.all(previews)) as Record<string, object>;
}

/** A row to write; its secret sealed, bound to the row. */
export async function newDelivery(
  deps: Pick<Deps, 'ids' | 'dataSealer'>,
  notice: Notice,
  { channel, planned, suppressed }: PlannedChannel,
): Promise<NewDelivery> {
  const id = deps.ids('dlv');
  return {
    id,
    channel: channel.name,
    plain: planned.plain,
    sealed:
      planned.sealed === undefined
        ? null
        : await deps.dataSealer.seal(
            planned.sealed,
            deliveryContext({ organizationId: notice.organizationId, id }),
          ),
    ...(suppressed === undefined
      ? {}
      : { failed: { status: 'suppressed', errorClass: 'preference', message: `${suppressed}.` } }),
  };
}

/** In the request's transaction where there is one; else one statement, or a transaction if a channel has effects in it. */
export async function writeAll(
  deps: Deps,
  all: readonly NewNotification[],
  transaction: EndpointTransaction | undefined,
  done: () => void,
): Promise<void> {
  if (transaction) {
    await writeNotifications(deps, transaction.sql, all);
    transaction.afterCommit(done);
    return;
  }
  const joins = all.some(({ deliveries }) =>
    deliveries.some(({ channel }) => deps.channels.get(channel)?.accept),
  );
  if (joins) await inTransaction(deps.pool, (sql) => writeNotifications(deps, sql, all));
  else await writeNotifications(deps, deps.sql, all);
  done();
}
