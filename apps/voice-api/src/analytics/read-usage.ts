// GET /v1/analytics/usage
import type { Caller } from '@parley/server/http';
import type { Deps } from './deps.ts';
import { answerQuery, type FigureKind } from './answer-question.ts';
import type { AnalyticsQuery, UsageAnswer } from './schemas.ts';
import { newTally } from './tally.ts';

export async function readUsage(
  deps: Pick<Deps, 'pool' | 'clock' | 'blockCache'>,
  caller: Caller,
  query: AnalyticsQuery,
): Promise<UsageAnswer> {
  return answerQuery(deps, caller, query, usage);
}

const usage = {
  reads: 'callers',
  figures: ({ counts }, uniqueCallers, traffic) => ({
    conversations: counts.conversations,
    minutes: Math.round((counts.duration_ms / 60_000) * 1e6) / 1e6,
    turns: counts.turns,
    unique_callers: uniqueCallers,
    model_calls: counts.model_calls,
    tokens_in: counts.tokens_in,
    tokens_out: counts.tokens_out,
    model_cost: counts.model_cost_nanos / 1e9,
    unpriced_model_calls: counts.unpriced_calls,
    webhook_deliveries: traffic ? traffic.counts.webhook_delivered : null,
    api_requests: traffic ? traffic.counts.api_requests : null,
  }),
} satisfies FigureKind<Omit<UsageAnswer['totals'], 'groups'>>;

/** The figures of nothing, with every member. */
export const NO_USAGE = usage.figures(newTally(), 0, newTally());
