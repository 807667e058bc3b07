// One request, repeated where that may help (docs/sdk.md#repeats).
import { apiErrorOf, ApiError, ConnectionError, TimeoutError } from './errors.ts';
import type { CallOptions, Defaults, Input, Operation, Sender, ServiceOptions } from './options.ts';

const RETRIES = 3;
const TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 8_000;
/** Who is asked to wait for longer is told instead (`error.headers`). */
const RETRY_AFTER_MS_MAX = 60_000;

/** Sends to one service. The answer is whole: its body is in memory, except that of a stream. @throws ParleyError */
export function senderTo(service: ServiceOptions, defaults: Defaults): Sender {
  const base = service.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  return async (operation, input, given) => {
    const options = { ...defaults, ...given };
    const { retries = RETRIES, signal } = options;
    const { url, body } = requestOf(base, operation, input);
    const headers = new Headers({ ...defaults.headers, ...given.headers });
    if (body !== undefined) headers.set('content-type', 'application/json');
    // One key for all attempts: an answer that was lost on the way is given again (docs/platform.md#idempotency).
    if (operation.creates) headers.set('idempotency-key', options.idempotencyKey ?? randomKey());
    const init: RequestInit = { method: operation.method, headers, ...(body === undefined ? {} : { body }) };
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      const { key } = service;
      const token = typeof key === 'function' ? await key() : key;
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      try {
        return await attemptOf(url, init, operation, options);
      } catch (error) {
        signal?.throwIfAborted();
        const pauseMs = attempt < retries ? pauseBefore(error, attempt, operation) : null;
        if (pauseMs === null) throw error;
        await pause(pauseMs, signal);
      }
    }
  };
}

/** What the path names goes into it, `body` is the body, everything else the query. */
function requestOf(base: string, operation: Operation, { body, ...input }: Input) {
  const query = new URLSearchParams();
  const rest = new Map(Object.entries(input));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = textOf(rest.get(name) ?? '');
    rest.delete(name);
    // An empty part would be another path, and dots lead out of this one.
    if (/^\.*$/.test(value)) throw new TypeError(`${name} must be a text that can stand in a path`);
    return encodeURIComponent(value);
  });
  for (const [name, value] of rest) if (value !== undefined && value !== null) query.set(name, textOf(value));
  const text = query.toString();
  return {
    url: `${base}${path}${text && `?${text}`}`,
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));

async function attemptOf(
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
    if (stream && response.ok) return response; // its signal stays: it ends the stream
    bytes = await response.arrayBuffer();
  } catch (cause) {
    const what = `${init.method} ${new URL(url, 'http://x').pathname}`;
    if (late) throw new TimeoutError(`${what}: no answer within ${timeoutMs} ms`, { cause });
    throw new ConnectionError(`${what}: no answer`, { cause });
  } finally {
    clearTimeout(timer);
    if (!stream) signal?.removeEventListener('abort', onAbort);
  }
  if (!response.ok && response.status !== 304) throw apiErrorOf(response, new TextDecoder().decode(bytes));
  return new Response(bytes.byteLength === 0 ? null : bytes, response);
}

/** How long to wait before the next attempt; null where there should be none. */
export function pauseBefore(error: unknown, attempt: number, { creates }: Operation): number | null {
  const ceiling = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** attempt);
  // Up to half of it less: what failed together comes back apart.
  const pauseMs = ceiling * (1 - Math.random() / 2);
  if (error instanceof ConnectionError) return pauseMs;
  if (!(error instanceof ApiError)) return null;
  const { status, headers } = error;
  const askedMs = retryAfterMs(headers.get('retry-after'));
  // 409 with Retry-After: the attempt before, whose answer was lost, is still at work under the same key.
  const helps =
    [408, 425, 429].includes(status) || status >= 500 || (creates && status === 409 && askedMs !== null);
  if (!helps || (askedMs ?? 0) > RETRY_AFTER_MS_MAX) return null;
  return Math.max(pauseMs, askedMs ?? 0);
}

/** Seconds, or a date. */
function retryAfterMs(text: string | null): number | null {
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

/** 128 random bits. `crypto.randomUUID` is not there on a page without https. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
