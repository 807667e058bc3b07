// Accepts a send: loads what it names, plans each channel, seals and writes the rows, and answers.
// Sends nothing itself.
import { AppError, notificationsDialect, type FieldProblem } from '@parley/envelopes';
import type { Caller, Charge, EndpointTransaction, RequestContext } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { Channel, Notice } from '../channels/channel.ts';
import { addSendOptions, noticeFor } from '../deliver/send-options.ts';
import type { Deps } from '../deps.ts';
import {
  findAddress,
  findSendRecipient,
  getTargetUser,
  loadPeople,
  type People,
} from '../people/load-people.ts';
import { hasLinks } from '../people/message-links.ts';
import { isSwitchedOff, type Category } from '../people/opt-out.rules.ts';
import type { Recipient } from '../people/recipient.ts';
import { findStoppingReason, SUPPRESSION_SENTENCES } from '../people/suppression.rules.ts';
import type { ChannelTexts } from '../rendering/render-template.ts';
import { chooseSubject } from '../rendering/subject.ts';
import { createTemplateReader, type TemplateReader, type UsedTemplate } from '../templates/use-template.ts';
import { callbackProblems } from './callback-rows.ts';
import { countEveryone, goesToEveryone } from './count-everyone.ts';
import { planTiming, scheduledFor, timeProblems, type ChannelTiming } from './plan-timing.ts';
import { getTarget, type NotifyRequest } from './request/notify-request.ts';
import { findLinkProblem, renderTexts } from './render-texts.ts';
import type { PlannedChannel, PlannedSend, Rejection, Stop } from './send.ts';
import type { Admitted } from './throttle-and-digest.ts';
import { announceOne, sealSend, writeAll } from './write-notification.ts';

/** The parts of a request besides its body. `transaction` is present with an Idempotency-Key. */
export interface SendCall {
  readonly request: RequestContext;
  readonly transaction: EndpointTransaction | undefined;
  readonly charge: Charge;
  /** The recurring send that this is an occurrence of. */
  readonly parentId?: string;
}

/** What the sends of one request share. */
export interface AcceptContext {
  readonly deps: Deps;
  readonly sql: Sql;
  readonly caller: Pick<Caller, 'organizationId' | 'principal'>;
  readonly request: Pick<RequestContext, 'requestId' | 'traceparent'>;
  readonly nowMs: number;
  readonly people: People;
  readonly templates: TemplateReader;
}

/**
 * @throws AppError invalid_request with every problem; unprocessable when no channel is configured.
 */
export async function acceptNotification(
  deps: Deps,
  caller: Caller,
  body: NotifyRequest,
  { request, transaction, charge, parentId }: SendCall,
) {
  const sql = transaction?.sql ?? deps.sql;
  const context = await openContext({ deps, sql, caller, request, nowMs: deps.clock() }, [body]);
  const send = await planSend(context, body);
  const answer = toPlanResult(send);
  if (body.dry_run) {
    const preview = await previewSend(context, send);
    if (!goesToEveryone(send.planned)) return { dry_run: true, ...answer, preview };
    return { dry_run: true, ...answer, everyone: await countEveryone(sql, caller.organizationId), preview };
  }
  const notification = await sealSend(deps, send, { source: 'api', createdBy: caller.principal, parentId });
  await charge(1);
  const [admitted] = await writeAll(deps, [notification], transaction, (written) =>
    written.forEach((one) => announceOne(deps, one)),
  );
  return toSendResult(admitted!, answer);
}

/** Loads the people and templates that the sends name. */
export async function openContext(
  base: Omit<AcceptContext, 'people' | 'templates'>,
  sends: readonly NotifyRequest[],
): Promise<AcceptContext> {
  const { deps, sql, caller } = base;
  const people = await loadPeople(deps, sql, caller.organizationId, sends);
  return { ...base, people, templates: createTemplateReader(deps, sql, caller.organizationId) };
}

/** True when the same send may succeed later. */
export function isTransient({ code }: AppError): boolean {
  return code === 'unavailable' || code === 'concurrency_limited';
}

