// Pure: expands `target.user_id` and `target.topic_id` into the target of each channel.
import type { ChannelName } from '@parley/jobs';
import { isPersonal } from '../../people/opt-out.rules.ts';
import { requestedChannels } from '../../timing/schemas.ts';
import { MEMBER_PLACEHOLDER } from './topic-problems.ts';

/**
 * Writes `target.user_id` as `user_id` into the target of each requested channel that reaches
 * people. Without `channels`, it requests all of these that the deployment has. `target.topic_id`
 * does the same for the member placeholder. Any other input is returned as it is, for the schema to
 * validate.
 */
export function expandTarget(given: unknown, channels: Iterable<ChannelName>): unknown {
  if (!isObject(given) || !isObject(given['target'])) return given;
  const { user_id: named, topic_id: topic } = given['target'];
  const user = typeof topic === 'string' ? MEMBER_PLACEHOLDER : named;
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
