// One POST of JSON to the gateway's address, which the operator chose: plain got with a time-out and a size limit, no redirects, no
// retries (docs/platform.md#outgoing-requests).
import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import got, { TimeoutError } from 'got';

/** A completion without streaming is a few KiB. A longer answer is no answer that could be used. */
export const ANSWER_BYTES_MAX = 256 * 1024;

export interface JsonPost {
  readonly json: object;
  readonly headers: Readonly<Record<string, string>>;
  /** From here to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly agent: { readonly http: HttpAgent; readonly https: HttpsAgent };
}

export type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly failure: 'timeout' | 'connection' | 'too_large' };

export async function postJson(url: string, { json, headers, timeoutMs, agent }: JsonPost): Promise<Posted> {
  const tooLarge = new AbortController();
  const request = got.post(url, {
    json,
    headers,
    agent,
    timeout: { request: timeoutMs },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    // Not asked for and not undone: a small compressed answer could be a large one.
    decompress: false,
    signal: tooLarge.signal,
  });
  void request.on('downloadProgress', ({ transferred }) => {
    if (transferred > ANSWER_BYTES_MAX) tooLarge.abort();
  });
  try {
    const { statusCode: status, body } = await request;
    if (body.length > ANSWER_BYTES_MAX) return { kind: 'failed', failure: 'too_large' };
    return { kind: 'answered', status, body };
  } catch (error) {
    // The client's error carries the request and so the key: only its class goes on.
    if (tooLarge.signal.aborted) return { kind: 'failed', failure: 'too_large' };
    return { kind: 'failed', failure: error instanceof TimeoutError ? 'timeout' : 'connection' };
  }
}
