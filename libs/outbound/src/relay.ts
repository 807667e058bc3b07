// Passes the answer of one address on as the body of a request to another, without storing it:
// recordings of any length cost no memory. Both connections are opened by the guard.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { AddressPolicy } from './address-policy.ts';
import { checkUrlToSend, USER_AGENT, type Method } from './call.ts';
import type { Outcome } from './exchange.ts';
import { toFailure, type ErrorClass } from './failure.ts';
import { createGuardedAgents } from './request.ts';
import type { Guard } from './guard.ts';

const CONNECTIONS_PER_HOST_MAX = 8;
/** What a store says about a refusal; it is read for the log of the process. */
const ANSWER_BYTES_MAX = 4 * 1024;

export interface Relay {
  readonly from: string;
  /** Longer answers are not passed on. */
  readonly bytesMax: number;
  /** For everything together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The request that gets the answer, or why the answer is not passed on, as a sentence. */
  readonly toTarget: (source: RelayedFacts) => Promise<RelayTarget | string>;
}

export interface RelayedFacts {
  readonly bytes: number;
  readonly contentType: string | undefined;
}

export interface RelayTarget {
  readonly url: string;
  readonly method: Method;
  /** `content-length` is added. */
  readonly headers: Readonly<Record<string, string>>;
}

export type RelayOutcome =
  | ({ readonly ok: true } & RelayedFacts)
  | {
      readonly ok: false;
      /** Whose fault it is. */
      readonly at: 'source' | 'target';
      readonly errorClass: ErrorClass;
      /** A sentence that is safe to show to the customer. */
      readonly message: string;
      /** Of the target: what it said, for the log. */
      readonly answer?: string;
    };

/** The side that broke first ends the other one as well. */
interface Broken {
  first?: { readonly at: 'source' | 'target'; readonly error: unknown };
}

type Refusal = Extract<RelayOutcome, { ok: false }>;

export interface Relayer {
  /** Rejects when `signal` is aborted, and with failures of ours. */
  relay(relay: Relay): Promise<RelayOutcome>;
  close(): Promise<void>;
}

export function createRelayer({ policy, guard }: { policy: AddressPolicy; guard: Guard }): Relayer {
  const agents = createGuardedAgents(guard, CONNECTIONS_PER_HOST_MAX);
  const inFlight = new Set<Promise<RelayOutcome>>();

  function send(url: URL, options: http.RequestOptions): http.ClientRequest {
    const secure = url.protocol === 'https:';
    return (secure ? https : http).request(url, { ...options, agent: secure ? agents.https : agents.http });
  }

  async function pass(relay: Relay, signal: AbortSignal): Promise<RelayOutcome> {
    const source = checkUrlToSend(relay.from, policy);
    if (!source.ok) return refuse('source', 'blocked_address', toMessage(source.outcome));
    const asked = send(source.url, {
      signal,
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity' },
    });
    asked.end();
    const answer = await beginAnswer(asked);
    const broken: Broken = {};
    answer.on('error', (error) => (broken.first ??= { at: 'source', error }));
    try {
      const checked = await checkAnswer(relay, answer);
      if ('ok' in checked) return checked;
      return await sendOn(checked, answer, broken, signal);
    } finally {
      answer.destroy();
    }
  }

  async function sendOn(
    { target, facts }: { target: RelayTarget; facts: RelayedFacts },
    answer: IncomingMessage,
    broken: Broken,
    signal: AbortSignal,
  ): Promise<RelayOutcome> {
    const checked = checkUrlToSend(target.url, policy);
    if (!checked.ok) return refuse('target', 'blocked_address', toMessage(checked.outcome));
    const request = send(checked.url, {
      signal,
      method: target.method,
      headers: { 'user-agent': USER_AGENT, ...target.headers, 'content-length': facts.bytes },
    });
    const answered = beginAnswer(request);
    // A target may refuse before the body has ended.
    answered.catch(() => undefined);
    request.on('error', (error) => (broken.first ??= { at: 'target', error }));
    const sent = pipeline(answer, request).then(
      () => true,
      () => false,
    );
    let reply: IncomingMessage;
    try {
      reply = await answered;
    } catch (error) {
      // An answer that ends early also ends the request, so that nothing partial is stored.
      const { at, error: cause } = broken.first ?? { at: 'target', error };
      return toRefusal(at, cause, signal);
    }
    const status = reply.statusCode ?? 0;
    if (status >= 200 && status < 300) {
      reply.resume();
      return (await sent)
        ? { ok: true, ...facts }
        : refuse('target', 'connection_lost', 'The store answered before it had the whole file.');
    }
    const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    const said = await readStart(reply).catch(() => '');
    request.destroy();
    return refuse('target', 'http_status', `The answer was ${status}${redirect}.`, said);
  }

  return {
    relay: (relay) => {
      const deadline = AbortSignal.timeout(relay.timeoutMs);
      const signal = relay.signal ? AbortSignal.any([relay.signal, deadline]) : deadline;
      const outcome = pass(relay, signal).catch((error: unknown) => {
        if (relay.signal?.aborted) throw relay.signal.reason;
        return toRefusal('source', error, signal);
      });
      inFlight.add(outcome);
      return outcome.finally(() => inFlight.delete(outcome));
    },
    close: async () => {
      await Promise.allSettled(inFlight);
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Whether the answer of the source can be passed on, and where to. */
async function checkAnswer(
  { bytesMax, toTarget }: Relay,
  answer: IncomingMessage,
): Promise<Refusal | { target: RelayTarget; facts: RelayedFacts }> {
  const { statusCode: status = 0, headers } = answer;
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  if (status !== 200) return refuse('source', 'http_status', `The answer was ${status}${redirect}.`);
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity')
    return refuse('source', 'http_status', 'The answer is compressed, which was not requested.');
  const bytes = Number(headers['content-length'] ?? NaN);
  if (!Number.isSafeInteger(bytes))
    return refuse('source', 'http_status', 'The answer has no Content-Length, which stores need.');
  if (bytes > bytesMax)
    return refuse('source', 'too_large', `The answer is larger than ${bytesMax / 1024 / 1024} MiB.`);
  const facts = { bytes, contentType: headers['content-type'] };
  const target = await toTarget(facts);
  return typeof target === 'string' ? refuse('source', 'http_status', target) : { target, facts };
}

function beginAnswer(request: http.ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
  });
}

async function readStart(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length >= ANSWER_BYTES_MAX) break;
  }
  return text.slice(0, ANSWER_BYTES_MAX);
}

/** @throws the error when it is ours */
function toRefusal(at: Refusal['at'], error: unknown, signal: AbortSignal): Refusal {
  if (signal.aborted) return refuse(at, 'timeout', 'The file did not pass in time.');
  const { errorClass, message } = toFailure(error);
  return refuse(at, errorClass, message);
}

function refuse(at: Refusal['at'], errorClass: ErrorClass, message: string, answer?: string): Refusal {
  return { ok: false, at, errorClass, message, ...(answer ? { answer } : {}) };
}

const toMessage = (outcome: Outcome): string => (outcome.ok ? '' : outcome.message);
