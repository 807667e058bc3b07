// Classifier, extractor and agent of each organisation: by its own settings, else those of the
// deployment. Cached, and dropped on every replica when the settings change.
import { raise, type RaisedAlert } from '@parley/platform/alerts';
import type { Outbound } from '@parley/outbound';
import { modelKeyContext, modelProviderContext } from '@parley/server/sealed-columns';
import { createNoticedCache, type Listener, type Sql } from '@parley/server/postgres';
import { ignoreFailure, Secret, type Sealer } from '@parley/server/runtime';
import { createBudget, type Budget, type BudgetLevel } from './budget.ts';
import {
  createGatewayFactory,
  listUsable,
  type GatewayFactory,
  type Gateways,
  type GatewaysOptions,
} from './create-gateways.ts';
import type { Price } from './meter.ts';
import type { Provider } from './provider.ts';
import type { ConfiguredModels, NamedModel } from './routed-provider.ts';
import {
  findModelSettings,
  MODEL_SETTINGS_CHANGED,
  readMonthCost,
  type ModelSettings,
  type StoredProvider,
} from './settings-table.ts';
import type { MonthCost } from './usage-table.ts';

/** Most have no settings of their own, and share one object. */
const ORGANIZATIONS_MAX = 10_000;

export interface OrganizationGateways {
  /** Of organisations without settings; for /health. */
  readonly deployment: Gateways;
  /** Its models, and their prices by GATEWAY_PRICES. */
  readonly deploymentModels: ConfiguredModels | null;
  readonly deploymentPrices: ReadonlyMap<string, Price>;
  /** Synchronous, for warm turns; undefined: not cached. */
  peek(organizationId: string): Gateways | undefined;
  get(organizationId: string): Promise<Gateways>;
  /** Call it after the commit that changed the settings. */
  forget(organizationId: string): void;
  /** Closes idle connections. */
  close(): void;
}

export interface OrganizationGatewaysOptions extends GatewaysOptions {
  readonly sql: Sql;
  readonly listener: Listener;
  readonly dataSealer: Sealer;
  readonly outbound: Pick<Outbound, 'checkUrl' | 'agents'>;
}

export function createOrganizationGateways(options: OrganizationGatewaysOptions): OrganizationGateways {
  const { sql, listener, clock } = options;
  const factory = createGatewayFactory(options);
  const cache = createNoticedCache<Gateways>({
    listener,
    channel: MODEL_SETTINGS_CHANGED,
    clock,
    entriesMax: ORGANIZATIONS_MAX,
    load: async (organizationId) => {
      const settings = await findModelSettings(sql, organizationId);
      if (settings === null) return factory.deployment;
      const cost = settings.monthlyBudget === null ? null : await readMonthCost(sql, organizationId);
      return createOwnGateways(options, factory, { organizationId, settings, cost });
    },
  });
  return {
    deployment: factory.deployment,
    deploymentModels: factory.deploymentProvider?.models ?? null,
    deploymentPrices: factory.prices,
    peek: cache.peek,
    get: cache.get,
    forget: cache.drop,
    close: () => factory.deploymentProvider?.provider.close(),
  };
}

interface Owned {
  readonly organizationId: string;
  readonly settings: ModelSettings;
  readonly cost: MonthCost | null;
}

function createOwnGateways(
  options: OrganizationGatewaysOptions,
  factory: GatewayFactory,
  owned: Owned,
): Gateways {
  const { organizationId, settings } = owned;
  const { id, provider: own, providerKey, fallback, fallbackKey, flowProviders } = settings;
  const prices = new Map([...factory.prices, ...Object.entries(owned.settings.prices)]);
  const create = createOwnProvider(options, factory, organizationId, prices);
  const createOf = (use: 'provider' | 'fallback', stored: StoredProvider, key: string | null) => ({
    provider: create(use, stored, key, modelKeyContext(use)({ organizationId, id })),
    models: toModels(stored),
  });
  const primary = own === null ? factory.deploymentProvider : createOf('provider', own, providerKey);
  if (primary === null) return factory.deployment;
  const named = new Map(
    flowProviders.flatMap((one): [string, NamedModel][] => {
      const context = modelProviderContext({ organizationId, id: one.id });
      const provider = create(`provider "${one.name}"`, one, one.key, context);
      return one.models.map((model) => [`${one.name}/${model}`, { provider, model }]);
    }),
  );
  // On the account of the operator a flow names only what the operator has a price for.
  const priced = own === null ? factory.prices : new Map(Object.entries(settings.prices));
  return factory.createGateways({
    ...primary,
    source: own === null ? 'deployment' : 'organization',
    usable: new Set([...listUsable(primary.models, priced), ...named.keys()]),
    named,
    fallback: fallback === null ? null : createOf('fallback', fallback, fallbackKey),
    budget: createOwnBudget(options, owned),
  });
}

export function toModels({ models }: Pick<StoredProvider, 'models'>): ConfiguredModels {
  return {
    classifier: models.classifier,
    extractor: models.extractor ?? undefined,
    agent: models.agent ?? undefined,
  };
}

function createOwnProvider(
  { sql, log, dataSealer, outbound }: OrganizationGatewaysOptions,
  factory: GatewayFactory,
  organizationId: string,
  prices: ReadonlyMap<string, Price>,
) {
  const ownLog = log.child({ organization_id: organizationId });
  const alert = createAlert({ sql, log: ownLog }, organizationId);
  /** @param name in alerts */
  return (
    name: string,
    { kind, url }: Pick<StoredProvider, 'kind' | 'url'>,
    sealedKey: string | null,
    context: string,
  ): Provider =>
    factory.createProvider({
      url,
      kind,
      // Opened for each call, so that no cache holds it.
      key: sealedKey === null ? null : async () => new Secret(await dataSealer.unseal(sealedKey, context)),
      outbound,
      prices,
      log: ownLog,
      onRefused: () =>
        alert({
          kind: 'provider_refused',
          subject: `model settings: ${name}`,
          message: `The ${name} of the model settings refuses the key (401 or 403): branches take their default edge, agents fail. Set a valid key.`,
        }),
    });
}

function createOwnBudget(
  { sql, log, clock }: OrganizationGatewaysOptions,
  { organizationId, settings: { monthlyBudget: monthly }, cost }: Owned,
): Budget | null {
  if (monthly === null || cost === null) return null;
  const alert = createAlert({ sql, log }, organizationId);
  const onLevel = (level: BudgetLevel, { month, cost: spent }: MonthCost) =>
    alert({
      kind: `model_budget_${level}`,
      subject: 'model budget',
      message: `Models cost ${spent.toFixed(2)} of ${monthly.toFixed(2)} in ${month}. ${remedies[level]}`,
    });
  return createBudget({ monthly, clock, cost, onLevel });
}

const remedies: Readonly<Record<BudgetLevel, string>> = {
  low: 'At 100 % no model is called until the next month: branches take their default edge, agents fail. Raise the budget in the model settings, or use cheaper models.',
  used_up:
    'No model is called until the next month: branches take their default edge, agents fail. Raise the budget in the model settings.',
};

function createAlert(
  { sql, log }: Pick<OrganizationGatewaysOptions, 'sql' | 'log'>,
  organizationId: string,
): (alert: RaisedAlert) => void {
  return (alert) => void ignoreFailure(raise(sql, organizationId, alert), 'an alert is lost', log);
}
