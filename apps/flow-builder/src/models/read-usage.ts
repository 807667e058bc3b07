// GET /v1/gateway/usage: tokens and cost of the models, by month.
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { listUsage } from '../gateways/usage-table.ts';

export async function readUsage(
  { sql, gateways }: Pick<Deps, 'sql' | 'gateways'>,
  { organizationId }: Caller,
) {
  const { budget } = await gateways.get(organizationId);
  const months = await listUsage(sql, organizationId);
  return {
    months: months.map(({ month, calls, tokensIn, tokensOut, cost, unpricedCalls }) => ({
      month,
      calls,
      tokens_in: tokensIn,
      tokens_out: tokensOut,
      cost: unpricedCalls === calls ? null : cost,
      unpriced_calls: unpricedCalls,
    })),
    monthly_budget: budget?.monthly ?? null,
    budget_used_up: budget?.isUsedUp() ?? false,
  };
}
