// One request of attacker or neighbour.
export interface AttackRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the service's origin. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Answer {
  /** 0: there was none. */
  readonly status: number;
  readonly text: string;
}

interface Written {
  readonly method: string;
  readonly path: string;
  readonly text: string | null;
}

const TIMEOUT_MS = 60_000;

/** Of an API key, or of the cookie of a session, which is a name and a value. */
export const credentialOf = (key: string): Readonly<Record<string, string>> =>
  key.includes('=') ? { cookie: key } : { authorization: `Bearer ${key}` };

/** As it goes over the wire: made before a clock runs, since to write a large one takes as long as some answers. */
export function written({ method, path, body }: AttackRequest): Written {
  return { method, path, text: body === undefined ? null : JSON.stringify(body) };
}

/** Never throws. */
export async function send(
  origin: string,
  key: string,
  { method, path, text }: Written,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { ...credentialOf(key), 'content-type': 'application/json' },
      body: text,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}
