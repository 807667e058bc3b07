// Reports for /health whether the model gateway responds, at a low cost however often it is asked.
import got from 'got';
import type { Clock } from '@parley/server/runtime';

/** A result counts this long: probes of many replicas must not become a load. */
export const READY_FOR_MS = 10_000;
/** Orchestrators wait little longer for /health. */
const TIMEOUT_MS = 1_000;

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly url: string;
  /** null when the key is not available in time. */
  readonly headers: (timeoutMs: number) => Promise<Readonly<Record<string, string>> | null>;
}

/** Asks at most once in READY_FOR_MS. Concurrent callers share one request. */
export function createReadiness(options: ReadinessOptions): () => Promise<boolean> {
  let askedAtMs = -Infinity;
  let answer: Promise<boolean> = Promise.resolve(false);
  return () => {
    const nowMs = options.clock();
    if (nowMs - askedAtMs >= READY_FOR_MS) {
      askedAtMs = nowMs;
      answer = ask(options);
    }
    return answer;
  };
}

async function ask({ url, headers }: ReadinessOptions): Promise<boolean> {
  const startedAt = performance.now();
  const authorization = await headers(TIMEOUT_MS);
  if (authorization === null) return false;
  const leftMs = TIMEOUT_MS - (performance.now() - startedAt);
  return leftMs > 0 && isReady(await readStatus(url, authorization, leftMs));
}

/**
 * A gateway without a list of models (404) or with too many requests (429) is up and accepts the
 * key.
 */
function isReady(status: number | null): boolean {
  return status !== null && status < 500 && status !== 401 && status !== 403;
}

/** Reads the status only: a list of models may take megabytes. null: no response. */
function readStatus(
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<number | null> {
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
    request.on('error', () => resolve(null)); // ignored once the status was read
  });
}
