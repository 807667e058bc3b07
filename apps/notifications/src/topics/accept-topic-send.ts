// A send to a topic, accepted: judged once for a member who stands for all, written as one row, and fanned out by the workers
// (send-topic.ts).
import { AppError } from '@parley/envelopes';
import type { Caller, EndpointTransaction, RequestContext } from '@parley/http';
import { inTransaction, type Sql } from '@parley/postgres';
import { RING_AGAIN_AFTER_MS } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { answerOf, newNotification, planSend, previewAll } from '../notify/accept-notification.ts';
import type { NotifyRequest } from '../notify/schemas.ts';
import { writeNotifications } from '../notify/write-notification.ts';
import { peopleOf } from '../recipients/people.ts';
import { MEMBER, standIn } from './stand-in.ts';
import { topicTable } from './topic-table.ts';

/** @throws AppError invalid_request, unprocessable */
export async function acceptTopicSend(
  deps: Deps,
  caller: Caller,
  request: NotifyRequest,
  topicId: string,
  context: RequestContext,
  transaction: EndpointTransaction | undefined,
) {
  const sql = transaction?.sql ?? deps.sql;
  const { organizationId } = caller;
  const members = await membersOf(sql, organizationId, topicId);
  const { categories } = await peopleOf(deps, sql, organizationId, [{ ...request, target: {} }]);
  const people = { categories, recipients: new Map([[MEMBER, standIn(organizationId)]]) };
  const send = await planSend(deps, sql, caller, request, context, people);
  const answer = { ...answerOf(send.planned, send.rejected), members };
  if (request.dry_run)
    return { dry_run: true, ...answer, preview: await previewAll(deps, sql, send.notice, send.planned) };

  const { notice } = send;
  const notification = await newNotification(deps, caller, { ...send, planned: [] });
  const { target, channels } = request;
  const accepted = channels.filter((name) => answer.accepted_channels.includes(name));
  const kept = JSON.stringify({
    channels: accepted,
    target: Object.fromEntries(accepted.map((name) => [name, target[name]])),
  });
  const dueAt = notice.sendAt ?? notice.createdAt;
  const write = async (within: Sql) => {
    await writeNotifications(deps, within, [notification]);
    await within(
      `INSERT INTO topic_sends (id, organization_id, topic_id, request, due_at, next_ring_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        notice.id,
        organizationId,
        topicId,
        kept,
        dueAt,
        notice.sendAt ?? new Date(dueAt.getTime() + RING_AGAIN_AFTER_MS),
      ],
    );
  };
  const done = () => {
    // A scheduled one has no job: the sweeper rings when its time has come.
    if (!notice.sendAt) void topicTable(deps).ring([{ id: notice.id, rings: 0, dueAt }]);
    deps.count.accepted('api');
    deps.log.info(
      {
        notification_id: notice.id,
        organization_id: organizationId,
        request_id: context.requestId,
        members,
        channels: accepted,
        send_at: notice.sendAt,
      },
      'topic.accepted',
    );
  };
  if (transaction) {
    await write(transaction.sql);
    transaction.afterCommit(done);
  } else {
    await inTransaction(deps.pool, write);
    done();
  }
  return { notification_id: notice.id, ...answer };
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
