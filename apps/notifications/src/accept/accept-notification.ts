// The send operation: plans every channel, writes the notification with its deliveries, enqueues
// them and answers. Sends nothing itself.
import { AppError, notificationsDialect, type FieldProblem } from '@parley/envelopes';
import type { Caller, Charge, EndpointTransaction, RequestContext } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { ChannelName } from '@parley/jobs';
import { deliveryContext } from '@parley/server/sealed-columns';
import { callbackProblems, sealCallback } from './callback-rows.ts';
import type { Notice } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { loadPeople, findSendRecipient, type People } from '../people/load-people.ts';
import type { ChannelTexts } from '../rendering/render-template.ts';
import { createTemplateReader, type TemplateReader, type UsedTemplate } from '../templates/use-template.ts';
import { admitAll, type Admitted } from './throttle-and-digest.ts';
import { digestData } from '../deliver/render-digest.ts';
import { planTiming, type SendTiming, type ChannelTiming } from './plan-timing.ts';
import { requestedChannels } from '../timing/schemas.ts';
import { countEveryone, goesToEveryone } from './count-everyone.ts';
import { noticeFor } from '../deliver/send-options.ts';
import { categoryProblems, planChannel, type PlannedChannel } from './plan-channel.ts';
import {
  announceOne,
  writeNotifications,
  type NewDelivery,
  type NewNotification,
} from './write-notification.ts';
import { scheduledFor, timeProblems } from './send-times.rules.ts';
import type { NotifyRequest } from './request/notify-request.ts';
import { chooseSubject } from '../rendering/subject.ts';

export interface Rejection {
  readonly channel: ChannelName;
  readonly reason: string;
}

/**
 * @param transaction present with an Idempotency-Key; without it, one statement commits on its own.
 * @throws AppError invalid_request with every problem; unprocessable when no channel is configured.
 */
export async function acceptNotification(
  deps: Deps,
  caller: Caller,
  request: NotifyRequest,
  context: RequestContext,
  transaction: EndpointTransaction | undefined,
  charge: Charge,
) {
  const sql = transaction?.sql ?? deps.sql;
  const reading: SendLookups = {
    people: await loadPeople(deps, sql, caller.organizationId, [request]),
    templates: createTemplateReader(deps, sql, caller.organizationId),
  };
  const send = await planSend(deps, sql, caller, request, context, reading);
  const answer = toPlanResult(send.planned, send.rejected);
  if (request.dry_run) {
    const preview = await previewAll(deps, sql, send.notice, send.planned);
    if (!goesToEveryone(send.planned)) return { dry_run: true, ...answer, preview };
    const everyone = await countEveryone(sql, caller.organizationId);
    return { dry_run: true, ...answer, everyone, preview };
  }
  const notification = await newNotification(deps, caller, send);
  await charge(1);
  const done = (written: readonly NewNotification[]) => written.forEach((one) => announceOne(deps, one));
  const [admitted] = await writeAll(deps, [notification], transaction, done);
  return toSendResult(admitted!, answer);
}

/** True when the same send may succeed later. */
export function isTransient({ code }: AppError): boolean {
  return code === 'unavailable' || code === 'concurrency_limited';
}

/** The answer to a valid send. */
export function toSendResult(admitted: Admitted, answer: ReturnType<typeof toPlanResult>) {
  if (admitted.kind === 'throttled') {
    const { notice, rejected } = admitted.notification;
    return { notification_id: notice.id, accepted_channels: [], rejected };
  }
  const id = admitted.kind === 'joined' ? admitted.notificationId : admitted.notification.notice.id;
  const { digest } = admitted;
  if (!digest) return { notification_id: id, ...answer };
  const { closesAt, count } = digest;
  return {
    notification_id: id,
    ...answer,
    digest: { closes_at: notificationsDialect.time(closesAt), count },
  };
}

/** What planning and writing need of the caller. */
type Requester = Pick<Caller, 'organizationId' | 'principal'>;

/** A valid send that is not written yet. */
export interface PlannedSend {
  readonly notice: Notice;
  readonly planned: readonly PlannedChannel[];
  readonly rejected: readonly Rejection[];
  readonly category: string | undefined;
  readonly timed: SendTiming | undefined;
  readonly template: UsedTemplate | undefined;
  readonly callbackUrl: string | undefined;
  readonly track: NotifyRequest['track'];
}

/** What the sends of one request refer to, loaded once for all of them. */
export interface SendLookups {
  readonly people: People;
  readonly templates: TemplateReader;
}

