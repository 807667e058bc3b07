// Creates classifier, extractor and agent of the deployment and of organisations.
import type { Metrics } from '@parley/metrics';
import type { Clock, Log, Secrets } from '@parley/server/runtime';
import { createAgent, type Agent } from './agent.ts';
import type { Dispatch } from './agent-tools.ts';
import type { Budget } from './budget.ts';
import {
  checkGateways,
  uncheckedGateways,
  type CheckedGateways,
  type GatewayCheck,
  type ProviderSource,
} from './check-gateway.ts';
import { createClassifier, type Classifier } from './classifier.ts';
import { createExtractor, type Extractor } from './extractor.ts';
import { createAssistant, type Assistant } from './assistant.ts';
import type { GatewayConfig } from './gateway-config.ts';
import type { Meter, Price } from './meter.ts';
import { createProvider, type Provider, type ProviderOptions } from './provider.ts';
import {
  createRoutedProvider,
  selectModel,
  type ConfiguredModels,
  type Route,
  type UseModels,
} from './routed-provider.ts';

/** Seconds: from a small local model to an agent's longest result. */
const CALL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120];

export interface Gateways {
  readonly classifier: Classifier;
  /** null: `extractorAvailable` is false, and the engine requests no extraction. */
  readonly extractor: Extractor | null;
  /** null: autonomous nodes become actions of the caller. */
  readonly agent: Agent | null;
  /** null: there is no provider. */
  readonly assistant: Assistant | null;
  /** Models that a flow may name; empty without a provider. */
  readonly usable: ReadonlySet<string>;
  /** null: no limit. */
  readonly budget: Budget | null;
  /** Tries each with a small question of our own. Never throws; takes 20 s at most. */
  check(meter: Meter): Promise<readonly GatewayCheck[]>;
}

export interface GatewaysOptions {
  readonly config: GatewayConfig;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** `request` of @parley/outbound, for tools of agents. */
  readonly dispatch: Dispatch;
  /** Called when the provider of the deployment answers 401 or 403. */
  readonly onRefused?: () => unknown;
}

/** The provider of the deployment. */
export interface DeploymentProvider {
  readonly provider: Provider;
  readonly models: ConfiguredModels;
}

export interface GatewaysRoute extends Route {
  readonly source: ProviderSource;
  readonly models: ConfiguredModels;
}

export interface GatewayFactory {
  /** null: GATEWAY_URL is not set. */
  readonly deploymentProvider: DeploymentProvider | null;
  /** By model; of GATEWAY_PRICES. */
  readonly prices: ReadonlyMap<string, Price>;
  /** For organisations without settings. */
  readonly deployment: Gateways;
  /** A provider that metrics count. `onRefused`: see GatewaysOptions. */
  createProvider(options: OwnProviderOptions): Provider;
  createGateways(route: GatewaysRoute): Gateways;
}

export type OwnProviderOptions = Pick<
  ProviderOptions,
  'url' | 'kind' | 'key' | 'outbound' | 'prices' | 'log'
> & {
  readonly onRefused?: (() => unknown) | undefined;
};

export function createGatewayFactory(options: GatewaysOptions): GatewayFactory {
  const { config, secrets, clock, metrics } = options;
  const observers = createObservers(metrics);
  const createGateways = createAssembly(options);
  const makeProvider = ({ onRefused, ...own }: OwnProviderOptions): Provider =>
    createProvider({
      ...own,
      secrets,
      clock,
      countFailure: observers.countFailure,
      countTokens: observers.countTokens,
      observe: (use, outcome, seconds, traceId) => {
        observers.observe(use, outcome, seconds, traceId);
        if (outcome === 'unauthorized') onRefused?.();
      },
    });
  const prices = config.GATEWAY_PRICES ?? new Map<string, Price>();
  const deploymentProvider = createDeploymentProvider(options, prices, makeProvider);
  return {
    deploymentProvider,
    prices,
    createProvider: makeProvider,
    createGateways,
    deployment:
      deploymentProvider === null
        ? lexicalGateways
        : createGateways({
            ...deploymentProvider,
            source: 'deployment',
            usable: listUsable(deploymentProvider.models, prices),
            named: new Map(),
            fallback: null,
            budget: null,
          }),
  };
}

/** Those that are configured, and those that have a price: the operator knows what they cost. */
export function listUsable(models: UseModels, prices: ReadonlyMap<string, Price>): ReadonlySet<string> {
  const configured = Object.values(models).filter((model) => model !== undefined);
  return new Set([...configured, ...prices.keys()]);
}

