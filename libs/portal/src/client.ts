// Requests to the voice API with a portal link, which is renewed once when it is refused.
import { Parley, type VoiceApi } from '@parley/sdk';

/** What a re-render may replace. */
export interface ClientHooks {
  /**
   * Called when the token is refused, because it expired or was revoked. Returns a new one, or
   * nothing if another `token` follows.
   */
  readonly onTokenExpired?: (() => string | void | Promise<string | void>) | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface ClientOptions extends ClientHooks {
  /** Address of the voice API. */
  readonly baseUrl: string;
  /** The `token` of a portal link. */
  readonly token: string;
}

export interface Client {
  readonly voiceApi: VoiceApi;
  replaceHooks(hooks: ClientHooks): void;
}

export function createClient({ baseUrl, token }: Pick<ClientOptions, 'baseUrl' | 'token'>): Client {
  let hooks: ClientHooks = {};
  let current = token;
  let renewal: Promise<void> | undefined;

  /** Requests that are refused during a renewal wait for it. */
  function renew(): Promise<void> {
    renewal ??= Promise.resolve(hooks.onTokenExpired?.())
      .then((renewed) => {
        if (renewed) current = renewed;
      })
      .finally(() => (renewal = undefined));
    return renewal;
  }

  const send: typeof fetch = async (url, init) => {
    const fetch = hooks.fetch ?? globalThis.fetch;
    // The token is the only credential: cookies of the page's visitor stay out of it.
    const request: RequestInit = { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' };
    const used = current;
    const response = await fetch(url, request);
    if (response.status !== 401) return response;
    if (used === current) await renew();
    if (used === current) return response;
    const headers = new Headers(request.headers);
    headers.set('authorization', `Bearer ${current}`);
    return fetch(url, { ...request, headers });
  };
  const { voiceApi } = new Parley({ voiceApi: { url: baseUrl, key: () => current }, fetch: send });
  return { voiceApi, replaceHooks: (given) => void (hooks = given) };
}
