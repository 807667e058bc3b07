// The client of the model gateway (LiteLLM, vLLM, Ollama, OpenRouter …): OpenAI-compatible chat
// completions over HTTP. Failures are values with a class; calls never throw.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Outbound } from '@parley/outbound';
import { findRecordedTrace, inSpan, startCausedSpan, type Span, type SpanEnd } from '@parley/server/tracing';
import {
  TimeoutError,
  within,
  type Clock,
  type Log,
  type Secret,
  type Secrets,
} from '@parley/server/runtime';
import {
  describeSchema,
  readCompletion,
  type AnswerSchema,
  type ChatMessage,
  type ChatOptions,
  type Completion,
  type Usage,
} from './completion.ts';
import type { GatewayFailure } from './failures.ts';
import { findKnownProvider, keyHeaders, type OptionalMember, type ProviderKind } from './known-providers.ts';
import { toModelUsage, type Meter, type Price } from './meter.ts';
import { postJson, type JsonPost } from './post-json.ts';
import { createReadiness } from './readiness.ts';
import { readRefusal } from './refusals.ts';

/**
 * Idle connections close after this. Gateways close theirs after 2 s (gunicorn) or 5 s (uvicorn),
 * and a request at that moment fails.
 */
const IDLE_SOCKET_MS = 1_500;
/** Connections of one organisation to its own provider. Turns beyond that wait for one of these. */
const OWN_CONNECTIONS_MAX = 64;
/** Pause before the second attempt. */
const PAUSE_MS = 250;

/** Uses with a model of their own in the settings. */
export type ModelUse = 'classifier' | 'extractor' | 'agent';
/** `assistant`: proposes changes of a flow to its author, with the model of the agent. */
export type GatewayUse = ModelUse | 'assistant';

export interface ChatCall {
  readonly use: GatewayUse;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly options?: ChatOptions;
  /** As response format where the provider has one, else in the first message (role system). */
  readonly answerSchema?: AnswerSchema;
  /** Temperature 0, where the model accepts one: equal questions should get equal answers. */
  readonly steady?: boolean;
  /** For key, connection, response and second attempt together. */
  readonly timeoutMs: number;
  /** 2: try again after a transient failure. Default 1, because a caller waits for the branch. */
  readonly attempts?: 1 | 2;
  /** Counts what the call takes, for the turn and the organisation. */
  readonly meter?: Meter | undefined;
}

export type ChatAnswer =
  | { readonly kind: 'completion'; readonly completion: Completion }
  | {
      readonly kind: 'failed';
      readonly failure: GatewayFailure;
      readonly status?: number;
      readonly usage?: Usage;
      /** The gateway's name of the error, such as `model_not_found`. */
      readonly code?: string | undefined;
    };

export interface Provider {
  chat(call: ChatCall): Promise<ChatAnswer>;
  /** Counts and logs a completion that its reader could not use, or a call that is not made. */
  reject(call: Pick<ChatCall, 'use' | 'model'>, failure: GatewayFailure): void;
  /** For /health: asks at most every 10 s, within 1 s. null: the provider takes the key. */
  ready(): Promise<GatewayFailure | null>;
  /** Closes idle connections. */
  close(): void;
}

export interface ProviderOptions {
  /** Up to and including `/v1`. An address without a path gets `/v1`. */
  readonly url: string;
  /** The provider that it behaves as. Default: what the host tells. */
  readonly kind?: ProviderKind;
  /** A secret reference, or what reads the key; null: the gateway needs no key. */
  readonly key: string | (() => Promise<Secret>) | null;
  /** For the address of a customer: checks it, and guards the connections. */
  readonly outbound?: Pick<Outbound, 'checkUrl' | 'agents'>;
  /** By model. A model without one costs null. */
  readonly prices?: ReadonlyMap<string, Price>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every call with `ok` or a class of failure. */
  readonly observe?: (
    use: GatewayUse,
    outcome: 'ok' | GatewayFailure,
    seconds: number,
    traceId?: string,
  ) => void;
  /** Called for every completion, whether anybody can use it or not. */
  readonly countTokens?: (use: GatewayUse, usage: Usage) => void;
  /** Called for every failure, also of an answer that its reader rejects. */
  readonly countFailure?: (use: GatewayUse, reason: GatewayFailure) => void;
}

