// Which keys of Redis a service may access, derived from the queues and the contracts. Generates
// docker/redis-users.acl, which every stack uses (docs/platform.md#redis-users).
import { contracts, PARTIES, type ContractRow, type Party } from './messages/contracts.ts';
import { listQueues, type QueueName } from './queue-registry.ts';

/** The prefix in the file. Installations with another QUEUE_PREFIX replace it. */
const PREFIX = 'parley';

/**
 * What BullMQ, the limits and ioredis need on Redis 6.2 and later: read and write keys, scripts,
 * INFO. Nothing that lists or deletes others' data (SCAN, KEYS, FLUSHALL, SCRIPT FLUSH),
 * administers the server, or publishes.
 */
const COMMANDS =
  '-@all +@read +@write +@connection +@transaction -@dangerous -scan -randomkey -dbsize ' +
  '+eval +evalsha +script|load +script|exists +time +info +client|setname +cluster|slots +cluster|info';

/**
 * The queues that a party consumes, those that it adds messages to, and those for its
 * acknowledgements.
 */
export function listAccessibleQueues(party: Party): QueueName[] {
  const rows: readonly ContractRow[] = Object.values(contracts);
  const touched = rows.flatMap(({ producers, consumer, queue }) => [
    ...(producers.includes(party) ? [queue] : []),
    ...(consumer === party
      ? producers.flatMap((one) => (one === 'media-runtime' ? [] : [`outbox-acks.${one}` as const]))
      : []),
  ]);
  return [...new Set([...(party === 'media-runtime' ? [] : listQueues(party)), ...touched])].sort();
}

/** The rules of one user, without its password. `prefix` is QUEUE_PREFIX. */
export function buildRedisRules(party: Party, prefix = PREFIX): string {
  const patterns = listAccessibleQueues(party).flatMap((queue) => [
    `~${prefix}:${queue}:*`,
    `~{${prefix}:${queue}}:*`, // the same in a cluster (connect-redis.ts)
  ]);
  if (party !== 'media-runtime') patterns.push(`~${prefix}:limits:${party}:*`);
  return ['resetkeys', 'resetchannels', ...patterns, COMMANDS].join(' ');
}

/**
 * Users of the servers and their operators. `default` is off, so nobody can log in without a
 * password. It has all rights because Redis loads an append-only file as `default`: without them it
 * drops every script and MULTI.
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

/** A file for `aclfile`, with placeholders `<sha256 of …>` for the passwords. */
export function buildRedisUsersFile(): string {
  const users = PARTIES.map((party) => `user ${party} on #<sha256 of ${party}> ${buildRedisRules(party)}`);
  return `${[...SERVER_USERS, ...users].join('\n')}\n`;
}