/** @throws AppError invalid_request, unprocessable */
export async function planSend(
  deps: Deps,
  sql: Sql,
  caller: Requester,
  request: NotifyRequest,
  context: RequestContext,
  { people, templates }: SendLookups,
  nowMs = deps.clock(),
): Promise<PlannedSend> {
  const { message = '', template } = request;
  const recipient = findSendRecipient(request, people);
  const locale = request.locale ?? recipient?.language ?? undefined;
  const names = requestedChannels(request).map(({ name }) => name as ChannelName);
  const items = request.digest && digestData([template?.data ?? {}], 1);
  const used = template && (await templates.use(template, locale, names, items));
  const texts = used?.common ?? { ...chooseSubject(request.subject, message), message };
  const notice: Notice = {
    id: deps.ids('ntf'),
    organizationId: caller.organizationId,
    subject: texts.subject,
    subjectGiven: texts.subjectGiven,
    message: texts.message,
    createdAt: new Date(nowMs),
    sendAt: scheduledFor(request.send_at, nowMs),
    expiresAt: request.expires_at ?? null,
    requestId: context.requestId,
    traceparent: context.traceparent,
  };
  const { category, callback_url: callbackUrl, track } = request;
  const timing = planTiming(request, {
    nowMs,
    sendAt: notice.sendAt,
    timeZone: recipient?.timeZone ?? undefined,
    template: used && template && { id: template.id, version: used.version, locale },
  });
  const problems = [
    ...timeProblems(request, nowMs),
    ...categoryProblems(category, people),
    ...timing.problems,
    ...(await callbackProblems(deps, notice.organizationId, callbackUrl)),
  ];
  const all = await planAll(deps, sql, notice, request, people, timing.channels, used?.byChannel, problems);
  return { notice, category, timed: timing.timed, template: used, callbackUrl, track, ...all };
}

export function toPlanResult(planned: readonly PlannedChannel[], rejected: readonly Rejection[]) {
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
  { principal }: Requester,
  { notice, planned, rejected, category, timed, callbackUrl, track }: PlannedSend,
): Promise<NewNotification> {
  const deliveries = await Promise.all(planned.map((one) => newDelivery(deps, notice, one)));
  const callback =
    callbackUrl === undefined
      ? null
      : { sealed: await sealCallback(deps, notice, callbackUrl), tracked: track !== undefined };
  return { notice, rejected, source: 'api', createdBy: principal, deliveries, category, timed, callback };
}

/** Accepts or refuses the request as a whole (docs/notifications.md#accepting-a-send). */
async function planAll(
  deps: Deps,
  sql: Sql,
  notice: Notice,
  request: NotifyRequest,
  people: People,
  channels: readonly ChannelTiming[],
  byChannel: ReadonlyMap<ChannelName, ChannelTexts> | undefined,
  problems: FieldProblem[],
): Promise<{ planned: PlannedChannel[]; rejected: Rejection[] }> {
  const planned: PlannedChannel[] = [];
  const rejected: Rejection[] = [];
  for (const timed of channels) {
    const { name } = timed;
    const plan = await planChannel(deps, sql, notice, request, people, timed, byChannel?.get(name));
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
      await channel.preview(deps, sql, notice.organizationId, noticeFor(notice, plan.plain), plan),
    ]);
  return Object.fromEntries(await Promise.all(previews)) as Record<string, object>;
}

/** Builds the row, with its secret sealed and bound to it. */
export async function newDelivery(
  deps: Pick<Deps, 'ids' | 'dataSealer'>,
  notice: Notice,
  { channel, planned, suppressed, dueAt = null }: PlannedChannel,
): Promise<NewDelivery> {
  const id = deps.ids('dlv');
  return {
    id,
    channel: channel.name,
    plain: planned.plain,
    dueAt,
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

/** In the request's transaction if there is one; else as few statements as possible. */
export async function writeAll(
  deps: Deps,
  all: readonly NewNotification[],
  transaction: EndpointTransaction | undefined,
  done: (written: readonly NewNotification[]) => void,
): Promise<readonly Admitted[]> {
  let written: readonly NewNotification[] = [];
  const write = async (sql: Sql): Promise<readonly Admitted[]> => {
    const { admitted, saveDigests } = await admitAll(deps, sql, all);
    written = admitted.flatMap((one) => (one.kind === 'joined' ? [] : one.notification));
    if (written.length > 0) await writeNotifications(deps, sql, written);
    await saveDigests(sql);
    return admitted;
  };
  if (transaction) {
    const admitted = await write(transaction.sql);
    transaction.afterCommit(() => done(written));
    return admitted;
  }
  const joins = all.some(
    ({ timed, callback, deliveries }) =>
      timed !== undefined ||
      callback !== null ||
      deliveries.some(({ channel }) => deps.channels.get(channel)?.accept),
  );
  const admitted = joins ? await inTransaction(deps.pool, write) : await write(deps.sql);
  done(written);
  return admitted;
}
