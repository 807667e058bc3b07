// The client of the model gateway (LiteLLM, vLLM, Ollama, OpenRouter …): OpenAI-compatible chat
// completions over HTTP. Failures are values with a class; calls never throw.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { TimeoutError, within, type Clock, type Log, type Secrets } from '@parley/server/runtime';
import {
  readCompletion,
  readErrorCode,
  type ChatMessage,
  type ChatOptions,
  type Completion,
} from './completion.ts';
import { postJson, type JsonPost } from './post-json.ts';
import { createReadiness } from './readiness.ts';

/**
 * Idle connections close after this. Gateways close theirs after 2 s (gunicorn) or 5 s (uvicorn),
 * and a request at that moment fails.
 */
const IDLE_SOCKET_MS = 1_500;
/** Pause before the second attempt. */
const PAUSE_MS = 250;

export type GatewayUse = 'classifier' | 'extractor' | 'agent';

/** Classes of failure, for logs and metrics. */
export type GatewayFailure =
  | 'timeout'
  | 'connection'
  | 'key_unavailable'
  | 'unauthorized'
  | 'rate_limited'
  | 'http_status'
  | 'too_large'
  | 'malformed'
  | 'refused'
  | 'truncated';

export interface ChatCall {
  readonly use: GatewayUse;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly options?: ChatOptions;
  /** Temperature 0, where the model accepts one: equal questions should get equal answers. */
  readonly steady?: boolean;
  /** For key, connection, response and second attempt together. */
  readonly timeoutMs: number;
  /** 2: try again after a transient failure. Default 1, because a caller waits for the branch. */
  readonly attempts?: 1 | 2;
}

export type ChatAnswer =
  | { readonly kind: 'completion'; readonly completion: Completion }
  | {
      readonly kind: 'failed';
      readonly failure: GatewayFailure;
      readonly status?: number;
      /** The gateway's name of the error, such as `model_not_found`. */
      readonly code?: string | undefined;
    };

export interface Provider {
  chat(call: ChatCall): Promise<ChatAnswer>;
  /** For /health: asks at most every 10 s, within 1 s. */
  ready(): Promise<boolean>;
  /** Closes idle connections. */
  close(): void;
}

export interface ProviderOptions {
  /** Up to and including `/v1`. An address without a path gets `/v1`. */
  readonly url: string;
  /** A secret reference; null: the gateway needs no key. */
  readonly key: string | null;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every call with `ok` or a class of failure. */
  readonly observe?: (use: GatewayUse, outcome: 'ok' | GatewayFailure, seconds: number) => void;
}

export function createProvider(options: ProviderOptions): Provider {
  const agent = {
    http: new HttpAgent({ keepAlive: true, timeout: IDLE_SOCKET_MS }),
    https: new HttpsAgent({ keepAlive: true, timeout: IDLE_SOCKET_MS }),
  };
  const ask = createAttempts(options, agent);
  return {
    chat: async (call) => {
      const startedAt = performance.now();
      const answer = await ask(call, startedAt + call.timeoutMs);
      const ms = Math.round(performance.now() - startedAt);
      options.observe?.(call.use, answer.kind === 'failed' ? answer.failure : 'ok', ms / 1000);
      if (answer.kind === 'completion') return answer;
      const { failure, status, code } = answer;
      options.log.warn({ use: call.use, model: call.model, failure, status, code, ms }, 'gateway.failed');
      return answer;
    },
    ready: createReadiness({
      clock: options.clock,
      url: endpoint(options.url, 'models'),
      headers: async (timeoutMs) => {
        const authorization = await authorize(options, performance.now() + timeoutMs);
        return authorization.kind === 'failed' ? null : authorization.headers;
      },
    }),
    close: () => {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

/** Asks once, or twice where the call allows it. */
function createAttempts(options: ProviderOptions, agent: JsonPost['agent']) {
  /** Models that refuse every temperature except their own. */
  const modelsWithoutTemperature = new Set<string>();

  /** One request. `unsteady`: the model refused the temperature; try again without it. */
  async function attempt(call: ChatCall, deadlineMs: number): Promise<ChatAnswer & { unsteady?: boolean }> {
    const authorization = await authorize(options, deadlineMs);
    if (authorization.kind === 'failed') return authorization;
    const steady = call.steady === true && !modelsWithoutTemperature.has(call.model);
    const timeoutMs = deadlineMs - performance.now();
    if (timeoutMs <= 0) return { kind: 'failed', failure: 'timeout' };
    const answered = await postJson(endpoint(options.url, 'chat/completions'), {
      json: {
        model: call.model,
        messages: call.messages,
        stream: false,
        ...(steady ? { temperature: 0 } : {}),
        ...call.options,
      },
      headers: authorization.headers,
      timeoutMs,
      agent,
    });
    if (answered.kind === 'failed') return answered;
    const { status, body } = answered;
    if (status === 200) return readCompletion(body);
    const refusal = { kind: 'failed', status, code: readErrorCode(body) } as const;
    if (status === 401 || status === 403) {
      if (options.key !== null) options.secrets.drop(options.key);
      return { ...refusal, failure: 'unauthorized' };
    }
    const unsteady = steady && status === 400 && body.includes('temperature');
    if (unsteady) modelsWithoutTemperature.add(call.model);
    return { ...refusal, failure: status === 429 ? 'rate_limited' : 'http_status', unsteady };
  }

  return async (call: ChatCall, deadlineMs: number): Promise<ChatAnswer> => {
    let answer = await attempt(call, deadlineMs);
    if (answer.unsteady) answer = await attempt(call, deadlineMs);
    if (call.attempts !== 2 || !isTransient(answer)) return answer;
    if (deadlineMs - performance.now() <= PAUSE_MS) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return attempt(call, deadlineMs);
  };
}

/**
 * `http://host` -> `http://host/v1/models`; keeps a path and a query (`…/v1beta/openai`,
 * `?api-version=`).
 */
export function endpoint(base: string, path: 'chat/completions' | 'models'): string {
  const url = new URL(base);
  const given = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  url.pathname = `${given === '' ? '/v1' : given}/${path}`;
  return url.href;
}

type Headers = Readonly<Record<string, string>>;
type Authorization =
  | { readonly kind: 'authorized'; readonly headers: Headers }
  | { readonly kind: 'failed'; readonly failure: 'key_unavailable' | 'timeout' };

/** Resolves the key for each call, so a rotated key works immediately. */
async function authorize({ key, secrets, log }: ProviderOptions, deadlineMs: number): Promise<Authorization> {
  if (key === null) return { kind: 'authorized', headers: {} };
  try {
    const resolved = await within(secrets.resolve(key), deadlineMs - performance.now());
    return { kind: 'authorized', headers: { authorization: `Bearer ${resolved.reveal()}` } };
  } catch (error) {
    if (error instanceof TimeoutError) return { kind: 'failed', failure: 'timeout' };
    log.warn({ err: error }, 'gateway.key_unavailable'); // names the reference, never the value
    return { kind: 'failed', failure: 'key_unavailable' };
  }
}

/** A second attempt may succeed. */
function isTransient(answer: ChatAnswer): boolean {
  if (answer.kind === 'completion') return false;
  const { failure, status = 0 } = answer;
  return (
    failure === 'connection' || failure === 'rate_limited' || (failure === 'http_status' && status >= 500)
  );
}