const lexicalGateways: Gateways = {
  classifier: createClassifier({ gateway: null }),
  extractor: null,
  agent: null,
  assistant: null,
  usable: new Set(),
  budget: null,
  check: async () => uncheckedGateways,
};

function createDeploymentProvider(
  { config, log, onRefused }: GatewaysOptions,
  prices: ReadonlyMap<string, Price>,
  makeProvider: GatewayFactory['createProvider'],
): DeploymentProvider | null {
  const { GATEWAY_URL: url, GATEWAY_KEY: key = null, CLASSIFIER_MODEL: classifier } = config;
  if (url === undefined || classifier === undefined) return null;
  const models = { classifier, extractor: config.EXTRACTOR_MODEL, agent: config.AGENT_MODEL };
  return { provider: makeProvider({ url, key, prices, log, onRefused }), models };
}

function createAssembly({ config, clock, log, metrics, dispatch }: GatewaysOptions) {
  const tools = metrics.counter('agent_tool_calls_total', 'Tools called by agents in process, by outcome', [
    'outcome',
  ]);
  const observeTool = (outcome: string) => tools.inc({ outcome });
  const timeoutMs = config.CLASSIFIER_TIMEOUT * 1000;

  const createUses = (route: Route, { classifier, extractor, agent }: ConfiguredModels) => {
    const provider = createRoutedProvider(route);
    return {
      provider,
      classifier: createClassifier({ gateway: { provider, model: classifier, timeoutMs, clock } }),
      extractor: extractor === undefined ? null : createExtractor({ provider, model: extractor }),
      agent: agent === undefined ? null : createAgent({ provider, model: agent, dispatch, log, observeTool }),
    };
  };

  return ({ source, models, ...route }: GatewaysRoute): Gateways => {
    const { fallback, budget, usable } = route;
    const uses = createUses(route, models);
    /** A fallback would hide that the provider fails, so each is checked alone. */
    const listChecked = () => {
      const alone = { ...route, fallback: null };
      const checked: (Omit<CheckedGateways, 'meter'> & { models: ConfiguredModels })[] = [
        { source, models, ...createUses(alone, models) },
      ];
      if (fallback !== null) {
        const second = { ...alone, ...fallback, usable: listUsable(fallback.models, new Map()) };
        checked.push({
          source: 'fallback',
          models: fallback.models,
          ...createUses(second, fallback.models),
        });
      }
      for (const classifier of firstOfEach(route.named)) {
        const only = { classifier, extractor: undefined, agent: undefined };
        checked.push({ source: 'flow', models: only, ...createUses(alone, only) });
      }
      return checked;
    };
    return {
      classifier: uses.classifier,
      extractor: uses.extractor,
      agent: uses.agent,
      assistant: createAssistant({
        provider: uses.provider,
        model: selectModel(models, 'assistant')!,
        isOwn: source === 'organization',
      }),
      usable,
      budget,
      check: async (meter) =>
        (await Promise.all(listChecked().map((checked) => checkGateways({ ...checked, meter })))).flat(),
    };
  };
}

/** One name for each provider. */
function firstOfEach(named: Route['named']): readonly string[] {
  const names = new Map<Provider, string>();
  for (const [name, { provider }] of named) if (!names.has(provider)) names.set(provider, name);
  return [...names.values()];
}

function createObservers(
  metrics: Metrics,
): Required<Pick<ProviderOptions, 'observe' | 'countFailure' | 'countTokens'>> {
  const calls = metrics.histogram(
    'gateway_call_duration_seconds',
    'Time a call of the provider gateway took, by what it was for and how it ended',
    ['use', 'outcome'],
    CALL_BUCKETS,
  );
  const failures = metrics.counter(
    'gateway_failures_total',
    'Calls of the provider gateway without a usable answer, by what they were for and why',
    ['use', 'reason'],
  );
  const tokens = metrics.counter(
    'gateway_tokens_total',
    'Tokens as the provider counted them, by what they were for; in: prompts, out: completions',
    ['use', 'direction'],
  );
  return {
    observe: (use, outcome, seconds, traceId) => calls.observe({ use, outcome }, seconds, traceId),
    countFailure: (use, reason) => failures.inc({ use, reason }),
    countTokens: (use, { tokensIn, tokensOut }) => {
      tokens.inc({ use, direction: 'in' }, tokensIn);
      tokens.inc({ use, direction: 'out' }, tokensOut);
    },
  };
}
