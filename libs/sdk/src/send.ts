// Sends one request, and repeats it when that may help (docs/sdk.md#repeats).
import { toApiError, ApiError, ConnectionError, TimeoutError } from './errors.ts';
import type { CallOptions, Defaults, Input, Operation, Sender, ServiceOptions } from './options.ts';

const RETRIES = 3;
const TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 8_000;
/** A longer Retry-After throws instead (`error.headers`). */
const RETRY_AFTER_MS_MAX = 60_000;

/**
 * Sends to one service. The body of an answer is in memory, except that of a stream. @throws
 * ParleyError
 */
export function createSender(service: ServiceOptions, defaults: Defaults): Sender {
  const base = service.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  return async (operation, input, given) => {
    const options = { ...defaults, ...given };
    const { retries = RETRIES, signal } = options;
    const { url, body } = buildRequest(base, operation, input);
    const headers = new Headers({ ...defaults.headers, ...given.headers });
    if (body !== undefined) headers.set('content-type', 'application/json');
    // One key for all attempts: the service repeats a lost answer (docs/platform.md#idempotency).
    if (operation.creates) headers.set('idempotency-key', options.idempotencyKey ?? createRandomKey());
    const init: RequestInit = { method: operation.method, headers, ...(body === undefined ? {} : { body }) };
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      const { key } = service;
      const token = typeof key === 'function' ? await key() : key;
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      try {
        return await sendAttempt(url, init, operation, options);
      } catch (error) {
        signal?.throwIfAborted();
        const pauseMs = attempt < retries ? computePauseMs(error, attempt, operation) : null;
        if (pauseMs === null) throw error;
        await pause(pauseMs, signal);
      }
    }
  };
}

/** Members named in the path go there, `body` is the body, all others are the query. */
function buildRequest(base: string, operation: Operation, { body, ...input }: Input) {
  const query = new URLSearchParams();
  const rest = new Map(Object.entries(input));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = toText(rest.get(name) ?? '');
    rest.delete(name);
    // An empty part names another path, and dots leave this one.
    if (/^\.*$/.test(value)) throw new TypeError(`${name} must be a text that can stand in a path`);
    return encodeURIComponent(value);
  });
  for (const [name, value] of rest) if (value !== undefined && value !== null) query.set(name, toText(value));
  const text = query.toString();
  return {
    url: `${base}${path}${text && `?${text}`}`,
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

const toText = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));

async function sendAttempt(
  url: string,
  init: RequestInit,
  { stream }: Operation,
  { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS, signal }: Defaults & CallOptions,
): Promise<Response> {
  const attempt = new AbortController();
  const onAbort = () => attempt.abort(signal!.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    attempt.abort();
  }, timeoutMs);
  let response: Response;
  let bytes: ArrayBuffer;
  try {
    response = await fetch(url, { ...init, signal: attempt.signal });
    if (stream && response.ok) return response; // its signal ends the stream
    bytes = await response.arrayBuffer();
  } catch (cause) {
    const what = `${init.method} ${new URL(url, 'http://x').pathname}`;
    if (late) throw new TimeoutError(`${what}: no answer within ${timeoutMs} ms`, { cause });
    throw new ConnectionError(`${what}: no answer`, { cause });
  } finally {
    clearTimeout(timer);
    if (!stream) signal?.removeEventListener('abort', onAbort);
  }
  if (!response.ok && response.status !== 304) throw toApiError(response, new TextDecoder().decode(bytes));
  return new Response(bytes.byteLength === 0 ? null : bytes, response);
}

/** The pause before the next attempt; null for no further attempt. */
export function computePauseMs(error: unknown, attempt: number, { creates }: Operation): number | null {
  const ceiling = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** attempt);
  // Up to half of it less, so that failed calls do not return together.
  const pauseMs = ceiling * (1 - Math.random() / 2);
  if (error instanceof ConnectionError) return pauseMs;
  if (!(error instanceof ApiError)) return null;
  const { status, headers } = error;
  const askedMs = parseRetryAfterMs(headers.get('retry-after'));
  // 409 with Retry-After: the lost attempt is still in progress under the same key.
  const helps =
    [408, 425, 429].includes(status) || status >= 500 || (creates && status === 409 && askedMs !== null);
  if (!helps || (askedMs ?? 0) > RETRY_AFTER_MS_MAX) return null;
  return Math.max(pauseMs, askedMs ?? 0);
}

/** Accepts seconds or a date. */
function parseRetryAfterMs(text: string | null): number | null {
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** @throws the reason of the signal */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** 128 random bits. `crypto.randomUUID` needs a secure context. */
export function createRandomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
