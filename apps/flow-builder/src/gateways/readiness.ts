// Reports for /health whether the model gateway responds, at a low cost however often it is asked.
import got, { TimeoutError } from 'got';
import type { Clock } from '@parley/server/runtime';
import type { GatewayFailure } from './failures.ts';

/** A result counts this long: probes of many replicas must not become a load. */
export const READY_FOR_MS = 10_000;
/** Orchestrators wait little longer for /health. */
const TIMEOUT_MS = 1_000;

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly url: string;
  /** A failure when the key is not available in time. */
  readonly headers: (timeoutMs: number) => Promise<Readonly<Record<string, string>> | GatewayFailure>;
}

/** Asks at most once in READY_FOR_MS. Concurrent callers share one request. null: ready. */
export function createReadiness(options: ReadinessOptions): () => Promise<GatewayFailure | null> {
  let askedAtMs = -Infinity;
  let answer: Promise<GatewayFailure | null> = Promise.resolve(null);
  return () => {
    const nowMs = options.clock();
    if (nowMs - askedAtMs >= READY_FOR_MS) {
      askedAtMs = nowMs;
      answer = ask(options);
    }
    return answer;
  };
}

async function ask({ url, headers }: ReadinessOptions): Promise<GatewayFailure | null> {
  const startedAt = performance.now();
  const authorization = await headers(TIMEOUT_MS);
  if (typeof authorization === 'string') return authorization;
  const leftMs = TIMEOUT_MS - (performance.now() - startedAt);
  return leftMs > 0 ? toFailure(await readStatus(url, authorization, leftMs)) : 'timeout';
}

/**
 * A gateway without a list of models (404) or with too many requests (429) is up and accepts the
 * key.
 */
function toFailure(status: number | 'timeout' | 'connection'): GatewayFailure | null {
  if (typeof status === 'string') return status;
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 500 ? 'http_status' : null;
}

/** Reads the status only: a list of models may take megabytes. */
function readStatus(
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<number | 'timeout' | 'connection'> {
  return new Promise((resolve) => {
    const request = got.stream(url, {
      headers,
      timeout: { request: timeoutMs },
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
    });
    request.once('response', ({ statusCode }: { statusCode: number }) => {
      resolve(statusCode);
      request.destroy();
    });
    // Ignored once the status was read.
    request.on('error', (error) => resolve(error instanceof TimeoutError ? 'timeout' : 'connection'));
  });
}
