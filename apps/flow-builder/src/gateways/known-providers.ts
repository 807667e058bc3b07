// What is known of the providers that speak the chat-completions API, each with the page that says
// so. What is not in the table is learned from a refusal (refusals.ts).

/** Members of a request that a provider may not take. The request works without them. */
export type OptionalMember = 'temperature' | 'response_format';

/** The providers of docs/providers.md#recipes. `url`: where all customers have the same one. */
export const providerKinds = {
  openai: { name: 'OpenAI', url: 'https://api.openai.com/v1' },
  anthropic: { name: 'Anthropic', url: 'https://api.anthropic.com/v1' },
  azure_openai: { name: 'Azure OpenAI', url: null },
  gemini: { name: 'Gemini', url: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  ollama: { name: 'Ollama', url: null },
  vllm: { name: 'vLLM', url: null },
  litellm: { name: 'LiteLLM', url: null },
  other: { name: 'another provider', url: null },
} as const;

export type ProviderKind = keyof typeof providerKinds;
export const PROVIDER_KINDS = Object.keys(providerKinds) as [ProviderKind, ...ProviderKind[]];

export interface KnownProvider {
  readonly kind: ProviderKind;
  readonly host: RegExp;
  /** Accepted and ignored, or refused: these are not sent. */
  readonly omits: readonly OptionalMember[];
  /** Headers that carry the key for a chat completion. Default: `Authorization: Bearer`. */
  readonly chatHeaders?: (key: string) => Readonly<Record<string, string>>;
  /** Headers for the list of models, where they differ. */
  readonly modelsHeaders?: (key: string) => Readonly<Record<string, string>>;
  readonly sources: readonly string[];
}

export const knownProviders: readonly KnownProvider[] = [
  {
    // The compatible API ignores response_format: the schema goes into the instructions.
    kind: 'anthropic',
    host: /(?:^|\.)anthropic\.com$/,
    omits: ['response_format'],
    modelsHeaders: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    sources: [
      'https://platform.claude.com/docs/en/api/openai-sdk',
      'https://platform.claude.com/docs/en/api/overview',
    ],
  },
  {
    kind: 'azure_openai',
    host: /\.(?:openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/,
    omits: [],
    chatHeaders: (key) => ({ 'api-key': key }),
    sources: ['https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle'],
  },
];

/** By the kind that the organisation names, for a proxy of the provider; else by the host. */
export function findKnownProvider(url: string, kind?: ProviderKind): KnownProvider | undefined {
  const { hostname } = new URL(url);
  return (
    knownProviders.find((known) => known.kind === kind) ??
    knownProviders.find(({ host }) => host.test(hostname))
  );
}

/** Headers with the key, for a chat completion or for the list of models. */
export function keyHeaders(
  url: string,
  key: string,
  path: 'chat' | 'models',
  kind?: ProviderKind,
): Readonly<Record<string, string>> {
  const known = findKnownProvider(url, kind);
  const special = (path === 'models' && known?.modelsHeaders) || known?.chatHeaders;
  return special ? special(key) : { authorization: `Bearer ${key}` };
}
