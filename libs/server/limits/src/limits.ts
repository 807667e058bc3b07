// The limits of a service (docs/platform.md#plans-and-limits): which ones apply to an organisation,
// who decides, what the answer says. Checked for every request with a valid credential.
import type { Counter } from 'prom-client';
import { AppError } from '@parley/envelopes';
import type { Admission, Limit } from '@parley/server/http';
import type { Metrics } from '@parley/metrics';
import {
  findOrganization,
  getLimits,
  ORGANIZATIONS_CHANNEL,
  unknownOrganization,
  type Cap,
  type Organization,
} from '@parley/server/organizations';
import { createNoticedCache, type Listener, type Sql } from '@parley/server/postgres';
import type { Clock, Log, Secret, ServiceName } from '@parley/server/runtime';
import { createCaps, type Caps } from './caps.ts';
import { createStorage, type Storage, type StorageOptions } from './storage.ts';
import { buildLimitsPrefix } from './limit-script.ts';
import { createLocalLimiter } from './local-limiter.ts';
import {
  buildHeaders,
  joinHeaders,
  isUnlimited,
  createRefusal,
  type Headers,
  type Policy,
  type Reading,
} from './policy.rules.ts';
import { LEASE_MS, openRedisLimiter } from './redis-limiter.ts';

/** Lengths of window and leases. Only tests change them. */
export interface LimitTimes {
  /** The window of a plan's requests: a minute (docs/platform.md#plans-and-limits). */
  readonly windowMs: number;
  readonly leaseMs: number;
}

const TIMES: LimitTimes = { windowMs: 60_000, leaseMs: LEASE_MS };
/** Organisations whose plan is cached. */
const ORGANIZATIONS_CACHED_MAX = 50_000;

/** Limits of a service besides its plans. */
export interface ServiceLimits {
  /**
   * The `limitClass`es of its endpoints: outside the plan, each with its own limit, the same for
   * every organisation.
   */
  readonly classes?: Readonly<Record<string, { readonly requests: number; readonly windowMs: number }>>;
  /** The rows of a cap: a table and its condition; `$1` is the organisation. */
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
  /** URL of the queue engine. With `postgres://` there is no Redis: each process counts alone. */
  readonly queueUrl: Secret;
  /** Prefix of every key in Redis, the same in all services. */
  readonly queuePrefix: string;
}

export interface Limits {
  readonly limit: Limit;
  readonly caps: Caps;
  readonly storage: Storage;
  /**
   * Sends of a fan-out, which is slowed down and never refused. Returns how many of `wanted` it may
   * make now, and the wait for more. A tenth of the limit stays free for calls.
   */
  spend(organizationId: string, wanted: number): Promise<SpendResult>;
  /** Disconnects from Redis. Call it when nothing is in flight: held leases expire. */
  close(): void;
}

export interface SpendResult {
  readonly granted: number;
  /** Until there is room for another one; 0 when all were granted. */
  readonly waitMs: number;
}

/** The limits of one organisation, rebuilt after a change. */
interface OrganizationLimits {
  readonly organization: Organization;
  readonly plan: Policy;
  /** For a service that sends to people. */
  readonly sends: Policy | undefined;
}

/** Counter name of a plan; a class has its own name. */
const PLAN = 'plan';
/** Also the name in the header fields. */
const SENDS = 'notify';

/** A request for admission: all of it or nothing. */
interface AdmissionRequest {
  readonly id: string;
  /** The counter. */
  readonly logName: string;
  readonly policy: Policy;
  readonly count: number;
  /** Headers of the request's own admission, when this is its second limit. */
  readonly beside?: Headers;
}

interface RedisReading {
  readonly key: string;
  readonly reading: Reading;
  readonly lease: string | undefined;
  readonly degraded: boolean;
}

/** Share of the sends in a minute for fan-outs. */
const FANOUT_SHARE = 0.9;

export async function createLimits(options: LimitsOptions): Promise<Limits> {
  const { service, sql, clock, log, listener } = options;
  const times = { ...TIMES, ...options.times };
  const prefix = buildLimitsPrefix(options.queuePrefix, service);
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
  const holdings = createNoticedCache<OrganizationLimits>({
    listener,
    channel: ORGANIZATIONS_CHANNEL,
    clock,
    entriesMax: ORGANIZATIONS_CACHED_MAX,
    load: async (id) =>
      buildOrganizationLimits(service, (await findOrganization(sql, id)) ?? unknownOrganization(id), times),
  });
  /** For one second: the same for everyone without limits. */
  let free: { readonly second: number; readonly admissions: Map<string, Admission> } | undefined;

  function admitFreely(policy: Policy): Admission {
    const second = Math.floor(clock() / 1000);
    if (free?.second !== second) free = { second, admissions: new Map() };
    let admission = free.admissions.get(policy.name);
    if (!admission) {
      const reading: Reading = { refusedBy: null, counted: 0, inFlight: 0, resetMs: 0 };
      admission = { headers: buildHeaders(policy, reading, second * 1000, false) };
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
      release?.(); // a send is not in flight
      return headers;
    },
  };

  /** @throws AppError when it is refused. */
  async function decide(asked: AdmissionRequest): Promise<Admission> {
    if (!isUnlimited(asked.policy)) return answer(asked, await consult(asked));
    const free = admitFreely(asked.policy);
    return asked.beside ? { headers: joinHeaders(asked.beside, free.headers, false) } : free;
  }

  async function consult({ id, logName, policy, count }: AdmissionRequest): Promise<RedisReading> {
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
    // Redis may have lost its memory, and does not know what was admitted while it was away.
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
      // Redis may have granted it without telling us: release the lease when possible.
      if (consulted.reading.refusedBy && lease) redis.release(id, lease);
      return consulted;
    }
  }

  async function spend(id: string, wanted: number): Promise<SpendResult> {
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
  function answer(
    { id, policy, beside }: AdmissionRequest,
    { key, reading, lease, degraded }: RedisReading,
  ): Admission {
    const own = buildHeaders(policy, reading, clock(), degraded);
    const headers = beside ? joinHeaders(beside, own, reading.refusedBy !== null) : own;
    if (reading.refusedBy) {
      refusals.inc({ limit: policy.name, reason: reading.refusedBy });
      throw createRefusal(policy, reading, headers);
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

function buildOrganizationLimits(
  service: ServiceName,
  organization: Organization,
  { windowMs }: LimitTimes,
): OrganizationLimits {
  const { requestsPerMinute, concurrentConnections, notifyPerMinute } = getLimits(service, organization);
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
  metrics.gauge('limits_degraded', 'Whether this process counts requests alone (1)', [], (gauge) =>
    gauge.set(isDegraded() ? 1 : 0),
  );
  return metrics.counter('limits_refused_total', 'Requests refused by a limit', ['limit', 'reason']);
}
