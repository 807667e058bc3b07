// Checks between the members of a send, and the targets of `user_id` and `topic_id`. Each member's
// own schema reports missing and malformed members.
import type { z } from 'zod';
import type { ChannelName } from '@parley/jobs';
import type { Channels } from '../../channels/channels.ts';
import type { Deps } from '../../deps.ts';
import { getTargetUser } from '../../people/load-people.ts';
import { isPersonal } from '../../people/opt-out.rules.ts';
import { addTimingProblems, requestedChannels } from '../../timing/schemas.ts';

/** The `user_id` in every target that goes to members. */
export const MEMBER_PLACEHOLDER = 'a member of the topic';

/**
 * Writes `target.user_id` as `user_id` into the target of each requested channel that reaches
 * people. Without `channels`, it requests all of these that the deployment has. `target.topic_id`
 * does the same for the member placeholder. Any other input is returned as it is, for the schema to
 * validate.
 */
export function expandTarget(given: unknown, channels: Iterable<ChannelName>): unknown {
  if (!isObject(given) || !isObject(given['target'])) return given;
  const user = findTargetUser(given['target']);
  if (user === undefined) return given;
  const personal = [...channels].filter(isPersonal);
  if (given['workflow'] !== undefined)
    return { ...given, target: fillTargets(given['target'], personal, user, []) };
  const later = requestedChannels({ steps: given['steps'] }).map(({ name }) => name);
  const requested = given['channels'] ?? personal.filter((name) => !later.includes(name));
  if (!Array.isArray(requested)) return given;
  const wanted = personal.filter((name) => requested.includes(name) || later.includes(name));
  return { ...given, channels: requested, target: fillTargets(given['target'], wanted, user, wanted) };
}

/** The user, or the placeholder for members of the topic. */
export function findTargetUser({ user_id: named, topic_id: topic }: Record<string, unknown>) {
  const user = typeof topic === 'string' ? MEMBER_PLACEHOLDER : named;
  return typeof user === 'string' ? user : undefined;
}

/** Adds the user to the targets of `names`, and creates those of `needed`. */
function fillTargets(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  user: string,
  needed: readonly string[],
): Record<string, unknown> {
  const target = { ...given };
  for (const name of names) {
    const own = target[name];
    if (isObject(own)) target[name] = { user_id: user, ...own };
    else if (own === undefined && needed.includes(name)) target[name] = { user_id: user };
  }
  return target;
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

/** Every check between the members of a send. */
export function addSendProblems(
  request: { readonly [name: string]: unknown },
  {
    channels,
    outbound,
  }: { readonly channels: Channels; readonly outbound: Pick<Deps['outbound'], 'checkUrl'> },
  context: z.RefinementCtx,
): void {
  addTextProblems(request, context);
  addTimingProblems(request, context);
  addTargetProblems(request, channels, context);
  addTopicProblems(request, context);
  addAddressProblems(request, channels, outbound, context);
}

/** Members that a workflow provides. */
export const PROVIDED: readonly string[] = [
  'channels',
  'message',
  'subject',
  'template',
  'category',
  'timezone',
  'quiet_hours',
  'send_window',
  'throttle',
  'digest',
  'steps',
  'track',
];

/** What the workflow provides is checked together with it (apply-workflow.ts). */
export function addWorkflowProblems(
  request: { readonly [name: string]: unknown },
  context: z.RefinementCtx,
): void {
  for (const name of PROVIDED)
    if (request[name] !== undefined)
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is not allowed with a workflow, which provides it',
      });
}

/** Each occurrence has a time of its own. */
export function addScheduleProblems(
  request: { readonly [name: string]: unknown },
  context: z.RefinementCtx,
): void {
  if (request['schedule'] === undefined) return;
  for (const name of ['send_at', 'expires_at', 'digest'])
    if (request[name] !== undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'is not allowed with schedule' });
}

/** The text comes either from the request or from a template. */
function addTextProblems(
  { message, subject, template, locale: language }: { [name: string]: unknown },
  context: z.RefinementCtx,
): void {
  const problem = (name: string, text: string) =>
    context.addIssue({ code: 'custom', path: [name], message: text });
  if (template === undefined) {
    if (message === undefined) problem('message', 'is required without a template');
    if (language !== undefined) problem('locale', 'needs a template');
    return;
  }
  for (const [name, given] of Object.entries({ message, subject }))
    if (given !== undefined) problem(name, 'is not allowed with a template, which provides it');
}

