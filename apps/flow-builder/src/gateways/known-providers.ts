// What is known of the providers that speak the chat-completions API, each with the page that says
// so. What is not in the table is learned from a refusal (refusals.ts).

/** Members of a request that a provider may not take. The request works without them. */
export type OptionalMember = 'temperature' | 'response_format';

export interface KnownProvider {
  readonly name: string;
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
    name: 'Anthropic',
    host: /(?:^|\.)anthropic\.com$/,
    omits: ['response_format'],
    modelsHeaders: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    sources: [
      'https://platform.claude.com/docs/en/api/openai-sdk',
      'https://platform.claude.com/docs/en/api/overview',
    ],
  },
  {
    name: 'Azure OpenAI',
    host: /\.(?:openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/,
    omits: [],
    chatHeaders: (key) => ({ 'api-key': key }),
    sources: ['https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle'],
  },
];

export function findKnownProvider(url: string): KnownProvider | undefined {
  const { hostname } = new URL(url);
  return knownProviders.find(({ host }) => host.test(hostname));
}

/** Headers with the key, for a chat completion or for the list of models. */
export function keyHeaders(
  url: string,
  key: string,
  path: 'chat' | 'models',
): Readonly<Record<string, string>> {
  const known = findKnownProvider(url);
  const special = (path === 'models' && known?.modelsHeaders) || known?.chatHeaders;
  return special ? special(key) : { authorization: `Bearer ${key}` };
}
