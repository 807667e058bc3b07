// The tables `model_settings` and `model_providers`: which models an organisation uses, and its
// budget.
import { z } from 'zod';
import type { Sql } from '@parley/server/postgres';
import { LOW_FROM } from './budget.ts';
import { PROVIDER_KINDS } from './known-providers.ts';
import type { MonthCost } from './usage-table.ts';

/** Notifies replicas of changed settings; the payload is the organisation's id. */
export const MODEL_SETTINGS_CHANGED = 'parley_model_settings';

const models = z.object({
  classifier: z.string(),
  extractor: z.string().nullable(),
  agent: z.string().nullable(),
});
const provider = z.object({ kind: z.enum(PROVIDER_KINDS), url: z.string(), models });
const flowProvider = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(PROVIDER_KINDS),
  url: z.string(),
  models: z.array(z.string()),
  /** Sealed. */
  key: z.string().nullable(),
});
const stored = z.object({
  provider: provider.nullable(),
  fallback: provider.nullable(),
  flowProviders: z.array(flowProvider),
  prices: z.record(z.string(), z.object({ input: z.number(), output: z.number() })),
});

export type StoredProvider = z.output<typeof provider>;
/** For flows that name one of its models. */
export type FlowProvider = z.output<typeof flowProvider>;

export interface ModelSettings extends z.output<typeof stored> {
  readonly id: string;
  /** Sealed. */
  readonly providerKey: string | null;
  readonly fallbackKey: string | null;
  readonly monthlyBudget: number | null;
  readonly updatedAt: Date;
  readonly updatedBy: string;
}

type Row = Omit<ModelSettings, keyof z.output<typeof stored>> & {
  readonly provider: unknown;
  readonly fallback: unknown;
  readonly flowProviders: unknown;
  readonly prices: unknown;
};

/** Null: the organisation has none. */
export async function findModelSettings(sql: Sql, organizationId: string): Promise<ModelSettings | null> {
  const [row] = await sql<Row>(
    `SELECT id, provider, provider_key AS "providerKey", fallback, fallback_key AS "fallbackKey", prices,
            monthly_budget::float8 AS "monthlyBudget", updated_at AS "updatedAt", updated_by AS "updatedBy",
            (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY one.name), '[]') FROM model_providers AS one
             WHERE one.organization_id = $1) AS "flowProviders"
     FROM model_settings WHERE organization_id = $1`,
    [organizationId],
  );
  return row === undefined ? null : { ...row, ...stored.parse(row) };
}

export type NewModelSettings = Omit<ModelSettings, 'updatedAt'> & { readonly updatedAtMs: number };

export async function storeModelSettings(
  sql: Sql,
  organizationId: string,
  settings: NewModelSettings,
): Promise<void> {
  const { id, provider: own, providerKey, fallback, fallbackKey, prices } = settings;
  await sql(
    `INSERT INTO model_settings (id, organization_id, provider, provider_key, fallback, fallback_key, prices,
       monthly_budget, updated_at, updated_by)
     VALUES ($1, $2, $3::jsonb, $4, $5::jsonb, $6, $7::jsonb, $8::float8, $9::timestamptz, $10)
     ON CONFLICT (organization_id) DO UPDATE SET provider = $3::jsonb, provider_key = $4, fallback = $5::jsonb,
       fallback_key = $6, prices = $7::jsonb, monthly_budget = $8::float8, updated_at = $9::timestamptz,
       updated_by = $10`,
    [
      id,
      organizationId,
      own && JSON.stringify(own),
      providerKey,
      fallback && JSON.stringify(fallback),
      fallbackKey,
      JSON.stringify(prices),
      settings.monthlyBudget,
      new Date(settings.updatedAtMs),
      settings.updatedBy,
    ],
  );
  await storeFlowProviders(sql, organizationId, settings.flowProviders);
}

async function storeFlowProviders(
  sql: Sql,
  organizationId: string,
  providers: readonly FlowProvider[],
): Promise<void> {
  await sql('DELETE FROM model_providers WHERE organization_id = $1', [organizationId]);
  for (const { id, name, kind, url, models: named, key } of providers)
    await sql(
      `INSERT INTO model_providers (id, organization_id, name, kind, url, models, key)
       VALUES ($1, $2, $3, $4, $5, $6::text[], $7)`,
      [id, organizationId, name, kind, url, named, key],
    );
}

/** Whether there were any. */
export async function deleteModelSettings(sql: Sql, organizationId: string): Promise<boolean> {
  const rows = await sql<{ id: string }>(
    'DELETE FROM model_settings WHERE organization_id = $1 RETURNING id',
    [organizationId],
  );
  await storeFlowProviders(sql, organizationId, []);
  return rows.length > 0;
}

export async function readMonthCost(sql: Sql, organizationId: string): Promise<MonthCost> {
  const [sum] = await sql<MonthCost>(
    `SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month, coalesce(sum(cost), 0)::float8 AS cost
     FROM model_usage
     WHERE organization_id = $1 AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date`,
    [organizationId],
  );
  return sum!;
}

/** For `tendAlerts`: the month is over, or the budget was raised or removed. */
export const BUDGET_ALERT_ENDINGS = {
  model_budget_low: endedBelow(LOW_FROM),
  model_budget_used_up: endedBelow(1),
} as const;

function endedBelow(share: number): string {
  return `NOT EXISTS (
    SELECT 1 FROM model_settings AS settings JOIN model_usage AS used USING (organization_id)
    WHERE settings.organization_id = alert.organization_id
      AND used.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
      AND used.cost >= settings.monthly_budget * ${share})`;
}
