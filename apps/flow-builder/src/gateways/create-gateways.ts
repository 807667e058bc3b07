// Creates classifier, extractor and agent from the configuration.
import type { Metrics } from '@parley/metrics';
import type { Clock, Log, Secrets } from '@parley/server/runtime';
import { createAgent, type Agent } from './agent.ts';
import type { Dispatch } from './agent-tools.ts';
import { checkGateways, uncheckedGateways, type GatewayCheck } from './check-gateway.ts';
import { createClassifier, type Classifier } from './classifier.ts';
import { createExtractor, type Extractor } from './extractor.ts';
import type { GatewayConfig } from './gateway-config.ts';
import type { Meter } from './meter.ts';
import { createProvider, type ProviderOptions } from './provider.ts';

/** Seconds: from a small local model to an agent's longest result. */
const CALL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120];

export interface Gateways {
  readonly classifier: Classifier;
  /** null: `extractorAvailable` is false, and the engine requests no extraction. */
  readonly extractor: Extractor | null;
  /** null: autonomous nodes become actions of the caller. */
  readonly agent: Agent | null;
  /** Tries each with a small question of our own. Never throws; takes 20 s at most. */
  check(meter: Meter): Promise<readonly GatewayCheck[]>;
  /** Closes idle connections. */
  close(): void;
}

export interface GatewaysOptions {
  readonly config: GatewayConfig;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** `request` of @parley/outbound, for tools of agents. */
  readonly dispatch: Dispatch;
  /** Called when the provider answers 401 or 403. */
  readonly onRefused?: () => unknown;
}

export function createGateways({
  config,
  secrets,
  clock,
  log,
  metrics,
  dispatch,
  onRefused,
}: GatewaysOptions): Gateways {
  const { GATEWAY_URL: url, CLASSIFIER_MODEL, EXTRACTOR_MODEL, AGENT_MODEL } = config;
  if (url === undefined || CLASSIFIER_MODEL === undefined) {
    return {
      classifier: createClassifier({ gateway: null }),
      extractor: null,
      agent: null,
      check: async () => uncheckedGateways,
      close: () => {},
    };
  }
  const provider = createProvider({
    url,
    key: config.GATEWAY_KEY ?? null,
    ...(config.GATEWAY_PRICES && { prices: config.GATEWAY_PRICES }),
    secrets,
    clock,
    log,
    ...createObservers(metrics, onRefused),
  });
  const tools = metrics.counter('agent_tool_calls_total', 'Tools called by agents in process, by outcome', [
    'outcome',
  ]);
  const timeoutMs = config.CLASSIFIER_TIMEOUT * 1000;
  const gateway = { provider, model: CLASSIFIER_MODEL, timeoutMs, clock };
  const observeTool = (outcome: string) => tools.inc({ outcome });
  const classifier = createClassifier({ gateway });
  const extractor =
    EXTRACTOR_MODEL === undefined ? null : createExtractor({ provider, model: EXTRACTOR_MODEL });
  const models = { classifier: CLASSIFIER_MODEL, extractor: EXTRACTOR_MODEL, agent: AGENT_MODEL };
  return {
    classifier,
    extractor,
    agent:
      AGENT_MODEL === undefined
        ? null
        : createAgent({ provider, model: AGENT_MODEL, dispatch, log, observeTool }),
    check: (meter) => checkGateways({ provider, classifier, extractor, models, meter }),
    close: () => provider.close(),
  };
}

function createObservers(
  metrics: Metrics,
  onRefused: GatewaysOptions['onRefused'],
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
    observe: (use, outcome, seconds) => {
      calls.observe({ use, outcome }, seconds);
      if (outcome === 'unauthorized') onRefused?.();
    },
    countFailure: (use, reason) => failures.inc({ use, reason }),
    countTokens: (use, { tokensIn, tokensOut }) => {
      tokens.inc({ use, direction: 'in' }, tokensIn);
      tokens.inc({ use, direction: 'out' }, tokensOut);
    },
  };
}
