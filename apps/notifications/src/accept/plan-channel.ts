// Plans one channel of a send: applies the recipient's preference, then asks the channel for a
// plan.
import type { FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { PlanContext, Channel, Notice, Planned } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { getTargetUser, type People } from '../people/load-people.ts';
import { isSwitchedOff } from '../people/opt-out.rules.ts';
import type { ChannelTexts } from '../rendering/render-template.ts';
import type { ChannelTiming } from './plan-timing.ts';
import { addSendOptions, type SendOptions } from '../deliver/send-options.ts';
import { getTarget, type NotifyRequest } from './request/notify-request.ts';

export interface PlannedChannel {
  readonly channel: Channel;
  readonly planned: Planned;
  /** Null or absent: together with the notification. */
  readonly dueAt?: Date | null;
  /** Why the recipient's preference stops this valid channel. */
  readonly suppressed?: string;
}

export type ChannelPlan =
  | { readonly kind: 'planned'; readonly planned: PlannedChannel }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'wrong'; readonly problems: readonly FieldProblem[] };

export async function planChannel(
  deps: Deps,
  sql: Sql,
  notice: Notice,
  request: Pick<NotifyRequest, 'channels' | 'target' | 'category' | 'track'>,
  people: People,
  { name, dueAt, sendOptions }: ChannelTiming,
  words: ChannelTexts | undefined,
): Promise<ChannelPlan> {
  const channel = deps.channels.get(name)!; // the schema accepts only channels of this table
  const target = getTarget(channel, request.target);
  const user = getTargetUser(target);
  const category = request.category === undefined ? undefined : people.categories.get(request.category);
  const recipient = user === undefined ? undefined : people.recipients.get(user);
  if (category && !category.required && user === undefined && CHANNELS_WITH_USER.has(name)) {
    const message = `must name a user_id, since recipients can switch the category "${category.id}" off`;
    return { kind: 'wrong', problems: [{ path: `/target/${name}`, message }] };
  }
  if (isSwitchedOff(recipient?.switchedOff, category, name)) {
    const suppressed = `the recipient has switched off "${category!.id}" on this channel`;
    return { kind: 'planned', planned: { channel, planned: { plain: { user_id: user } }, suppressed } };
  }
  const context: PlanContext = {
    recipient,
    category,
    inboxUser: findInboxUser(request),
    track: request.track,
  };
  const noticeWithTexts = words ? { ...notice, ...words } : notice;
  const plan = await channel.plan(deps, sql, notice.organizationId, noticeWithTexts, target, context);
  if (plan.ok) {
    const plain = addSendOptions(plan.plain, { ...sendOptions, ...toStoredTexts(words, sendOptions) });
    return { kind: 'planned', planned: { channel, planned: { ...plan, plain }, dueAt } };
  }
  if (plan.kind === 'unconfigured') return { kind: 'rejected', reason: plan.reason };
  const problems = plan.fields.map((field) => ({ ...field, path: `/target/${name}${field.path}` }));
  return { kind: 'wrong', problems };
}

/** A digest renders its texts when it is sent. */
function toStoredTexts(
  words: ChannelTexts | undefined,
  { digest }: ChannelTiming['sendOptions'],
): Pick<SendOptions, 'words'> {
  if (!words || digest) return {};
  const { subject, subjectGiven, message } = words;
  return { words: { subject, subjectGiven, message } };
}

/** A chat without a recipient goes to the organisation's own channel, which has no preferences. */
const CHANNELS_WITH_USER: ReadonlySet<string> = new Set(['email', 'in_app', 'web_push']);

function findInboxUser({ channels, target }: Pick<NotifyRequest, 'channels' | 'target'>): string | undefined {
  return channels.includes('in_app') ? getTargetUser(target.in_app) : undefined;
}

/** Reports a category that the organisation does not have. */
export function categoryProblems(category: string | undefined, { categories }: People): FieldProblem[] {
  if (category === undefined || categories.has(category)) return [];
  return [{ path: '/category', message: 'is not a category of the organisation' }];
}
