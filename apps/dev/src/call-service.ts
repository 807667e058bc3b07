// One call of a service's public API.

/** Where a service answers, and the key to it: a StackService, or what dev.json says of one. */
export interface ServiceAccess {
  /** Without a path: `http://127.0.0.1:3001`. */
  readonly origin: string;
  readonly apiKey: string;
}

export interface Answer {
  /** For messages: `POST /v1/flows`. */
  readonly what: string;
  readonly status: number;
  readonly text: string;
}

const REQUEST_TIMEOUT_MS = 60_000;

export async function callService(
  { origin, apiKey }: ServiceAccess,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const what = `${method} ${path}`;
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch((error: Error) => {
    if (error.name !== 'TimeoutError') throw error;
    throw new Error(`${what} was not answered within ${REQUEST_TIMEOUT_MS / 1000} s.`, { cause: error });
  });
  return { what, status: response.status, text: await response.text() };
}

/** The answer's body, of a status that was expected. */
export function bodyOf<T>(answer: Answer, ...statuses: readonly number[]): T {
  expectStatus(answer, ...statuses);
  return JSON.parse(answer.text) as T;
}

/** Throws, with what was answered instead, unless the status is one of the expected. */
export function expectStatus(answer: Answer, ...statuses: readonly number[]): void {
  if (statuses.includes(answer.status)) return;
  throw new Error(`${answer.what} was answered ${answer.status} ${answer.text}`);
}
