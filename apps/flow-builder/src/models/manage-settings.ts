// GET, PUT and DELETE /v1/gateway/settings: which models an organisation uses, and its budget
// (docs/providers.md#settings-of-an-organisation).
import { AppError, flowBuilderDialect } from '@parley/envelopes';
import { audit } from '@parley/server/audit';
import type { Caller } from '@parley/server/http';
import { notifyChanged, type Sql } from '@parley/server/postgres';
import { modelKeyContext, modelProviderContext, type SealedRow } from '@parley/server/sealed-columns';
import type { Deps } from '../deps.ts';
import { providerKinds } from '../gateways/known-providers.ts';
import {
  deleteModelSettings,
  findModelSettings,
  MODEL_SETTINGS_CHANGED,
  storeModelSettings,
  type FlowProvider,
  type ModelSettings,
  type StoredProvider,
} from '../gateways/settings-table.ts';
import type { FlowProviderRequest, ModelSettingsRequest, ProviderRequest } from './schemas.ts';

type SettingsDeps = Pick<Deps, 'sql' | 'transact' | 'gateways' | 'outbound' | 'dataSealer' | 'clock' | 'ids'>;
type Account = Pick<StoredProvider, 'kind' | 'url'>;

export async function readSettings({ sql, gateways }: SettingsDeps, { organizationId }: Caller) {
  const settings = await findModelSettings(sql, organizationId);
  const { usable } = await gateways.get(organizationId);
  const { provider, fallback, flowProviders, prices, monthlyBudget, updatedAt, updatedBy } =
    settings ?? noSettings;
  return {
    provider: toView(provider, settings?.providerKey ?? null),
    fallback: toView(fallback, settings?.fallbackKey ?? null),
    flow_providers: Object.fromEntries(
      flowProviders.map(({ name, kind, url, models, key }) => [name, toView({ kind, url, models }, key)!]),
    ),
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
  flowProviders: [],
  prices: {},
  monthlyBudget: null,
  updatedAt: null,
  updatedBy: null,
} as const;

function toView<Shown extends Account>(provider: Shown | null, key: string | null) {
  return provider && { ...provider, has_key: key !== null };
}

/** @throws AppError invalid_request */
export async function changeSettings(deps: SettingsDeps, caller: Caller, body: ModelSettingsRequest) {
  const { organizationId } = caller;
  const read = readProviders(deps, body);
  refuseUnpriced(deps, body, read);
  await deps.transact(async (sql) => {
    const before = await findModelSettings(sql, organizationId);
    const id = before?.id ?? deps.ids('mst');
    const keys = await sealKeys(deps, { organizationId, id }, { body, read, before });
    const flowProviders = await sealFlowProviders(deps, organizationId, { body, read, before });
    const { prices, monthly_budget: monthlyBudget = null } = body;
    const { provider, fallback } = read;
    const changed = { id, provider, fallback, flowProviders, prices, monthlyBudget, ...keys };
    const [updatedAtMs, updatedBy] = [deps.clock(), caller.principal];
    await storeModelSettings(sql, organizationId, { ...changed, updatedAtMs, updatedBy });
    const details = toAuditDetails(changed, before);
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

interface ReadProviders {
  readonly provider: StoredProvider | null;
  readonly fallback: StoredProvider | null;
  readonly flowProviders: readonly (Pick<FlowProvider, 'models'> & Account & { readonly name: string })[];
}

const pathOf = (name: string) => `/flow_providers/${name}`;

function readProviders(deps: SettingsDeps, body: ModelSettingsRequest): ReadProviders {
  const { provider = null, fallback = null } = body;
  const read = {
    provider: provider && { ...readAccount(deps, '/provider', provider), models: provider.models },
    fallback: fallback && { ...readAccount(deps, '/fallback', fallback), models: fallback.models },
    flowProviders: Object.entries(body.flow_providers).map(([name, sent]) => ({
      name,
      ...readAccount(deps, pathOf(name), sent),
      models: sent.models,
    })),
  };
  refuseIdle(deps, read);
  return read;
}

/** @param path of the account in the request */
function readAccount(
  { outbound }: Pick<SettingsDeps, 'outbound'>,
  path: string,
  { kind, url: sentUrl }: ProviderRequest | FlowProviderRequest,
): Account {
  const url = sentUrl ?? providerKinds[kind].url;
  if (url === null) throw invalid(`${path}/url`, `is needed for ${providerKinds[kind].name}`);
  const check = outbound.checkUrl(url);
  if (!check.ok) throw invalid(`${path}/url`, check.problem);
  return { kind, url };
}

function refuseIdle(
  { gateways }: Pick<SettingsDeps, 'gateways'>,
  { provider, fallback, flowProviders }: ReadProviders,
): void {
  if (provider !== null || gateways.deploymentModels !== null) return;
  const [idle] = [
    ...(fallback === null ? [] : ['/fallback']),
    ...flowProviders.map(({ name }) => pathOf(name)),
  ];
  if (idle === undefined) return;
  throw invalid(idle, 'would do nothing: the deployment has no provider, so set `provider` as well');
}

/** A call without a price would not count against the budget. */
function refuseUnpriced(
  { gateways }: Pick<SettingsDeps, 'gateways'>,
  { prices, monthly_budget: budget }: ModelSettingsRequest,
  { provider, fallback, flowProviders }: ReadProviders,
): void {
  if (budget == null) return;
  const primary = provider?.models ?? gateways.deploymentModels;
  const models = [
    ...[primary, fallback?.models].flatMap((uses) => [uses?.classifier, uses?.extractor, uses?.agent]),
    ...flowProviders.flatMap((one) => one.models),
  ];
  const unpriced = models.find(
    (model) => model != null && !Object.hasOwn(prices, model) && !gateways.deploymentPrices.has(model),
  );
  if (unpriced != null) throw invalid('/monthly_budget', `needs a price of "${unpriced}" in \`prices\``);
}

interface Change {
  readonly body: ModelSettingsRequest;
  readonly read: ReadProviders;
  readonly before: ModelSettings | null;
}

async function sealKeys(deps: SettingsDeps, row: SealedRow, { body, read, before }: Change) {
  const seal = (use: 'provider' | 'fallback', storedKey: string | null) =>
    sealKey(deps, modelKeyContext(use)(row), {
      path: `/${use}`,
      sentKey: body[use]?.key,
      account: read[use],
      stored: before && { account: before[use], key: storedKey },
    });
  return {
    providerKey: await seal('provider', before?.providerKey ?? null),
    fallbackKey: await seal('fallback', before?.fallbackKey ?? null),
  };
}

async function sealFlowProviders(
  deps: SettingsDeps,
  organizationId: string,
  { body, read, before }: Change,
): Promise<FlowProvider[]> {
  const sealed: FlowProvider[] = [];
  for (const account of read.flowProviders) {
    const old = before?.flowProviders.find(({ name }) => name === account.name);
    const id = old?.id ?? deps.ids('mpr');
    const key = await sealKey(deps, modelProviderContext({ organizationId, id }), {
      path: pathOf(account.name),
      sentKey: body.flow_providers[account.name]!.key,
      account,
      stored: old === undefined ? null : { account: old, key: old.key },
    });
    sealed.push({ ...account, id, key });
  }
  return sealed;
}

interface KeyChange {
  /** Of the account in the request. */
  readonly path: string;
  readonly sentKey: string | null | undefined;
  readonly account: Account | null;
  readonly stored: { readonly account: Account | null; readonly key: string | null } | null;
}

/** A key follows no other origin: who may change the address must not learn the key by it. */
async function sealKey(
  { dataSealer }: Pick<SettingsDeps, 'dataSealer'>,
  context: string,
  { path, sentKey, account, stored }: KeyChange,
): Promise<string | null> {
  if (account === null || sentKey === null) return null;
  if (sentKey !== undefined) return dataSealer.seal(sentKey, context);
  if (stored?.account == null || stored.key === null) return null;
  if (new URL(account.url).origin === new URL(stored.account.url).origin) return stored.key;
  throw invalid(`${path}/key`, 'must be sent again, because the origin of `url` changed; null: no key');
}

function toAuditDetails(
  changed: Omit<ModelSettings, 'updatedAt' | 'updatedBy'>,
  before: ModelSettings | null,
) {
  const storedKeys = new Map(before?.flowProviders.map(({ id, key }) => [id, key]));
  return {
    provider: toAudited(changed.provider),
    fallback: toAudited(changed.fallback),
    flow_providers: Object.fromEntries(changed.flowProviders.map((one) => [one.name, toAudited(one)])),
    prices: changed.prices,
    monthly_budget: changed.monthlyBudget,
    provider_key_changed: changed.providerKey !== (before?.providerKey ?? null),
    fallback_key_changed: changed.fallbackKey !== (before?.fallbackKey ?? null),
    flow_provider_keys_changed: changed.flowProviders
      .filter(({ id, key }) => key !== (storedKeys.get(id) ?? null))
      .map(({ name }) => name),
  };
}

/** The path of an address may hold a secret. */
function toAudited(provider: (Account & { readonly models: unknown }) | null) {
  return provider && { kind: provider.kind, host: new URL(provider.url).host, models: provider.models };
}

function invalid(path: string, message: string): AppError {
  return new AppError('invalid_request', 'the request is not valid', { fields: [{ path, message }] });
}