export function createProvider(options: ProviderOptions): Provider {
  const agent = options.outbound?.agents(OWN_CONNECTIONS_MAX) ?? {
    http: new HttpAgent({ keepAlive: true, timeout: IDLE_SOCKET_MS }),
    https: new HttpsAgent({ keepAlive: true, timeout: IDLE_SOCKET_MS }),
  };
  const ask = createAttempts(options, agent);
  return {
    chat: async (call) => {
      const startedAt = performance.now();
      const answer = await inSpan(
        startCallSpan(call),
        () => ask(call, startedAt + call.timeoutMs),
        describeAnswer,
      );
      const ms = Math.round(performance.now() - startedAt);
      const outcome = answer.kind === 'failed' ? answer.failure : 'ok';
      options.observe?.(call.use, outcome, ms / 1000, findRecordedTrace(call.meter?.traceparent));
      const usage = answer.kind === 'completion' ? answer.completion.usage : answer.usage;
      if (usage !== undefined) {
        options.countTokens?.(call.use, usage);
        await call.meter?.count(toModelUsage(usage, options.prices?.get(call.model)));
      }
      if (answer.kind === 'completion') return answer;
      const { failure, status, code } = answer;
      options.countFailure?.(call.use, failure);
      options.log.warn({ use: call.use, model: call.model, failure, status, code, ms }, 'gateway.failed');
      return answer;
    },
    reject: ({ use, model }, failure) => {
      options.countFailure?.(use, failure);
      options.log.warn({ use, model, failure }, 'gateway.failed');
    },
    ready: createReadiness({
      clock: options.clock,
      url: endpoint(options.url, 'models'),
      headers: async (timeoutMs) => {
        const authorization = await authorize(options, performance.now() + timeoutMs, 'models');
        return authorization.kind === 'failed' ? authorization.failure : authorization.headers;
      },
    }),
    close: () => {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

/**
 * Names and attributes by the semantic conventions of OpenTelemetry for generative AI. Messages are
 * never recorded.
 */
function startCallSpan({ use, model, meter }: ChatCall): Span | undefined {
  return startCausedSpan(meter?.traceparent, () => ({
    name: `chat ${model}`,
    kind: 'client',
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model, 'parley.model_use': use },
  }));
}

function describeAnswer(answer: ChatAnswer): SpanEnd {
  const usage = answer.kind === 'completion' ? answer.completion.usage : answer.usage;
  const attributes =
    usage === undefined
      ? {}
      : { 'gen_ai.usage.input_tokens': usage.tokensIn, 'gen_ai.usage.output_tokens': usage.tokensOut };
  if (answer.kind === 'completion') return { attributes };
  return { attributes: { ...attributes, 'error.type': answer.failure }, failure: answer.failure };
}

/** Optional members of a request; each may be refused once. */
const ATTEMPTS_MAX = 3;

type Attempt = ChatAnswer & { readonly unsupported?: OptionalMember | undefined };

/** Asks once, or twice where the call allows it. */
function createAttempts(options: ProviderOptions, agent: JsonPost['agent']) {
  const omittedAlways = findKnownProvider(options.url, options.kind)?.omits ?? [];
  /** `<model> <member>` of members that the model has refused. */
  const refused = new Set<string>();
  const takes = (model: string, member: OptionalMember): boolean =>
    !omittedAlways.includes(member) && !refused.has(`${model} ${member}`);

  async function attempt(call: ChatCall, deadlineMs: number): Promise<Attempt> {
    // The policy may have changed since the address was stored.
    if (options.outbound?.checkUrl(options.url).ok === false)
      return { kind: 'failed', failure: 'blocked_address' };
    const authorization = await authorize(options, deadlineMs, 'chat');
    if (authorization.kind === 'failed') return authorization;
    const timeoutMs = deadlineMs - performance.now();
    if (timeoutMs <= 0) return { kind: 'failed', failure: 'timeout' };
    const { json, sent } = toRequest(call, (member) => takes(call.model, member));
    const answered = await postJson(endpoint(options.url, 'chat/completions'), {
      json,
      headers: authorization.headers,
      timeoutMs,
      agent,
    });
    if (answered.kind === 'failed') return answered;
    const { status, body } = answered;
    if (status === 200) return readCompletion(body);
    const { failure, code, unsupported } = readRefusal(status, body, sent);
    if (failure === 'unauthorized' && typeof options.key === 'string') options.secrets.drop(options.key);
    return { kind: 'failed', failure, status, code, unsupported };
  }

  /** Leaves out what the model refuses, and remembers it. */
  async function attemptWithout(call: ChatCall, deadlineMs: number): Promise<Attempt> {
    for (let attempts = 1; ; attempts += 1) {
      const answer = await attempt(call, deadlineMs);
      if (answer.unsupported === undefined || attempts === ATTEMPTS_MAX) return answer;
      refused.add(`${call.model} ${answer.unsupported}`);
    }
  }

  return async (call: ChatCall, deadlineMs: number): Promise<ChatAnswer> => {
    const answer = await attemptWithout(call, deadlineMs);
    if (call.attempts !== 2 || !isTransient(answer)) return answer;
    if (deadlineMs - performance.now() <= PAUSE_MS) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return attemptWithout(call, deadlineMs);
  };
}

function toRequest(
  { model, messages, options, answerSchema, steady }: ChatCall,
  takes: (member: OptionalMember) => boolean,
): { readonly json: object; readonly sent: readonly OptionalMember[] } {
  const sent: OptionalMember[] = [];
  const json: Record<string, unknown> = { model, messages, stream: false, ...options };
  if (steady === true && takes('temperature')) {
    json['temperature'] = 0;
    sent.push('temperature');
  }
  if (answerSchema !== undefined && takes('response_format')) {
    json['response_format'] = { type: 'json_schema', json_schema: answerSchema };
    sent.push('response_format');
  } else if (answerSchema !== undefined) {
    const [first, ...rest] = messages;
    const content = `${first?.content ?? ''}\n\n${describeSchema(answerSchema)}`;
    json['messages'] = [{ role: 'system', content }, ...rest];
  }
  return { json, sent };
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
async function authorize(
  { url, kind, key, secrets, log }: ProviderOptions,
  deadlineMs: number,
  path: 'chat' | 'models',
): Promise<Authorization> {
  if (key === null) return { kind: 'authorized', headers: {} };
  try {
    const reading = typeof key === 'string' ? secrets.resolve(key) : key();
    const resolved = await within(reading, deadlineMs - performance.now());
    return { kind: 'authorized', headers: keyHeaders(url, resolved.reveal(), path, kind) };
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
