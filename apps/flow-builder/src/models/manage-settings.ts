// GET, PUT and DELETE /v1/gateway/settings: which models an organisation uses, and its budget
// (docs/providers.md#settings-of-an-organisation).
import { AppError, flowBuilderDialect } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import type { Caller } from '@parley/server/http';
import { notifyChanged, type Sql } from '@parley/server/postgres';
import { modelKeyContext } from '@parley/server/sealed-columns';
import type { Deps } from '../deps.ts';
import { providerKinds } from '../gateways/known-providers.ts';
import {
  deleteModelSettings,
  findModelSettings,
  MODEL_SETTINGS_CHANGED,
  storeModelSettings,
  type ModelSettings,
  type StoredProvider,
} from '../gateways/settings-table.ts';
import type { ModelSettingsRequest, ProviderRequest } from './schemas.ts';

type SettingsDeps = Pick<Deps, 'sql' | 'transact' | 'gateways' | 'outbound' | 'dataSealer' | 'clock' | 'ids'>;
type Use = 'provider' | 'fallback';

export async function readSettings({ sql, gateways }: SettingsDeps, { organizationId }: Caller) {
  const settings = await findModelSettings(sql, organizationId);
  const { usable } = await gateways.get(organizationId);
  const { provider, fallback, prices, monthlyBudget, updatedAt, updatedBy } = settings ?? noSettings;
  return {
    provider: toView(provider, settings?.providerKey ?? null),
    fallback: toView(fallback, settings?.fallbackKey ?? null),
    prices,
    monthly_budget: monthlyBudget,
    usable_models: [...usable].sort(),
    updated_at: updatedAt && flowBuilderDialect.time(updatedAt),
    updated_by: updatedBy,
  };
}

const noSettings = {
  provider: null,
  fallback: null,
  prices: {},
  monthlyBudget: null,
  updatedAt: null,
  updatedBy: null,
} as const;

function toView(provider: StoredProvider | null, key: string | null) {
  return provider && { ...provider, has_key: key !== null };
}

/** @throws AppError invalid_request */
export async function changeSettings(deps: SettingsDeps, caller: Caller, body: ModelSettingsRequest) {
  const { organizationId } = caller;
  const provider = readProvider(deps, 'provider', body.provider ?? null);
  const fallback = readProvider(deps, 'fallback', body.fallback ?? null);
  refuseIdle(deps, provider, fallback);
  refuseUnpriced(deps, body, [provider, fallback]);
  await deps.transact(async (sql) => {
    const before = await findModelSettings(sql, organizationId);
    const id = before?.id ?? deps.ids('mst');
    const row = { organizationId, id };
    const providerKey = await sealKey(deps, row, 'provider', { sent: body.provider, provider, before });
    const fallbackKey = await sealKey(deps, row, 'fallback', {
      sent: body.fallback,
      provider: fallback,
      before,
    });
    const { prices, monthly_budget: monthlyBudget = null } = body;
    const [updatedAtMs, updatedBy] = [deps.clock(), caller.principal];
    const changed = { id, provider, providerKey, fallback, fallbackKey, prices, monthlyBudget };
    await storeModelSettings(sql, organizationId, { ...changed, updatedAtMs, updatedBy });
    const details = {
      provider: toAudited(provider),
      fallback: toAudited(fallback),
      prices,
      monthly_budget: monthlyBudget,
      provider_key_changed: providerKey !== (before?.providerKey ?? null),
      fallback_key_changed: fallbackKey !== (before?.fallbackKey ?? null),
    };
    await audit(sql, deps, caller, { action: 'model_settings.changed', target: id, details });
    await notifyChanged(sql, MODEL_SETTINGS_CHANGED, organizationId);
  });
  deps.gateways.forget(organizationId);
  return readSettings(deps, caller);
}

/** Deleting twice is no error: the same settings apply. */
export async function deleteSettings(deps: SettingsDeps, caller: Caller) {
  const { organizationId } = caller;
  await deps.transact(async (sql: Sql) => {
    if (!(await deleteModelSettings(sql, organizationId))) return;
    await audit(sql, deps, caller, { action: 'model_settings.deleted', target: organizationId });
    await notifyChanged(sql, MODEL_SETTINGS_CHANGED, organizationId);
  });
  deps.gateways.forget(organizationId);
  return readSettings(deps, caller);
}

function readProvider(
  { outbound }: Pick<SettingsDeps, 'outbound'>,
  use: Use,
  sent: ProviderRequest | null,
): StoredProvider | null {
  if (sent === null) return null;
  const { kind, models } = sent;
  const url = sent.url ?? providerKinds[kind].url;
  if (url === null) throw invalid(`/${use}/url`, `is needed for ${providerKinds[kind].name}`);
  const check = outbound.checkUrl(url);
  if (!check.ok) throw invalid(`/${use}/url`, check.problem);
  return { kind, url, models };
}

function refuseIdle(
  { gateways }: Pick<SettingsDeps, 'gateways'>,
  provider: StoredProvider | null,
  fallback: StoredProvider | null,
): void {
  if (fallback === null || provider !== null || gateways.deploymentModels !== null) return;
  throw invalid('/fallback', 'would do nothing: the deployment has no provider, so set `provider` as well');
}

/** A call without a price would not count against the budget. */
function refuseUnpriced(
  { gateways }: Pick<SettingsDeps, 'gateways'>,
  { prices, monthly_budget: budget }: ModelSettingsRequest,
  [provider, fallback]: readonly (StoredProvider | null | undefined)[],
): void {
  if (budget == null) return;
  const primary = provider?.models ?? gateways.deploymentModels;
  const models = [primary, fallback?.models].flatMap((uses) => [
    uses?.classifier,
    uses?.extractor,
    uses?.agent,
  ]);
  const unpriced = models.find(
    (model) => model != null && !Object.hasOwn(prices, model) && !gateways.deploymentPrices.has(model),
  );
  if (unpriced != null) throw invalid('/monthly_budget', `needs a price of "${unpriced}" in \`prices\``);
}

interface KeyChange {
  readonly sent: ProviderRequest | null | undefined;
  readonly provider: StoredProvider | null;
  readonly before: ModelSettings | null;
}

/** A key follows no other origin: who may change the address must not learn the key by it. */
async function sealKey(
  { dataSealer }: Pick<SettingsDeps, 'dataSealer'>,
  row: { readonly organizationId: string; readonly id: string },
  use: Use,
  { sent, provider, before }: KeyChange,
): Promise<string | null> {
  if (provider === null || sent?.key === null) return null;
  if (sent?.key !== undefined) return dataSealer.seal(sent.key, modelKeyContext(use)(row));
  const stored = use === 'provider' ? before?.providerKey : before?.fallbackKey;
  if (stored == null) return null;
  const origin = new URL(provider.url).origin;
  if (origin === new URL(before![use]!.url).origin) return stored;
  throw invalid(`/${use}/key`, 'must be sent again, because the origin of `url` changed; null: no key');
}

/** The path of an address may hold a secret. */
function toAudited(provider: StoredProvider | null) {
  return provider && { kind: provider.kind, host: new URL(provider.url).host, models: provider.models };
}

function invalid(path: string, message: string): AppError {
  return new AppError('invalid_request', 'the request is not valid', { fields: [{ path, message }] });
}
