// A send to a topic, accepted: judged once for a member who stands for all, written as one row, and fanned out by the workers
// (send-topic.ts).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@parley/envelopes';
import type { Caller, Charge, EndpointTransaction, RequestContext } from '@parley/http';
import { inTransaction, type Sql } from '@parley/postgres';
import { REENQUEUE_AFTER_MS } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { answerOf, answerTo, newNotification, planSend, previewAll } from '../notify/accept-notification.ts';
import type { NotifyRequest } from '../notify/request/notify-request.ts';
import { writeNotifications } from '../notify/write-notification.ts';
import { peopleOf } from '../recipients/people.ts';
import { templateReader } from '../templates/use-template.ts';
import { admitAll, type Admitted } from '../timing/admit.ts';
import { bytesOf, keptOf } from './kept-request.ts';
import { MEMBER, standIn } from './stand-in.ts';
import { topicTable } from './topic-table.ts';

/** What a member costs in Postgres, at most (docs/notifications.md#topics). */
const MEMBER_BYTES = 2_048;

/** @throws AppError invalid_request, unprocessable, storage_full */
export async function acceptTopicSend(
  deps: Deps,
  caller: Caller,
  request: NotifyRequest,
  topicId: string,
  context: RequestContext,
  transaction: EndpointTransaction | undefined,
  charge: Charge,
) {
  const sql = transaction?.sql ?? deps.sql;
  const { organizationId } = caller;
  const members = await membersOf(sql, organizationId, topicId);
  const { send, kept } = await planTopicSend(deps, sql, caller, request, context);
  const answer = answerOf(send.planned, send.rejected);
  if (request.dry_run) {
    const preview = await previewAll(deps, sql, send.notice, send.planned);
    return { dry_run: true, ...answer, members, preview };
  }

  const { notice } = send;
  const notification = await newNotification(deps, caller, send);
  await charge(1);
  await deps.limits.storage.admit(organizationId, members * MEMBER_BYTES);
  const dueAt = notice.sendAt ?? notice.createdAt;
  const write = async (within: Sql): Promise<Admitted> => {
    const { admitted } = await admitAll(deps, within, [notification]);
    const [one] = admitted as readonly [Admitted];
    const throttled = one.kind === 'throttled';
    // What was planned for the stand-in is nobody's.
    const written = throttled ? one.notification : { ...notification, deliveries: [] };
    await writeNotifications(deps, within, [written]);
    if (throttled) return one;
    await within(
      `INSERT INTO topic_sends (id, organization_id, topic_id, request, due_at, next_ring_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        notice.id,
        organizationId,
        topicId,
        JSON.stringify(kept),
        dueAt,
        notice.sendAt ?? new Date(dueAt.getTime() + REENQUEUE_AFTER_MS),
      ],
    );
    return one;
  };
  const done = ({ kind }: Admitted) => {
    // A scheduled one has no job: the sweeper rings when its time has come.
    if (kind === 'new' && !notice.sendAt) void topicTable(deps).enqueue([{ id: notice.id, rings: 0, dueAt }]);
    deps.count.accepted('api');
    deps.log.info(
      {
        notification_id: notice.id,
        organization_id: organizationId,
        request_id: context.requestId,
        members,
        channels: kind === 'new' ? answer.accepted_channels : [],
        send_at: notice.sendAt,
      },
      'topic.accepted',
    );
  };
  const admitted = transaction ? await write(transaction.sql) : await inTransaction(deps.pool, write);
  if (transaction) transaction.afterCommit(() => done(admitted));
  else done(admitted);
  return { ...answerTo(admitted, answer), members };
}

/**
 * For the stand-in, in each language of its template: what is wrong in one of them is refused before anybody gets it in another.
 */
async function planTopicSend(
  deps: Deps,
  sql: Sql,
  caller: Caller,
  request: NotifyRequest,
  context: RequestContext,
) {
  const { organizationId } = caller;
  const { categories } = await peopleOf(deps, sql, organizationId, [{ ...request, target: {} }]);
  const people = { categories, recipients: new Map([[MEMBER, standIn(organizationId)]]) };
  const reading = { people, templates: templateReader(deps, sql, organizationId) };
  const plan = (locale: string | undefined) =>
    planSend(deps, sql, caller, { ...request, locale }, context, reading);
  const send = await plan(request.locale);
  let memberBytes = bytesOf(send);
  const { version, locales } = send.template ?? { locales: [] };
  if (request.locale === undefined)
    for (const locale of locales) {
      await nextTurn();
      memberBytes = Math.max(memberBytes, bytesOf(await plan(locale)));
    }
  const { accepted_channels: accepted } = answerOf(send.planned, send.rejected);
  return { send, kept: keptOf(request, accepted, version, memberBytes) };
}

async function membersOf(sql: Sql, organizationId: string, topicId: string): Promise<number> {
  const [topic] = await sql<{ members: number }>(
    'SELECT member_count AS members FROM topics WHERE organization_id = $1 AND id = $2',
    [organizationId, topicId],
  );
  if (topic) return topic.members;
  const fields = [{ path: '/target/topic_id', message: 'is no topic of the organisation' }];
  throw new AppError('invalid_request', 'the request is not valid', { fields });
}