/**
 * Accepts or refuses the request as a whole (docs/notifications.md#accepting-a-send).
 * @throws AppError invalid_request, unprocessable
 */
export async function planSend(context: AcceptContext, body: NotifyRequest): Promise<PlannedSend> {
  const { deps, caller, people, nowMs } = context;
  const { template, category, callback_url: callbackUrl, track, workflow } = body;
  const recipient = findSendRecipient(body, people);
  const locale = body.locale ?? recipient?.language ?? undefined;
  const used = await renderTexts(context, body, locale);
  const notice = toNotice(context, body, used);
  const timing = planTiming(body, {
    nowMs,
    sendAt: notice.sendAt,
    timeZone: recipient?.timeZone ?? undefined,
    template: used && template && { id: template.id, version: used.version, locale },
  });
  const problems: FieldProblem[] = [...timeProblems(body, nowMs)];
  if (category !== undefined && !people.categories.has(category))
    problems.push({ path: '/category', message: 'is not a category of the organisation' });
  problems.push(...timing.problems);
  if (callbackUrl !== undefined) problems.push(...(await callbackProblems(deps, caller.organizationId)));
  const { planned, rejected, wrong } = await planChannels(context, body, { notice, used }, timing.channels);
  problems.push(...wrong);
  if (problems.length > 0)
    throw new AppError('invalid_request', 'the request is not valid', { fields: problems });
  if (planned.length === 0) {
    const reasons = rejected.map(({ channel, reason }) => `${channel}: ${reason}`).join('; ');
    throw new AppError('unprocessable', reasons, { details: { rejected } });
  }
  const { timed } = timing;
  return { notice, planned, rejected, category, timed, template: used, callbackUrl, track, workflow };
}

async function planChannels(
  context: AcceptContext,
  body: NotifyRequest,
  texts: SendTexts,
  channels: readonly ChannelTiming[],
) {
  const planned: PlannedChannel[] = [];
  const rejected: Rejection[] = [];
  const wrong: FieldProblem[] = [];
  for (const timed of channels) {
    const plan = await planChannel(context, body, texts, timed);
    if (plan.kind === 'planned') planned.push(plan.planned);
    else if (plan.kind === 'rejected') rejected.push({ channel: timed.name, reason: plan.reason });
    else wrong.push(...plan.problems);
  }
  return { planned, rejected, wrong };
}

function toNotice(
  { deps, caller, request, nowMs }: AcceptContext,
  { subject, message = '', send_at: sendAt, expires_at: expiresAt }: NotifyRequest,
  used: UsedTemplate | undefined,
): Notice {
  const texts = used?.common ?? { ...chooseSubject(subject, message), message };
  return {
    id: deps.ids('ntf'),
    organizationId: caller.organizationId,
    subject: texts.subject,
    subjectGiven: texts.subjectGiven,
    message: texts.message,
    createdAt: new Date(nowMs),
    sendAt: scheduledFor(sendAt, nowMs),
    expiresAt: expiresAt ?? null,
    requestId: request.requestId,
    traceparent: request.traceparent,
  };
}

interface SendTexts {
  readonly notice: Notice;
  readonly used: UsedTemplate | undefined;
}

type ChannelPlan =
  | { readonly kind: 'planned'; readonly planned: PlannedChannel }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'wrong'; readonly problems: readonly FieldProblem[] };

const NO_LINK = 'no PUBLIC_URL, which the links in the text need';

/** A chat without a recipient goes to the organisation's own channel, which has no preferences. */
const CHANNELS_WITH_USER: ReadonlySet<string> = new Set(['email', 'in_app', 'web_push']);