/** Applies the outbound policy. The channel's schema reports values that are not text. */
function addAddressProblems(
  request: { channels?: unknown; steps?: unknown; target?: unknown; callback_url?: unknown },
  channels: Channels,
  outbound: Pick<Deps['outbound'], 'checkUrl'>,
  context: z.RefinementCtx,
): void {
  const check = (address: unknown, path: string[]) => {
    if (typeof address !== 'string' || address === '') return;
    const checked = outbound.checkUrl(address);
    if (!checked.ok) context.addIssue({ code: 'custom', path, message: checked.problem });
  };
  check(request.callback_url, ['callback_url']);
  const requested = requestedChannels(request).map((one) => one.name);
  for (const { name, addresses = [] } of channels.values()) {
    if (!requested.includes(name)) continue;
    for (const place of addresses) {
      const path = ['target', name, ...place];
      check(memberAt(request.target, path.slice(1)), path);
    }
  }
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== 'object' || member === null || !Object.hasOwn(member, name)) return undefined;
    member = (member as Record<string, unknown>)[name];
  }
  return member;
}

/** Checks `channels` against `target`. Their own schemas report missing and malformed ones. */
function addTargetProblems(
  { channels: first, steps, target }: { channels?: unknown; steps?: unknown; target?: unknown },
  channels: Channels,
  context: z.RefinementCtx,
): void {
  if (first === undefined) {
    const message = 'is required without target.user_id or target.topic_id';
    context.addIssue({ code: 'custom', path: ['channels'], message });
  }
  const isTargets = typeof target === 'object' && target !== null && !Array.isArray(target);
  if (!Array.isArray(first) || (target !== undefined && !isTargets)) return;
  const targets = (target ?? {}) as Record<string, unknown>;
  const all = requestedChannels({ channels: first, steps });
  const requested = all.map((one) => one.name);
  const problem = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  for (const [index, { name, path }] of all.entries()) {
    if (requested.indexOf(name) < index) problem(path, 'is requested twice');
    const channel = channels.get(name as ChannelName);
    if (channel && !channel.targetOptional && targets[channel.name] === undefined)
      problem(['target', channel.name], 'is required for a requested channel');
  }
  const isKnown = (name: string) => channels.has(name as ChannelName) && targets[name] !== undefined;
  for (const name of Object.keys(targets).filter(isKnown))
    if (!requested.includes(name))
      problem(['target', name], 'is a target for a channel that is not requested');
}

interface TopicRequest {
  readonly channels?: unknown;
  readonly steps?: unknown;
  readonly target?: unknown;
  readonly digest?: unknown;
  readonly callback_url?: unknown;
}

interface TopicEmail {
  readonly cc?: unknown;
  readonly bcc?: unknown;
  readonly attachments?: unknown;
}

/**
 * Refuses what a send to a topic cannot contain (docs/notifications.md#topics), since it is one
 * request for many people. Their own schemas report missing and malformed members.
 */
function addTopicProblems(request: TopicRequest, context: z.RefinementCtx): void {
  const targets = (request.target ?? {}) as Readonly<Record<string, unknown>>;
  if (targets['topic_id'] === undefined) return;
  const problem = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  if (targets['user_id'] !== undefined) problem(['target', 'topic_id'], 'is not allowed with user_id');
  const requested = requestedChannels(request).map(({ name }) => String(name));
  for (const name of requested)
    if (getTargetUser(targets[name]) !== MEMBER_PLACEHOLDER)
      problem(['target', name], 'goes to the members of the topic and must not name another receiver');
  if (request.digest !== undefined) problem(['digest'], 'is not allowed in a send to a topic');
  if (request.callback_url !== undefined)
    problem(['callback_url'], 'is not allowed in a send to a topic, which has no channels to settle');
  if (requested.includes('email')) addMailProblems(targets['email'] ?? {}, problem);
}

function addMailProblems(
  email: TopicEmail,
  problem: (path: (string | number)[], message: string) => void,
): void {
  for (const name of ['cc', 'bcc'] as const)
    if (email[name] !== undefined)
      problem(
        ['target', 'email', name],
        'is not allowed in a send to a topic: it would receive the mail of every member',
      );
  const { attachments } = email;
  if (!Array.isArray(attachments)) return;
  for (const [index, given] of (attachments as unknown[]).entries())
    if ((given as { content?: unknown } | null)?.content !== undefined)
      problem(
        ['target', 'email', 'attachments', index, 'content'],
        'must be given by its `url` in a send to a topic',
      );
}
