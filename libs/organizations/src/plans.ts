// The table of plans (docs/voice-api.md#plans) and what an organisation may do by its plan and its own numbers. Pure.

/** Null: no limit. */
export interface PlanLimits {
  /** Requests in any 60 seconds. */
  readonly requestsPerMinute: number | null;
  /** Requests in flight at once: what the plan calls concurrent connections. */
  readonly concurrentConnections: number | null;
}

/** Enterprise is custom: its numbers are the organisation's own, and without them it is not limited. */
export const plans = {
  starter: { requestsPerMinute: 60, concurrentConnections: 10 },
  pro: { requestsPerMinute: 300, concurrentConnections: 50 },
  enterprise: { requestsPerMinute: null, concurrentConnections: null },
} as const satisfies Record<string, PlanLimits>;

export type Plan = keyof typeof plans;
export const PLANS = Object.keys(plans) as Plan[];

/** What holds for an organisation: a number of its own goes before its plan's, on any plan. */
export function limitsOf(organization: {
  readonly plan: Plan;
  readonly requestsPerMinute: number | null;
  readonly concurrentConnections: number | null;
}): PlanLimits {
  const plan = plans[organization.plan];
  return {
    requestsPerMinute: organization.requestsPerMinute ?? plan.requestsPerMinute,
    concurrentConnections: organization.concurrentConnections ?? plan.concurrentConnections,
  };
}

/** Bytes of one conversation's turns (docs/platform.md#byte-budgets): what is read has to end, on every plan. */
export const conversationBytes: Readonly<Record<Plan, number>> = {
  starter: 10_000_000,
  pro: 10_000_000,
  enterprise: 50_000_000,
};
