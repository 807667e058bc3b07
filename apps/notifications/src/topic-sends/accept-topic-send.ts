// Accepts a send to a topic: validates it once for a member placeholder and writes one row. Workers
// fan it out (send-topic.ts).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@parley/envelopes';
import type { Caller, Charge, EndpointTransaction, RequestContext } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { REENQUEUE_AFTER_MS } from '@parley/jobs';
import type { Deps } from '../deps.ts';
import {
  toPlanResult,
  toSendResult,
  newNotification,
  planSend,
  previewAll,
} from '../accept/accept-notification.ts';
import type { NotifyRequest } from '../accept/request/notify-request.ts';
import { writeNotifications } from '../accept/write-notification.ts';
import { loadPeople } from '../people/load-people.ts';
import { createTemplateReader } from '../templates/use-template.ts';
import { admitAll, type Admitted } from '../accept/throttle-and-digest.ts';
import { countMemberBytes, toStoredRequest } from './stored-request.ts';
import { createPlaceholder } from './member-placeholder.ts';
import { topicTable } from './topic-table.ts';
import { MEMBER_PLACEHOLDER } from '../accept/request/topic-problems.ts';

/** Storage of one member's rows, at most (docs/notifications.md#topics). */
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
  const members = await countMembers(sql, organizationId, topicId);
  const { send, stored } = await planTopicSend(deps, sql, caller, request, context);
  const answer = toPlanResult(send.planned, send.rejected);
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
    // The deliveries planned for the placeholder are not written.
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
        JSON.stringify(stored),
        dueAt,
        notice.sendAt ?? new Date(dueAt.getTime() + REENQUEUE_AFTER_MS),
      ],
    );
    return one;
  };
  const done = ({ kind }: Admitted) => {
    // A scheduled send has no job: the sweeper enqueues it when it is due.
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
  return { ...toSendResult(admitted, answer), members };
}

/** Plans each language of the template: an error in any is refused before anything is sent. */
async function planTopicSend(
  deps: Deps,
  sql: Sql,
  caller: Caller,
  request: NotifyRequest,
  context: RequestContext,
) {
  const { organizationId } = caller;
  const { categories } = await loadPeople(deps, sql, organizationId, [{ ...request, target: {} }]);
  const people = {
    categories,
    recipients: new Map([[MEMBER_PLACEHOLDER, createPlaceholder(organizationId)]]),
  };
  const reading = { people, templates: createTemplateReader(deps, sql, organizationId) };
  const plan = (locale: string | undefined) =>
    planSend(deps, sql, caller, { ...request, locale }, context, reading);
  const send = await plan(request.locale);
  let memberBytes = countMemberBytes(send);
  const { version, locales } = send.template ?? { locales: [] };
  if (request.locale === undefined)
    for (const locale of locales) {
      await nextTurn();
      memberBytes = Math.max(memberBytes, countMemberBytes(await plan(locale)));
    }
  const { accepted_channels: accepted } = toPlanResult(send.planned, send.rejected);
  return { send, stored: toStoredRequest(request, accepted, version, memberBytes) };
}

async function countMembers(sql: Sql, organizationId: string, topicId: string): Promise<number> {
  const [topic] = await sql<{ members: number }>(
    'SELECT member_count AS members FROM topics WHERE organization_id = $1 AND id = $2',
    [organizationId, topicId],
  );
  if (topic) return topic.members;
  const fields = [{ path: '/target/topic_id', message: 'is not a topic of the organisation' }];
  throw new AppError('invalid_request', 'the request is not valid', { fields });
}
