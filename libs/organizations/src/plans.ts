// The table of plans (docs/voice-api.md#plans) and what an organisation may do by its plan and its own numbers. Pure.

/** Null: no limit. */
export interface PlanLimits {
  /** Requests in any 60 seconds. */
  readonly requestsPerMinute: number | null;
  /** Requests in flight at once: what the plan calls concurrent connections. */
  readonly concurrentConnections: number | null;
  /** Bytes of one conversation's turns. Never without a limit: what is read has to end. */
  readonly conversationBytes: number;
}

const MEGABYTE = 1_000_000;

/** Enterprise is custom: its numbers are the organisation's own, and without them it is not limited. */
export const plans = {
  starter: { requestsPerMinute: 60, concurrentConnections: 10, conversationBytes: 10 * MEGABYTE },
  pro: { requestsPerMinute: 300, concurrentConnections: 50, conversationBytes: 10 * MEGABYTE },
  enterprise: { requestsPerMinute: null, concurrentConnections: null, conversationBytes: 50 * MEGABYTE },
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
    conversationBytes: plan.conversationBytes,
  };
}
