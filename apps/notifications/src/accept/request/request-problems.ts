// Checks between the members of a send. Each member's own schema reports missing and malformed
// members.
import type { z } from 'zod';
import type { ChannelName } from '@parley/jobs';
import type { Channels } from '../../channels/channels.ts';
import type { Deps } from '../../deps.ts';
import { requestedChannels } from '../../timing/schemas.ts';

/** The text comes either from the request or from a template. */
export function addTextProblems(
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
export function addAddressProblems(
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
export function addTargetProblems(
  { channels: first, steps, target }: { channels?: unknown; steps?: unknown; target?: unknown },
  channels: Channels,
  context: z.RefinementCtx,
): void {
  if (first === undefined) {
    const message = 'is required without target.user_id or target.topic_id';
    context.addIssue({ code: 'custom', path: ['channels'], message });
  }
  if (!Array.isArray(first)) return;
  const all = requestedChannels({ channels: first, steps });
  const requested = all.map((one) => one.name);
  const isTargets = typeof target === 'object' && target !== null && !Array.isArray(target);
  if (target !== undefined && !isTargets) return;
  const targets = (target ?? {}) as Record<string, unknown>;
  const problem = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  for (const [index, { name, path }] of all.entries()) {
    if (requested.indexOf(name) < index) problem(path, 'is requested twice');
    const channel = channels.get(name as ChannelName);
    if (channel && !channel.targetOptional && targets[channel.name] === undefined)
      problem(['target', channel.name], 'is required for a requested channel');
  }
  for (const name of Object.keys(targets)) {
    const given = channels.get(name as ChannelName);
    if (given && targets[name] !== undefined && !requested.includes(name))
      problem(['target', name], 'is a target for a channel that is not requested');
  }
}