/** Applies the recipient's preference, then asks the channel for a plan. */
async function planChannel(
  { deps, sql, people }: AcceptContext,
  { channels, target: targets, category: categoryId, track }: NotifyRequest,
  { notice, used }: SendTexts,
  { name, dueAt, sendOptions }: ChannelTiming,
): Promise<ChannelPlan> {
  const channel = deps.channels.get(name)!; // the schema accepts only channels of this table
  const target = getTarget(channel, targets);
  const user = getTargetUser(target);
  const category = categoryId === undefined ? undefined : people.categories.get(categoryId);
  const recipient = user === undefined ? undefined : people.recipients.get(user);
  const stopped =
    (category && applyPreference(channel, user, recipient, category)) ??
    applySuppression(channel, findAddress(target, recipient), people, category);
  if (stopped) return stopped;
  const inboxUser = channels.includes('in_app') ? getTargetUser(targets.in_app) : undefined;
  const texts = used?.byChannel.get(name);
  const problem = texts && findLinkProblem(texts, recipient, category);
  if (problem) return { kind: 'wrong', problems: [problem] };
  if (texts && deps.config.PUBLIC_URL === undefined && hasLinks(`${texts.message}${texts.html ?? ''}`))
    return { kind: 'rejected', reason: NO_LINK };
  const context = { recipient, category, inboxUser, track };
  const plan = await channel.plan(deps, sql, texts ? { ...notice, ...texts } : notice, target, context);
  if (plan.ok) {
    // A digest renders its texts when it is sent.
    const words = texts && !sendOptions.digest ? { words: toWords(texts) } : {};
    const plain = addSendOptions(plan.plain, { ...sendOptions, ...words });
    return { kind: 'planned', planned: { channel, planned: { ...plan, plain }, dueAt } };
  }
  if (plan.kind === 'unconfigured') return { kind: 'rejected', reason: plan.reason };
  const problems = plan.fields.map((field) => ({ ...field, path: `/target/${name}${field.path}` }));
  return { kind: 'wrong', problems };
}

/** Undefined: the recipient wants the category on the channel, or may not switch it off. */
function applyPreference(
  channel: Channel,
  user: string | undefined,
  recipient: Recipient | undefined,
  category: Category,
): ChannelPlan | undefined {
  const { name } = channel;
  if (!category.required && user === undefined && CHANNELS_WITH_USER.has(name)) {
    const message = `must name a user_id, since recipients can switch the category "${category.id}" off`;
    return { kind: 'wrong', problems: [{ path: `/target/${name}`, message }] };
  }
  if (!isSwitchedOff(recipient, category, name)) return undefined;
  const reason = category.optIn
    ? `the recipient has not switched on "${category.id}" on this channel`
    : `the recipient has switched off "${category.id}" on this channel`;
  return stopChannel(channel, user, { errorClass: 'preference', reason });
}

function stopChannel(channel: Channel, user: string | undefined, suppressed: Stop): ChannelPlan {
  return { kind: 'planned', planned: { channel, planned: { plain: { user_id: user } }, suppressed } };
}

/** The send-time check of the channel repeats it. */
function applySuppression(
  channel: Channel,
  { address, user }: ReturnType<typeof findAddress>,
  { suppressed }: People,
  category: Category | undefined,
): ChannelPlan | undefined {
  if (channel.name !== 'email' || address === undefined) return undefined;
  const errorClass = findStoppingReason(suppressed.get(address), category);
  return errorClass && stopChannel(channel, user, { errorClass, reason: SUPPRESSION_SENTENCES[errorClass] });
}

const toWords = ({ subject, subjectGiven, message }: ChannelTexts) => ({ subject, subjectGiven, message });

/** For a dry run: what each channel would send. */
export async function previewSend({ deps, sql }: AcceptContext, { notice, planned }: PlannedSend) {
  const previews = planned
    .filter(({ suppressed }) => !suppressed)
    .map(async ({ channel, planned: plan }) => [
      channel.name,
      await channel.preview(deps, sql, noticeFor(notice, plan.plain), plan),
    ]);
  return Object.fromEntries(await Promise.all(previews)) as Record<string, object>;
}

export function toPlanResult({ planned, rejected }: Pick<PlannedSend, 'planned' | 'rejected'>) {
  const stopped = planned.flatMap(({ channel: { name: channel }, suppressed }) =>
    suppressed === undefined ? [] : { channel, reason: suppressed.reason },
  );
  return {
    accepted_channels: planned.filter(({ suppressed }) => !suppressed).map(({ channel }) => channel.name),
    ...(rejected.length > 0 ? { rejected } : {}),
    ...(stopped.length > 0 ? { suppressed: stopped } : {}),
  };
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
