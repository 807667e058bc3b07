// The provider of one organisation: checks budget and model before a call, and tries the fallback
// once when the provider fails (docs/providers.md#settings-of-an-organisation).
import type { Budget } from './budget.ts';
import { isFailureOfProvider, type GatewayFailure } from './failures.ts';
import type { ChatAnswer, ChatCall, GatewayUse, ModelUse, Provider } from './provider.ts';

/** With a fallback the provider has this share of the time of a call. The fallback has the rest. */
const PROVIDER_SHARE = 0.5;

/** Undefined: no model for this use. */
export type UseModels = Readonly<Record<ModelUse, string | undefined>>;

/** A classifier is required: branches are what a provider is for. */
export type ConfiguredModels = UseModels & { readonly classifier: string };

/** The assistant writes flows, so it has the model of the agent, which is the strongest. */
export function selectModel(models: ConfiguredModels, use: GatewayUse): string | undefined {
  return use === 'assistant' ? (models.agent ?? models.classifier) : models[use];
}

export interface Route {
  readonly provider: Provider;
  /** Of models that a flow names as `<name of the provider>/<model>`. */
  readonly named: ReadonlyMap<string, NamedModel>;
  readonly fallback: { readonly provider: Provider; readonly models: ConfiguredModels } | null;
  /** Models that a flow may name. */
  readonly usable: ReadonlySet<string>;
  readonly budget: Budget | null;
}

export interface NamedModel {
  readonly provider: Provider;
  /** As the provider calls it. */
  readonly model: string;
}

export function createRoutedProvider({ provider, named, fallback, usable, budget }: Route): Provider {
  const refuse = (call: ChatCall, failure: GatewayFailure): ChatAnswer => {
    provider.reject(call, failure);
    return { kind: 'failed', failure };
  };

  const callNamed = (call: ChatCall): Promise<ChatAnswer> => {
    const one = named.get(call.model);
    return one === undefined ? provider.chat(call) : one.provider.chat({ ...call, model: one.model });
  };

  return {
    ...provider,
    chat: async (call) => {
      if (budget?.isUsedUp()) return refuse(call, 'budget_used_up');
      const model = fallback === null ? undefined : selectModel(fallback.models, call.use);
      const startedAt = performance.now();
      const timeoutMs = model === undefined ? call.timeoutMs : call.timeoutMs * PROVIDER_SHARE;
      const answer = usable.has(call.model)
        ? await callNamed({ ...call, timeoutMs })
        : refuse(call, 'model_not_found');
      if (answer.kind === 'completion' || fallback === null || model === undefined) return answer;
      const leftMs = call.timeoutMs - (performance.now() - startedAt);
      if (!isFailureOfProvider(answer.failure) || !(leftMs > 0)) return answer;
      const second = await fallback.provider.chat({ ...call, model, timeoutMs: leftMs, attempts: 1 });
      // The trace names the cause: the failure of the provider.
      return second.kind === 'completion' ? second : answer;
    },
  };
}
