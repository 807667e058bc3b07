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

/**
 * Users of the servers and of their operators. `default` is off, so nobody gets in without a password, and may do anything, because
 * Redis runs as `default` what it loads from an append-only file: without rights it drops every script and every MULTI.
 */
const SERVER_USERS = [
  'user default off ~* &* +@all',
  'user health on nopass resetkeys resetchannels -@all +ping', // health checks have no secret
  'user operator on #<sha256 of operator> ~* &* +@all',
  // Sessions of the console (apps/console/src/session/session-store.ts).
  'user console on #<sha256 of console> resetkeys resetchannels ~parley:sessions:* -@all +get +set +del +zadd +zrange ' +
    '+zremrangebyscore +ping +quit +info +client|setname +cluster|slots +cluster|info',
  // `masteruser` of every replica, and `sentinel auth-user` of every sentinel.
  'user replica on #<sha256 of replica> resetkeys resetchannels -@all +psync +replconf +ping',
  'user sentinel on #<sha256 of sentinel> resetkeys resetchannels &__sentinel__:hello -@all +multi +exec +replicaof +slaveof ' +
    '+ping +publish +subscribe +config|rewrite +role +info +client|setname +client|kill +script|kill',
];

/** A file for `aclfile`; SHA-256 sums of the passwords stand where `<sha256 of …>` stands. */
export function redisUsersFile(): string {
  const users = PARTIES.map((party) => `user ${party} on #<sha256 of ${party}> ${redisRulesOf(party)}`);
  return `${[...SERVER_USERS, ...users].join('\n')}\n`;
}
