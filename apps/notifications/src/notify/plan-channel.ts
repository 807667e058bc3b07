// One channel of a send: what a preference of its recipient stops, and what the channel makes of the rest.
import type { FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/postgres';
import type { Aside, Channel, Notice, Planned } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { userIn, type People } from '../recipients/people.ts';
import { isSwitchedOff } from '../recipients/preference.rules.ts';
import type { Words } from '../templates/render-template.ts';
import type { TimedChannel } from '../timing/plan-timing.ts';
import { withOfSend, type OfSend } from './delivery-plan.ts';
import { targetOf, type NotifyRequest } from './request/notify-request.ts';

export interface PlannedChannel {
  readonly channel: Channel;
  readonly planned: Planned;
  /** Null, or left out: with the notification. */
  readonly dueAt?: Date | null;
  /** Why it is not sent, although it is right: its recipient does not want it. */
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
  { name, dueAt, ofSend }: TimedChannel,
  words: Words | undefined,
): Promise<ChannelPlan> {
  const channel = deps.channels.get(name)!; // the schema knows only the channels of this table
  const target = targetOf(channel, request.target);
  const user = userIn(target);
  const category = request.category === undefined ? undefined : people.categories.get(request.category);
  const recipient = user === undefined ? undefined : people.recipients.get(user);
  if (category && !category.required && user === undefined && NAMES_SOMEBODY.has(name)) {
    const message = `must name a user_id, since the category "${category.id}" can be switched off`;
    return { kind: 'wrong', problems: [{ path: `/target/${name}`, message }] };
  }
  if (isSwitchedOff(recipient?.switchedOff, category, name)) {
    const suppressed = `the recipient has switched off "${category!.id}" on this channel`;
    return { kind: 'planned', planned: { channel, planned: { plain: { user_id: user } }, suppressed } };
  }
  const aside: Aside = { recipient, category, inboxOf: inboxOf(request), track: request.track };
  const said = words ? { ...notice, ...words } : notice;
  const plan = await channel.plan(deps, sql, notice.organizationId, said, target, aside);
  if (plan.ok) {
    const plain = withOfSend(plan.plain, { ...ofSend, ...wordsIn(words, ofSend) });
    return { kind: 'planned', planned: { channel, planned: { ...plan, plain }, dueAt } };
  }
  if (plan.kind === 'unconfigured') return { kind: 'rejected', reason: plan.reason };
  const problems = plan.fields.map((field) => ({ ...field, path: `/target/${name}${field.path}` }));
  return { kind: 'wrong', problems };
}

/** A digest has its words when it is sent. */
function wordsIn(words: Words | undefined, { digest }: TimedChannel['ofSend']): Pick<OfSend, 'words'> {
  if (!words || digest) return {};
  const { subject, subjectGiven, message } = words;
  return { words: { subject, subjectGiven, message } };
}

/** A chat without a recipient is a room of the organisation's own, which switches nothing off. */
const NAMES_SOMEBODY: ReadonlySet<string> = new Set(['email', 'in_app', 'web_push']);

function inboxOf({ channels, target }: Pick<NotifyRequest, 'channels' | 'target'>): string | undefined {
  return channels.includes('in_app') ? userIn(target.in_app) : undefined;
}

/** A category that the organisation does not have. */
export function categoryProblems(category: string | undefined, { categories }: People): FieldProblem[] {
  if (category === undefined || categories.has(category)) return [];
  return [{ path: '/category', message: 'is no category of the organisation' }];
}
