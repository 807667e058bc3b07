// Whether the provider gateway answers, for /health: cheap for us and for the gateway, however often it is asked.
import got from 'got';
import type { Clock } from '@parley/server/runtime';

/** An answer serves this long: probes of many replicas must not become a load. */
export const READY_FOR_MS = 10_000;
/** /health itself must answer within what orchestrators wait for. */
const TIMEOUT_MS = 1_000;

export interface ReadinessOptions {
  readonly clock: Clock;
  /** `GET …/models`. */
  readonly url: string;
  /** null when the key cannot be had in that time. */
  readonly headers: (timeoutMs: number) => Promise<Readonly<Record<string, string>> | null>;
}

/** Asks at most once in READY_FOR_MS; callers meanwhile share one question and its answer. */
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
  return leftMs > 0 && isReady(await statusOf(url, authorization, leftMs));
}

/** A gateway without a list of models (404), or one that is asked too often (429), is there and takes the key. */
function isReady(status: number | null): boolean {
  return status !== null && status < 500 && status !== 401 && status !== 403;
}

/** The status alone: a list of models may be megabytes, so its body is never read. null = no answer. */
function statusOf(
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
    request.on('error', () => resolve(null)); // after the status has been read, nothing is left to tell
  });
}
