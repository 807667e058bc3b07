// The form of the model settings: what the service stores, as texts of fields, and back.
import type { ModelSettings, ModelSettingsRequest, ProviderKind, ProviderRequest } from './api.ts';

/** `url`: one address for all customers. Mirrors docs/providers.md#settings-of-an-organisation. */
export const PROVIDERS: Readonly<
  Record<ProviderKind, { readonly name: string; readonly url: string | null; readonly example: string }>
> = {
  openai: { name: 'OpenAI', url: 'https://api.openai.com/v1', example: 'gpt-4.1-mini' },
  anthropic: { name: 'Anthropic', url: 'https://api.anthropic.com/v1', example: 'claude-haiku-4-5' },
  azure_openai: { name: 'Azure OpenAI', url: null, example: 'my-mini-deployment' },
  gemini: {
    name: 'Google Gemini',
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    example: 'gemini-2.5-flash',
  },
  ollama: { name: 'Ollama', url: null, example: 'qwen3' },
  vllm: { name: 'vLLM', url: null, example: 'Qwen/Qwen3-8B' },
  litellm: { name: 'LiteLLM', url: null, example: 'small' },
  other: { name: 'Another one (OpenAI-compatible)', url: null, example: 'my-model' },
};

export interface AccountForm {
  readonly url: string;
  /** Empty: the stored key stays. */
  readonly key: string;
  readonly removesKey: boolean;
}

export interface ProviderForm extends AccountForm {
  /** Empty: none of its own. */
  readonly kind: ProviderKind | '';
  readonly classifier: string;
  readonly extractor: string;
  readonly agent: string;
}

/** An account that flows name. */
export interface FlowProviderForm extends AccountForm {
  readonly name: string;
  readonly kind: ProviderKind;
  /** One in each line. */
  readonly models: string;
}

export interface PriceForm {
  readonly model: string;
  readonly input: string;
  readonly output: string;
}

export interface SettingsForm {
  readonly provider: ProviderForm;
  readonly fallback: ProviderForm;
  readonly flowProviders: readonly FlowProviderForm[];
  readonly prices: readonly PriceForm[];
  readonly budget: string;
}

export const toForm = (settings: ModelSettings): SettingsForm => ({
  provider: toProviderForm(settings.provider),
  fallback: toProviderForm(settings.fallback),
  flowProviders: Object.entries(settings.flow_providers).map(([name, stored]) => ({
    name,
    kind: stored.kind,
    ...toAccountForm(stored),
    models: stored.models.join('\n'),
  })),
  prices: Object.entries(settings.prices).map(([model, { input, output }]) => ({
    model,
    input: String(input),
    output: String(output),
  })),
  budget: settings.monthly_budget === null ? '' : String(settings.monthly_budget),
});

function toProviderForm(stored: ModelSettings['provider']): ProviderForm {
  const models = stored?.models;
  return {
    kind: stored?.kind ?? '',
    ...toAccountForm(stored),
    classifier: models?.classifier ?? '',
    extractor: models?.extractor ?? '',
    agent: models?.agent ?? '',
  };
}

const toAccountForm = (
  stored: { readonly kind: ProviderKind; readonly url: string } | null,
): AccountForm => ({
  url: stored === null || stored.url === PROVIDERS[stored.kind].url ? '' : stored.url,
  key: '',
  removesKey: false,
});

export const newFlowProvider: FlowProviderForm = {
  name: '',
  kind: 'openai',
  ...toAccountForm(null),
  models: '',
};

/** One row for each model in use, then those that only have a price. */
export function listPrices({
  provider,
  fallback,
  flowProviders,
  prices,
}: SettingsForm): readonly PriceForm[] {
  const inUse = [
    ...[provider, fallback]
      .filter(({ kind }) => kind !== '')
      .flatMap(({ classifier, extractor, agent }) => [classifier, extractor, agent])
      .map((model) => model.trim())
      .filter((model) => model !== ''),
    ...flowProviders.flatMap(({ models }) => readLines(models)),
  ];
  return [...new Set([...inUse, ...prices.map(({ model }) => model)])].map(
    (name) => prices.find(({ model }) => model === name) ?? { model: name, input: '', output: '' },
  );
}

/** Rows without figures are no prices. */
export function toRequest(form: SettingsForm): ModelSettingsRequest {
  const priced = listPrices(form).filter(({ input, output }) => input !== '' && output !== '');
  return {
    provider: toProvider(form.provider),
    fallback: toProvider(form.fallback),
    flow_providers: Object.fromEntries(
      form.flowProviders.map((one) => [
        one.name.trim(),
        { kind: one.kind, ...toAccount(one), models: readLines(one.models) },
      ]),
    ),
    prices: Object.fromEntries(
      priced.map(({ model, input, output }) => [model, { input: Number(input), output: Number(output) }]),
    ),
    monthly_budget: form.budget === '' ? null : Number(form.budget),
  };
}

const readLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const toAccount = ({ url, key, removesKey }: AccountForm) => ({
  url: url.trim() || null,
  ...(removesKey ? { key: null } : key === '' ? {} : { key }),
});

function toProvider({
  kind,
  classifier,
  extractor,
  agent,
  ...account
}: ProviderForm): ProviderRequest | null {
  if (kind === '') return null;
  const orNull = (model: string) => model.trim() || null;
  return {
    kind,
    ...toAccount(account),
    models: { classifier: classifier.trim(), extractor: orNull(extractor), agent: orNull(agent) },
  };
}
