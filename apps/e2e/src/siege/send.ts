// Sends one request of the attacker or the other tenant.
export interface AttackRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the service's origin. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Answer {
  /** 0 for no answer. */
  readonly status: number;
  readonly text: string;
}

interface EncodedRequest {
  readonly method: string;
  readonly path: string;
  readonly text: string | null;
}

const TIMEOUT_MS = 60_000;

/** An API key, or a session's cookie (`name=value`). */
export const toCredentialHeader = (key: string): Readonly<Record<string, string>> =>
  key.includes('=') ? { cookie: key } : { authorization: `Bearer ${key}` };

/** Encodes the body before the clock starts, because a large one takes as long as some answers. */
export function encodeRequest({ method, path, body }: AttackRequest): EncodedRequest {
  return { method, path, text: body === undefined ? null : JSON.stringify(body) };
}

/** Never throws. */
export async function send(
  origin: string,
  key: string,
  { method, path, text }: EncodedRequest,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { ...toCredentialHeader(key), 'content-type': 'application/json' },
      body: text,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return { status: 0, text: `${String(error)}${cause}` };
  }
}
