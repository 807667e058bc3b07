// What a caller asks an HTTP client for, and the checks that both clients make before anything is sent.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { checkUrl, type AddressPolicy } from './address-policy.ts';
import { failed, type Outcome } from './exchange.ts';
import type { ErrorClass } from './failure.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

export interface Call {
  readonly url: string;
  /** POST when left out. */
  readonly method?: Method;
  /** Values are sent as they are. Those of `RESERVED_HEADERS` are refused. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The organisation whose secrets are meant by values that are `secret://<name>`; without it they are sent as they are. */
  readonly secretsOf?: string;
  readonly body?: string | Buffer;
  /** For everything together: resolving, connecting, sending, headers and body. */
  readonly timeoutMs: number;
  /** The caller works with the body: one over 64 KiB is `too_large`. Otherwise it is cut off and the status decides. */
  readonly needBody?: boolean;
  /** The caller works with the bytes of the body, at most so many: in `bytes` of the answer, and `body` is empty. */
  readonly bytesMax?: number;
  /** A receiver that sends nothing for so long has failed: `timeout`. `request` only. */
  readonly silentMs?: number;
  /**
   * Called when the answer begins. The body is read once it resolves; that wait is no time of the
   * receiver. `request` rejects with its error. `request` only.
   */
  readonly beforeBody?: () => Promise<void>;
  /** The outcome has a `trace` as well. Of `deliver` alone. */
  readonly trace?: boolean;
}

/** Names the sender in receivers' logs; a caller may send its own. */
export const USER_AGENT = 'Parley';

/**
 * Headers that belong to the connection or frame the message. `host` would also choose the certificate that undici asks
 * for; `accept-encoding` is always `identity`, since a compressed answer is a way around the size limit.
 */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is wrong with headers that a customer chose, safe to show; undefined when they can be sent. Values are not named. */
export function headerProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name of Object.keys(headers)) {
    const lowerName = name.toLowerCase();
    try {
      validateHeaderName(name);
    } catch {
      return 'The name of a header is not valid.';
    }
    if (RESERVED_HEADERS.has(lowerName)) return `The header "${lowerName}" cannot be set.`;
    try {
      validateHeaderValue(name, headers[name] as string);
    } catch {
      return `The value of the header "${lowerName}" is not valid.`;
    }
  }
  return undefined;
}

export type UrlToSend =
  { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly outcome: Outcome };

/** The URL to send to, or the outcome that says why nothing is sent there. */
export function urlToSend(url: string, policy: AddressPolicy): UrlToSend {
  const check = checkUrl(url, policy);
  return check.ok ? check : { ok: false, outcome: unsent('blocked_address', `The URL ${check.problem}.`) };
}

/** The outcome of a call that cannot be put into HTTP; undefined when it can. */
export function unsendable({ method, headers, body }: Call): Outcome | undefined {
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    return unsent('invalid_request', 'A GET or HEAD request cannot carry a body.');
  }
  const problem = headers === undefined ? undefined : headerProblem(headers);
  return problem === undefined ? undefined : unsent('invalid_request', problem);
}

export function unsent(errorClass: ErrorClass, message: string): Outcome {
  return failed({ errorClass, message, internal: {} }, 0);
}
