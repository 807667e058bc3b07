// Posts JSON to a provider of models: a timeout and a size limit, no redirects, no retries
// (docs/platform.md#outgoing-requests). For an address of a customer the agents are guarded.
import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import got, { TimeoutError } from 'got';
import { isBlockedAddress } from '@parley/outbound';

/** A completion without streaming takes a few KiB. */
export const ANSWER_BYTES_MAX = 256 * 1024;

export interface JsonPost {
  readonly json: object;
  readonly headers: Readonly<Record<string, string>>;
  /** Until the last byte of the response. */
  readonly timeoutMs: number;
  readonly agent: { readonly http: HttpAgent; readonly https: HttpsAgent };
}

export type PostResult =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly failure: ConnectionFailure };

export type ConnectionFailure = 'timeout' | 'connection' | 'blocked_address' | 'too_large';

export async function postJson(
  url: string,
  { json, headers, timeoutMs, agent }: JsonPost,
): Promise<PostResult> {
  const tooLarge = new AbortController();
  const request = got.post(url, {
    json,
    headers,
    agent,
    timeout: { request: timeoutMs },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    // Not requested, so not decompressed: a small compressed response could be large.
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
    // The client's error contains the request and its key, so only its class is returned.
    if (tooLarge.signal.aborted) return { kind: 'failed', failure: 'too_large' };
    if (error instanceof TimeoutError) return { kind: 'failed', failure: 'timeout' };
    return { kind: 'failed', failure: isBlockedAddress(error) ? 'blocked_address' : 'connection' };
  }
}
