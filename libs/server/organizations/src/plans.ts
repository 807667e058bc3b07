// THE table of plans (docs/platform.md#plans-and-limits): what each allows in each service. Pure.
import type { ServiceName } from '@parley/server/runtime';

export const PLANS = ['starter', 'pro', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** In the order of PLANS. */
type ByPlan<Value> = readonly [starter: Value, pro: Value, enterprise: Value];

interface ServiceRow {
  /** Requests in any 60 seconds. Null: no limit. */
  readonly requestsPerMinute: ByPlan<number | null>;
  /** Requests in flight, which the plan calls concurrent connections. Null: no limit. */
  readonly concurrentConnections: ByPlan<number | null>;
  /** Sends to people in any 60 seconds. Null: no limit. */
  readonly notifyPerMinute?: ByPlan<number | null>;
  /** Bytes that an organisation may store in the service (docs/platform.md#storage). */
  readonly storageBytes: ByPlan<number>;
  /**
   * How many an organisation may have: generous, and finite on every plan, since all share one
   * database.
   */
  readonly caps: Readonly<Record<string, ByPlan<number>>>;
}

const GB = 1_000_000_000;

/** Enterprise is custom: only the organisation's own numbers limit its requests. */
const table = {
  'flow-builder': {
    requestsPerMinute: [30_000, 120_000, null],
    concurrentConnections: [200, 1_000, null],
    storageBytes: [2 * GB, 20 * GB, 200 * GB],
    caps: {
      api_keys: [100, 1_000, 10_000],
      flows: [1_000, 10_000, 100_000],
      versions_per_flow: [5_000, 10_000, 50_000],
    },
  },
  'voice-api': {
    requestsPerMinute: [60, 300, null],
    concurrentConnections: [10, 50, null],
    storageBytes: [20 * GB, 200 * GB, 2_000 * GB],
    caps: {
      api_keys: [100, 1_000, 10_000],
      bots: [1_000, 10_000, 100_000],
      webhooks: [50, 50, 50], // without application: each event is matched with all of them
      applications: [100, 1_000, 5_000],
      application_webhooks: [200, 2_000, 5_000], // of all applications; 20 each
      import_tokens: [50, 50, 50],
      conversation_bytes: [10_000_000, 10_000_000, 50_000_000], // of the turns of one conversation
      event_streams: [500, 2_000, 4_000], // open in one process
      event_streams_per_reader: [20, 20, 20], // of one conversation, in one process
    },
  },
  notifications: {
    requestsPerMinute: [30_000, 120_000, null],
    concurrentConnections: [200, 1_000, null],
    notifyPerMinute: [60_000, 300_000, null], // a bulk is one request and a thousand of these
    storageBytes: [10 * GB, 100 * GB, 1_000 * GB],
    caps: {
      api_keys: [100, 1_000, 10_000],
      push_registrations: [100_000, 1_000_000, 10_000_000],
      recipients: [100_000, 1_000_000, 10_000_000],
      topics: [1_000, 10_000, 50_000],
      topic_members: [100_000, 1_000_000, 10_000_000], // of all topics together
      categories: [50, 200, 500], // a recipient sees all of them together
      templates: [200, 1_000, 10_000],
      versions_per_template: [500, 1_000, 1_000],
      workflows: [200, 1_000, 10_000],
      versions_per_workflow: [500, 1_000, 1_000],
      suppressions: [100_000, 1_000_000, 10_000_000], // only additions by the API are refused
      recurring_sends: [100, 1_000, 10_000], // that go on
      event_streams: [500, 2_000, 4_000], // open in one process
      event_streams_per_reader: [20, 20, 20], // tabs and devices of one user, in one process
    },
  },
} as const satisfies Record<ServiceName, ServiceRow>;

/** Everything that a plan caps, in any service. */
export type Cap = {
  [Service in ServiceName]: keyof (typeof table)[Service]['caps'];
}[ServiceName];

/** Null: no limit. */
export interface PlanLimits {
  readonly requestsPerMinute: number | null;
  readonly concurrentConnections: number | null;
  /** Absent: the service sends nothing to people. */
  readonly notifyPerMinute?: number | null;
}

/** The limits of an organisation: its own numbers take precedence over its plan's, on any plan. */
export function getLimits(
  service: ServiceName,
  organization: {
    readonly plan: Plan;
    readonly requestsPerMinute: number | null;
    readonly concurrentConnections: number | null;
    readonly notifyPerMinute: number | null;
  },
): PlanLimits {
  const { requestsPerMinute, concurrentConnections, notifyPerMinute }: ServiceRow = table[service];
  const plan = PLANS.indexOf(organization.plan);
  return {
    requestsPerMinute: organization.requestsPerMinute ?? requestsPerMinute[plan] ?? null,
    concurrentConnections: organization.concurrentConnections ?? concurrentConnections[plan] ?? null,
    ...(notifyPerMinute
      ? { notifyPerMinute: organization.notifyPerMinute ?? notifyPerMinute[plan] ?? null }
      : {}),
  };
}

/** Bytes that an organisation may store in a service: its own number takes precedence. */
export function getStorageBytes(
  service: ServiceName,
  { plan, storageBytes }: { readonly plan: Plan; readonly storageBytes: number | null },
): number {
  return storageBytes ?? table[service].storageBytes[PLANS.indexOf(plan)]!;
}

/** The caps of a service on a plan. */
export function getCaps(service: ServiceName, plan: Plan): Readonly<Partial<Record<Cap, number>>> {
  const caps = Object.entries<ByPlan<number>>(table[service].caps);
  return Object.fromEntries(caps.map(([cap, numbers]) => [cap, numbers[PLANS.indexOf(plan)]!]));
}
