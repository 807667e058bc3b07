// Accepts a send that another service put into the queue. Nobody waits for an answer, so what would
// be a 400 or 422 over HTTP becomes a failed delivery. The inbox of messages stops duplicates.
import { hash } from 'node:crypto';
import { encodeTime } from 'ulid';
import { AppError, jsonPointer } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { NotifiedAlert } from '@parley/platform/alerts';
import {
  isForEverybody,
  serviceNotifyRequest,
  type ChannelName,
  type MessageContext,
  type Payload,
} from '@parley/jobs';
import type { Notice } from '../channels/channel.ts';
import { chat, planAlertChat } from '../channels/chat/chat.ts';
import type { Deps } from '../deps.ts';
import { scheduledFor, timeProblems } from './plan-timing.ts';
import type { NewDelivery } from './send.ts';
import { announceOne, insertNotifications, sealDelivery } from './write-notification.ts';
import { chooseSubject } from '../rendering/subject.ts';

type Message = Payload<'notification.send'>;

/** Runs on the inbox's connection, in its transaction. */
export async function acceptMessage(
  deps: Deps,
  sql: Sql,
  message: Message,
  context: MessageContext,
): Promise<void> {
  const { organizationId } = context;
  if (message.organization_id !== organizationId)
    throw new AppError('organization_mismatch', 'the message and its payload name different organisations');
  const nowMs = deps.clock();
  const sendAt = message.send_at === undefined ? undefined : new Date(Math.round(message.send_at * 1000));
  const [timeProblem] = timeProblems({ send_at: sendAt }, nowMs);
  const { subject, subjectGiven } = chooseSubject(message.subject, message.message);
  const notice: Notice = {
    id: computeNotificationId(context),
    organizationId,
    subject,
    subjectGiven,
    message: message.message,
    createdAt: new Date(nowMs),
    sendAt: timeProblem ? null : scheduledFor(sendAt, nowMs),
    expiresAt: null,
    requestId: context.requestId ?? null,
    traceparent: context.traceparent ?? null,
  };
  const deliveries: NewDelivery[] = [];
  for (const name of message.channels) {
    if (name === 'chat' && message.target.chat?.audience === 'operators') {
      const planned = await planAlertChat(deps, organizationId);
      if (planned) deliveries.push(await sealDelivery(deps, notice, { channel: chat, planned }));
      continue;
    }
    deliveries.push(
      timeProblem
        ? failed(deps, name, 'invalid_send_at', `send_at ${timeProblem.message}.`)
        : isForEverybody(name, message.target)
          ? failed(deps, name, 'invalid_target', `A service may not send ${name} to everybody.`)
          : await planDelivery(deps, sql, notice, name, message.target[name]),
    );
  }
  // an alert of an organisation that has neither address nor chat
  if (deliveries.length === 0) return;
  const source = context.producer ?? 'queue';
  const notification = { notice, rejected: [], source, createdBy: source, deliveries, callback: null };
  await insertNotifications(deps, sql, [notification]);
  context.afterCommit(() => announceOne(deps, notification));
}

/** The same for a message that is handed over again. Ids begin with a time, for retention. */
function computeNotificationId({ messageId, createdAtMs }: MessageContext): string {
  return `ntf_${encodeTime(createdAtMs).toLowerCase()}${hash('sha256', messageId).slice(0, ID_DIGITS)}`;
}
const ID_DIGITS = 16;

/** Alerts of this service, in the transaction that marks them as notified. */
export async function acceptOwnAlerts(
  deps: Deps,
  sql: Sql,
  alerts: readonly NotifiedAlert[],
): Promise<() => void> {
  const after: (() => unknown)[] = [];
  for (const { id, openedAt, notice } of alerts)
    await acceptMessage(deps, sql, serviceNotifyRequest.parse(notice), {
      organizationId: notice.organization_id,
      messageId: id,
      createdAtMs: openedAt.getTime(),
      producer: 'notifications',
      attempt: 1,
      signal: new AbortController().signal,
      afterCommit: (work) => void after.push(work),
    });
  return () => after.forEach((work) => void work());
}

async function planDelivery(
  deps: Deps,
  sql: Sql,
  notice: Notice,
  name: ChannelName,
  given: unknown,
): Promise<NewDelivery> {
  const channel = deps.channels.get(name);
  if (!channel) return failed(deps, name, 'unknown_channel', 'This deployment does not have the channel.');
  const target = channel.target.safeParse(given ?? (channel.targetOptional ? {} : undefined));
  if (!target.success) {
    const [issue] = target.error.issues;
    const place = jsonPointer(['target', name, ...(issue?.path ?? [])]);
    return failed(deps, name, 'invalid_target', `${place}: ${issue?.message ?? 'is not accepted'}`);
  }
  const plan = await channel.plan(deps, sql, notice, target.data, {});
  if (plan.ok) return sealDelivery(deps, notice, { channel, planned: plan });
  if (plan.kind === 'unconfigured') return failed(deps, name, 'unconfigured', plan.reason);
  const problems = plan.fields.map(({ path, message }) => `/target/${name}${path}: ${message}`).join('; ');
  return failed(deps, name, 'invalid_target', problems);
}

function failed(
  deps: Pick<Deps, 'ids'>,
  name: ChannelName,
  errorClass: string,
  message: string,
): NewDelivery {
  return { id: deps.ids('dlv'), channel: name, plain: {}, sealed: null, failed: { errorClass, message } };
}
