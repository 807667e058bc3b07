// The limits of a service (docs/platform.md#plans-and-limits): which ones hold for an organisation, who decides, what the answer
// says. They are asked for every request whose credential is valid.
import type { Counter } from 'prom-client';
import { AppError } from '@parley/envelopes';
import type { Admission, Limit } from '@parley/http';
import type { Metrics } from '@parley/metrics';
import {
  findOrganization,
  limitsOf,
  ORGANIZATIONS_CHANNEL,
  unknownOrganization,
  type Cap,
  type Organization,
} from '@parley/organizations';
import { createNoticedCache, type Listener, type Sql } from '@parley/postgres';
import type { Clock, Log, Secret, ServiceName } from '@parley/runtime';
import { createCaps, type Caps } from './caps.ts';
import { createStorage, type Storage, type StorageOptions } from './storage.ts';
import { limitsPrefix } from './limit-script.ts';
import { createLocalLimiter } from './local-limiter.ts';
import {
  headersOf,
  headersOfBoth,
  isUnlimited,
  refusalOf,
  type Headers,
  type Policy,
  type Reading,
} from './policy.rules.ts';
import { LEASE_MS, openRedisLimiter } from './redis-limiter.ts';

/** How long the window and the leases are. A test makes them short; nothing else does. */
export interface LimitTimes {
  /** The window of a plan's requests: a minute (docs/platform.md#plans-and-limits). */
  readonly windowMs: number;
  readonly leaseMs: number;
}

const TIMES: LimitTimes = { windowMs: 60_000, leaseMs: LEASE_MS };
/** Organisations whose plan is kept in memory. */
const ORGANIZATIONS_CACHED_MAX = 50_000;

/** What a service has beside its plans. */
export interface ServiceLimits {
  /** The `limitClass`es of its endpoints: outside the plan, each with a limit of its own, the same for every organisation. */
  readonly classes?: Readonly<Record<string, { readonly requests: number; readonly windowMs: number }>>;
  /** The rows behind a cap: a table and its condition, `$1` being the organisation. */
  readonly counted?: Partial<Readonly<Record<Cap, string>>>;
  /** Tables whose rows count for the storage quota. */
  readonly stored?: readonly string[];
  readonly times?: Partial<LimitTimes> | undefined;
}

export interface LimitsOptions extends ServiceLimits {
  readonly service: ServiceName;
  readonly sql: Sql;
  readonly listener: Listener;
  readonly transact: StorageOptions['transact'];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Address of the queue engine. With `postgres://` there is no Redis: every process counts for itself. */
  readonly queueUrl: Secret;
  /** Of every key in Redis, the same in all services. */
  readonly queuePrefix: string;
}

export interface Limits {
  readonly limit: Limit;
  readonly caps: Caps;
  readonly storage: Storage;
  /**
   * Sends of a fan-out, which is slowed down and never refused: gives how many of `wanted` it may make now, and how long to wait for more.
   * A tenth of the limit stays free for calls.
   */
  spend(organizationId: string, wanted: number): Promise<Spent>;
  /** Leaves Redis. Call when nothing is in flight any more: what is held then runs out by itself. */
  close(): void;
}

export interface Spent {
  readonly granted: number;
  /** Until there is room for another one; 0 when all was granted. */
  readonly waitMs: number;
}

/** What holds for one organisation, made once a change. */
interface Holding {
  readonly organization: Organization;
  readonly plan: Policy;
  /** Of a service that sends to people. */
  readonly sends: Policy | undefined;
}

/** What the counters of a plan are called, where those of a class have its name. */
const PLAN = 'plan';
/** Also what the header fields call it. */
const SENDS = 'notify';

/** What is to be admitted, all of it or nothing. */
interface Asked {
  readonly id: string;
  /** The counter. */
  readonly logName: string;
  readonly policy: Policy;
  readonly count: number;
  /** The headers of the request's own admission, where this is the second limit that holds for it. */
  readonly beside?: Headers;
}

interface Consulted {
  readonly key: string;
  readonly reading: Reading;
  readonly lease: string | undefined;
  readonly degraded: boolean;
}

/** What fan-outs may use of the sends in a minute. */
const FANOUT_SHARE = 0.9;

