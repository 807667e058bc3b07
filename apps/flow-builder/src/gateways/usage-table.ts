// The table `model_usage`: what the models of an organisation took in a month (UTC).
import type { ModelUsage } from '@parley/flow-analysis';
import type { Sql } from '@parley/server/postgres';

/** Months of the answer. */
const MONTHS_MAX = 24;

export interface MonthUsage {
  /** Such as `2026-11`. */
  readonly month: string;
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Of the calls that have one. */
  readonly cost: number;
  readonly unpricedCalls: number;
}

/** The cost of a month so far, of calls that have one. */
export interface MonthCost {
  /** Such as `2026-11`. */
  readonly month: string;
  readonly cost: number;
}

/** Adds in one statement: concurrent calls are all counted. */
export async function addUsage(sql: Sql, organizationId: string, usage: ModelUsage): Promise<MonthCost> {
  const [sum] = await sql<MonthCost>(
    `INSERT INTO model_usage AS used (organization_id, month, calls, tokens_in, tokens_out, cost, unpriced_calls)
     VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, $2::int, $3::bigint, $4::bigint,
             coalesce($5::float8, 0), CASE WHEN $5::float8 IS NULL THEN $2::int ELSE 0 END)
     ON CONFLICT (organization_id, month) DO UPDATE SET
       calls = used.calls + excluded.calls,
       tokens_in = used.tokens_in + excluded.tokens_in,
       tokens_out = used.tokens_out + excluded.tokens_out,
       cost = used.cost + excluded.cost,
       unpriced_calls = used.unpriced_calls + excluded.unpriced_calls
     RETURNING to_char(used.month, 'YYYY-MM') AS month, used.cost::float8 AS cost`,
    [organizationId, usage.calls, usage.tokens_in, usage.tokens_out, usage.cost],
  );
  return sum!;
}

/** Newest first. */
export function listUsage(sql: Sql, organizationId: string): Promise<MonthUsage[]> {
  return sql<MonthUsage>(
    `SELECT to_char(month, 'YYYY-MM') AS month, calls::float8 AS calls, tokens_in::float8 AS "tokensIn",
            tokens_out::float8 AS "tokensOut", cost::float8 AS cost, unpriced_calls::float8 AS "unpricedCalls"
     FROM model_usage WHERE organization_id = $1 ORDER BY model_usage.month DESC LIMIT ${MONTHS_MAX}`,
    [organizationId],
  );
}
