// A send to a person: the short way to say whom, written out as every channel takes it. Pure.
import type { ChannelName } from '@parley/queues';
import { isPersonal } from '../../recipients/preference.rules.ts';
import { requestedChannels } from '../../timing/schemas.ts';
import { MEMBER } from '../../topics/stand-in.ts';

/**
 * `target.user_id` stands for `user_id` in the target of every requested channel by which people are reached; where no channels are
 * requested, of all that this deployment has. `target.topic_id`: the same, for who stands for a member. What is no such request is given
 * back as it is, for the schema to judge.
 */
export function namingRecipient(given: unknown, channels: Iterable<ChannelName>): unknown {
  if (!isObject(given) || !isObject(given['target'])) return given;
  const { user_id: named, topic_id: topic } = given['target'];
  const user = typeof topic === 'string' ? MEMBER : named;
  if (typeof user !== 'string') return given;
  const personal = [...channels].filter(isPersonal);
  const later = requestedChannels({ steps: given['steps'] }).map(({ name }) => name);
  const requested = given['channels'] ?? personal.filter((name) => !later.includes(name));
  if (!Array.isArray(requested)) return given;
  const target: Record<string, unknown> = { ...given['target'] };
  for (const name of personal) {
    if (!requested.includes(name) && !later.includes(name)) continue;
    const own = target[name];
    if (own === undefined) target[name] = { user_id: user };
    else if (isObject(own)) target[name] = { user_id: user, ...own };
  }
  return { ...given, channels: requested, target };
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
