// Accepts a send to a topic: validates it once for a member placeholder and writes one row. Workers
// fan it out (send-topic.ts).
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { REENQUEUE_AFTER_MS } from '@parley/jobs';
import {
  openContext,
  planSend,
  previewSend,
  toPlanResult,
  toSendResult,
  type AcceptContext,
  type SendCall,
} from '../accept/accept-notification.ts';
import type { NotifyRequest } from '../accept/request/notify-request.ts';
import { MEMBER_PLACEHOLDER } from '../accept/request/request-rules.ts';
import type { NewNotification } from '../accept/send.ts';
import { admitAll, type Admitted } from '../accept/throttle-and-digest.ts';
import { insertNotifications, sealSend } from '../accept/write-notification.ts';
import type { Deps } from '../deps.ts';
import { createPlaceholder } from './member-placeholder.ts';
import { countMemberBytes, toStoredRequest, type StoredRequest } from './stored-request.ts';
import { topicTable } from './topic-table.ts';

/** Storage of one member's rows at most, besides own texts (docs/notifications.md#topics). */
const MEMBER_BYTES = 2_048;

/** @throws AppError invalid_request, unprocessable, storage_full */
export async function acceptTopicSend(
  deps: Deps,
  caller: Caller,
  body: NotifyRequest,
  topicId: string,
  { request, transaction, charge, parentId }: SendCall,
) {
  const sql = transaction?.sql ?? deps.sql;
  const { organizationId } = caller;
  const base = { deps, sql, caller, request, nowMs: deps.clock() };
  const { members, context, send, stored } = await planTopic(base, body, topicId);
  const answer = toPlanResult(send);
  if (body.dry_run) return { dry_run: true, ...answer, members, preview: await previewSend(context, send) };
  const { notice } = send;
  const notification = await sealSend(deps, send, { source: 'api', createdBy: caller.principal, parentId });
  await charge(1);
  const ownBytes = send.template?.isPersonal ? stored.member_bytes : 0;
  await deps.limits.storage.admit(organizationId, members * (MEMBER_BYTES + ownBytes));
  const write = (within: Sql) => writeTopicSend(deps, within, notification, { topicId, stored });
  const done = ({ kind }: Admitted) => {
    // A scheduled send has no job: the sweeper enqueues it when it is due.
    if (kind === 'new' && !notice.sendAt)
      void topicTable(deps).enqueue([{ id: notice.id, rings: 0, dueAt: notice.createdAt }]);
    deps.count.accepted('api');
    deps.log.info(
      {
        notification_id: notice.id,
        organization_id: organizationId,
        request_id: request.requestId,
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

/** Checks the send to a topic as a whole. @throws AppError invalid_request, unprocessable */
export async function planTopic(
  base: Omit<AcceptContext, 'people' | 'templates'>,
  body: NotifyRequest,
  topicId: string,
) {
  const members = await countMembers(base.sql, base.caller.organizationId, topicId);
  const context = await openTopicContext(base, body);
  return { members, context, ...(await planTopicSend(context, body)) };
}

async function writeTopicSend(
  deps: Deps,
  sql: Sql,
  notification: NewNotification,
  { topicId, stored }: { readonly topicId: string; readonly stored: StoredRequest },
): Promise<Admitted> {
  const { id, organizationId, sendAt, createdAt } = notification.notice;
  const { admitted } = await admitAll(deps, sql, [notification]);
  const [one] = admitted as readonly [Admitted];
  const throttled = one.kind === 'throttled';
  // The deliveries planned for the placeholder are not written.
  await insertNotifications(deps, sql, [throttled ? one.notification : { ...notification, deliveries: [] }]);
  if (throttled) return one;
  await sql(
    `INSERT INTO topic_sends (id, organization_id, topic_id, request, due_at, next_ring_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      organizationId,
      topicId,
      JSON.stringify(stored),
      sendAt ?? createdAt,
      sendAt ?? new Date(createdAt.getTime() + REENQUEUE_AFTER_MS),
    ],
  );
  return one;
}

/** Without recipients: the placeholder stands for each member. */
async function openTopicContext(
  base: Omit<AcceptContext, 'people' | 'templates'>,
  body: NotifyRequest,
): Promise<AcceptContext> {
  const context = await openContext(base, [{ ...body, target: {} }]);
  const placeholder = createPlaceholder(base.caller.organizationId);
  return {
    ...context,
    people: { ...context.people, recipients: new Map([[MEMBER_PLACEHOLDER, placeholder]]) },
  };
}

/** Plans each language of the template: an error in any is refused before anything is sent. */
async function planTopicSend(context: AcceptContext, body: NotifyRequest) {
  const send = await planSend(context, body);
  let memberBytes = countMemberBytes(send);
  const { version, locales } = send.template ?? { locales: [] };
  if (body.locale === undefined)
    for (const locale of locales) {
      await nextTurn();
      memberBytes = Math.max(memberBytes, countMemberBytes(await planSend(context, { ...body, locale })));
    }
  const { accepted_channels: accepted } = toPlanResult(send);
  return { send, stored: toStoredRequest(body, accepted, version, memberBytes) };
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
