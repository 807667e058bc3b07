// Which keys of Redis a service may touch, derived from the registry of queues and the table of contracts. docker/redis-users.acl is made of
// it, and every stack that starts a Redis of its own goes by that file (docs/platform.md#redis-users).
import { contracts, PARTIES, type ContractRow, type Party } from './messages/contracts.ts';
import { queuesOf, type QueueName } from './queue-registry.ts';

/** The prefix that the file is written for; who has another QUEUE_PREFIX puts it in its place. */
const PREFIX = 'parley';

/**
 * What BullMQ, the limits and ioredis ask for on Redis 6.2 and later: reading and writing keys, scripts, INFO. Nothing that names or takes
 * what belongs to others (SCAN, KEYS, FLUSHALL, SCRIPT FLUSH), administers the server, or publishes.
 */
const COMMANDS =
  '-@all +@read +@write +@connection +@transaction -@dangerous -scan -randomkey -dbsize ' +
  '+eval +evalsha +script|load +script|exists +time +info +client|setname +cluster|slots +cluster|info';

/** The queues whose jobs it takes, those that it adds messages to, and those of the acknowledgements it gives. */
export function queuesTouchedBy(party: Party): QueueName[] {
  const rows: readonly ContractRow[] = Object.values(contracts);
  const touched = rows.flatMap(({ producers, consumer, queue }) => [
    ...(producers.includes(party) ? [queue] : []),
    ...(consumer === party
      ? producers.flatMap((one) => (one === 'media-runtime' ? [] : [`outbox-acks.${one}` as const]))
      : []),
  ]);
  return [...new Set([...(party === 'media-runtime' ? [] : queuesOf(party)), ...touched])].sort();
}

/** The rules of one user, without its password; `prefix` is QUEUE_PREFIX. */
export function redisRulesOf(party: Party, prefix = PREFIX): string {
  const patterns = queuesTouchedBy(party).flatMap((queue) => [
    `~${prefix}:${queue}:*`,
    `~{${prefix}:${queue}}:*`, // the same in a cluster (connect-redis.ts)
  ]);
  if (party !== 'media-runtime') patterns.push(`~${prefix}:limits:${party}:*`);
  return ['resetkeys', 'resetchannels', ...patterns, COMMANDS].join(' ');
}

/** A file for `aclfile`; SHA-256 sums of the passwords stand where `<sha256 of …>` stands. */
export function redisUsersFile(): string {
  const users = PARTIES.map((party) => `user ${party} on #<sha256 of ${party}> ${redisRulesOf(party)}`);
  return `${[
    'user default on nopass resetkeys resetchannels -@all +ping', // health checks have no password
    'user operator on #<sha256 of operator> ~* &* +@all',
    ...users,
  ].join('\n')}\n`;
}
