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
  readonly times?: Partial<LimitTimes> | undefined;
}

export interface LimitsOptions extends ServiceLimits {
  readonly service: ServiceName;
  readonly sql: Sql;
  readonly listener: Listener;
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
  /** Leaves Redis. Call when nothing is in flight any more: what is held then runs out by itself. */
  close(): void;
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
    const { id, logName, policy, count } = asked;
    if (isUnlimited(policy)) {
      const free = admitFreely(policy);
      return asked.beside ? { headers: headersOfBoth(asked.beside, free.headers, false) } : free;
    }
    const key = `${logName} ${id}`;
    if (!redis) return answer(asked, key, local.admit(key, policy, count), undefined, true);
    const lease = policy.concurrent === null ? undefined : redis.newLease();
    if (redis.outage.isAway()) return answer(asked, key, local.admit(key, policy, count), lease, true);
    // Redis may have come back without its memory, and knows nothing of what was admitted while it was away.
    if (performance.now() - redis.outage.endedAtMs() < times.windowMs) {
      const reading = local.look(key, policy, count);
      if (reading.refusedBy) return answer(asked, key, reading, undefined, false);
    }
    local.asked(key, count);
    let reading: Reading;
    try {
      reading = await redis.admit(id, logName, policy, lease ?? '', count);
    } catch {
      local.settled(key, policy, count, false);
      reading = local.admit(key, policy, count);
      // Redis may have done what it did not tell: then the lease is taken back when it can be.
      if (reading.refusedBy && lease) redis.release(id, lease);
      return answer(asked, key, reading, lease, true);
    }
    local.settled(key, policy, count, reading.refusedBy === null);
    return answer(asked, key, reading, lease, false);
  }

  /** @throws AppError when the reading refuses. */
  function answer(
    { id, policy, beside }: Asked,
    key: string,
    reading: Reading,
    lease: string | undefined,
    degraded: boolean,
  ): Admission {
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

  return {
    limit,
    caps: createCaps({
      service,
      clock,
      counted: options.counted ?? {},
      organizationOf: async (id) => (await holdings.get(id)).organization,
    }),
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