export async function createLimits(options: LimitsOptions): Promise<Limits> {
  const { service, sql, clock, log, listener } = options;
  const times = { ...TIMES, ...options.times };
  const prefix = limitsPrefix(options.queuePrefix, service);
  const classes = new Map<string, Policy>(
    Object.entries(options.classes ?? {}).map(([name, limits]) => [
      name,
      { name, concurrent: null, ...limits },
    ]),
  );
  const redis = /^rediss?(-|:)/.test(options.queueUrl.reveal())
    ? await openRedisLimiter({ url: options.queueUrl, prefix, log, leaseMs: times.leaseMs })
    : null;
  const local = createLocalLimiter();
  const refusals = watch(options.metrics, () => !redis || redis.outage.isAway());
  const holdings = createNoticedCache<Holding>({
    listener,
    channel: ORGANIZATIONS_CHANNEL,
    clock,
    entriesMax: ORGANIZATIONS_CACHED_MAX,
    load: async (id) =>
      holdingOf(service, (await findOrganization(sql, id)) ?? unknownOrganization(id), times),
  });
  /** Of one second: it is the same for everyone who is not limited. */
  let free: { readonly second: number; readonly admissions: Map<string, Admission> } | undefined;

  function admitFreely(policy: Policy): Admission {
    const second = Math.floor(clock() / 1000);
    if (free?.second !== second) free = { second, admissions: new Map() };
    let admission = free.admissions.get(policy.name);
    if (!admission) {
      const reading: Reading = { refusedBy: null, counted: 0, inFlight: 0, resetMs: 0 };
      admission = { headers: headersOf(policy, reading, second * 1000, false) };
      free.admissions.set(policy.name, admission);
    }
    return admission;
  }

  const limit: Limit = {
    peek: (caller, { limitClass }) => {
      const policy = limitClass ? classes.get(limitClass) : holdings.peek(caller.organizationId)?.plan;
      return policy && isUnlimited(policy) ? admitFreely(policy) : undefined;
    },
    admit: async ({ organizationId: id }, { limitClass }) => {
      const policy = limitClass ? classes.get(limitClass)! : (await holdings.get(id)).plan;
      return decide({ id, logName: limitClass ?? PLAN, policy, count: 1 });
    },
    charge: async ({ organizationId: id }, count, beside) => {
      const policy = (await holdings.get(id)).sends;
      if (!policy) throw new Error(`${service} has no limit of sends`);
      if (policy.requests !== null && count > policy.requests) throw neverFits(policy.requests, count);
      const { headers, release } = await decide({ id, logName: SENDS, policy, count, beside });
      release?.(); // a send is nothing in flight
      return headers;
    },
  };

  /** @throws AppError when it is refused. */
  async function decide(asked: Asked): Promise<Admission> {
    if (!isUnlimited(asked.policy)) return answer(asked, await consult(asked));
    const free = admitFreely(asked.policy);
    return asked.beside ? { headers: headersOfBoth(asked.beside, free.headers, false) } : free;
  }

  async function consult({ id, logName, policy, count }: Asked): Promise<Consulted> {
    const key = `${logName} ${id}`;
    const degraded = (lease?: string) => ({
      key,
      reading: local.admit(key, policy, count),
      lease,
      degraded: true,
    });
    if (!redis) return degraded();
    const lease = policy.concurrent === null ? undefined : redis.newLease();
    if (redis.outage.isAway()) return degraded(lease);
    // Redis may have come back without its memory, and knows nothing of what was admitted while it was away.
    if (performance.now() - redis.outage.endedAtMs() < times.windowMs) {
      const reading = local.look(key, policy, count);
      if (reading.refusedBy) return { key, reading, lease: undefined, degraded: false };
    }
    local.asked(key, count);
    try {
      const reading = await redis.admit(id, logName, policy, lease ?? '', count);
      local.settled(key, policy, count, reading.refusedBy === null);
      return { key, reading, lease, degraded: false };
    } catch {
      local.settled(key, policy, count, false);
      const consulted = degraded(lease);
      // Redis may have done what it did not tell: then the lease is taken back when it can be.
      if (consulted.reading.refusedBy && lease) redis.release(id, lease);
      return consulted;
    }
  }

  async function spend(id: string, wanted: number): Promise<Spent> {
    const { sends } = await holdings.get(id);
    if (!sends || sends.requests === null || wanted === 0) return { granted: wanted, waitMs: 0 };
    const requests = Math.max(1, Math.floor(sends.requests * FANOUT_SHARE));
    const policy = { ...sends, requests };
    for (let count = Math.min(wanted, requests); ;) {
      const { key, reading } = await consult({ id, logName: SENDS, policy, count });
      if (!reading.refusedBy) {
        local.ended(key);
        return { granted: count, waitMs: 0 };
      }
      const room = Math.min(count - 1, requests - reading.counted);
      if (room < 1) return { granted: 0, waitMs: Math.max(1, reading.resetMs) };
      count = room;
    }
  }

  /** @throws AppError when the reading refuses. */
  function answer({ id, policy, beside }: Asked, { key, reading, lease, degraded }: Consulted): Admission {
    const own = headersOf(policy, reading, clock(), degraded);
    const headers = beside ? headersOfBoth(beside, own, reading.refusedBy !== null) : own;
    if (reading.refusedBy) {
      refusals.inc({ limit: policy.name, reason: reading.refusedBy });
      throw refusalOf(policy, reading, headers);
    }
    if (lease) redis!.hold(id, lease);
    return {
      headers,
      release: () => {
        local.ended(key);
        if (lease) redis!.release(id, lease);
      },
    };
  }

  const organizationOf = async (id: string) => (await holdings.get(id)).organization;
  const { transact, counted = {}, stored = [] } = options;
  const storage = createStorage({ service, stored, sql, clock, organizationOf, transact });
  return {
    limit: { ...limit, store: ({ organizationId }, bytes) => storage.admit(organizationId, bytes) },
    caps: createCaps({ service, clock, counted, organizationOf }),
    storage,
    spend,
    close: () => redis?.close(),
  };
}

function holdingOf(service: ServiceName, organization: Organization, { windowMs }: LimitTimes): Holding {
  const { requestsPerMinute, concurrentConnections, notifyPerMinute } = limitsOf(service, organization);
  return {
    organization,
    plan: {
      name: organization.plan,
      requests: requestsPerMinute,
      windowMs,
      concurrent: concurrentConnections,
    },
    sends:
      notifyPerMinute === undefined
        ? undefined
        : { name: SENDS, unit: 'sends', requests: notifyPerMinute, windowMs, concurrent: null },
  };
}

/** Waiting would not help. */
function neverFits(of: number, count: number): AppError {
  return new AppError(
    'limit_exceeded',
    `notify_per_minute: the call has ${count} sends, and the organisation may make ${of} in a minute`,
    { details: { limit: 'notify_per_minute', used: count, of } },
  );
}

function watch(metrics: Metrics, isDegraded: () => boolean): Counter {
  metrics.gauge('limits_degraded', 'Whether this process counts requests by itself (1)', [], (gauge) =>
    gauge.set(isDegraded() ? 1 : 0),
  );
  return metrics.counter('limits_refused_total', 'Requests refused by a limit', ['limit', 'reason']);
}
