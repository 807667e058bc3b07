// The input of an HTTP client, and the checks of both clients before they send.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { checkUrl, type AddressPolicy } from './address-policy.ts';
import { failed, type Outcome } from './exchange.ts';
import type { ErrorClass } from './failure.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

export interface Call {
  readonly url: string;
  /** Default: POST. */
  readonly method?: Method;
  /** Values are sent as they are. `RESERVED_HEADERS` are refused. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The organisation of the secrets that header values `secret://<name>` refer to. Without it such
   * values are sent as they are.
   */
  readonly secretsOf?: string;
  readonly body?: string | Buffer;
  /** For everything together: resolving, connecting, sending, headers and body. */
  readonly timeoutMs: number;
  /**
   * The caller needs the body: one over 64 KiB is `too_large`. Otherwise it is cut off and the
   * status decides.
   */
  readonly needBody?: boolean;
  /**
   * The caller needs the bytes of the body, at most this many: in `bytes` of the answer; `body` is
   * empty.
   */
  readonly bytesMax?: number;
  /** A receiver that sends nothing for this long has failed: `timeout`. `request` only. */
  readonly silentMs?: number;
  /**
   * Called when the answer begins. The body is read after it resolves, and that wait does not count
   * as the receiver's time. `request` rejects with its error. `request` only.
   */
  readonly beforeBody?: () => Promise<void>;
  /** The outcome has a `trace` as well. `deliver` only. */
  readonly trace?: boolean;
}

/** Names the sender in receivers' logs; a caller may send its own. */
export const USER_AGENT = 'Parley';

/**
 * Headers that belong to the connection or frame the message. `host` would also choose the
 * certificate that undici expects. `accept-encoding` is always `identity`, since compression would
 * bypass the size limit.
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

/**
 * The problem of headers that a customer chose, safe to show and without values; undefined when
 * they can be sent.
 */
export function findHeaderProblem(headers: Readonly<Record<string, string>>): string | undefined {
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

/** The URL to send to, or the outcome that explains why nothing is sent. */
export function checkUrlToSend(url: string, policy: AddressPolicy): UrlToSend {
  const check = checkUrl(url, policy);
  return check.ok
    ? check
    : { ok: false, outcome: createUnsent('blocked_address', `The URL ${check.problem}.`) };
}

/** The outcome of a call that HTTP cannot express; undefined when it can. */
export function findUnsendable({ method, headers, body }: Call): Outcome | undefined {
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    return createUnsent('invalid_request', 'A GET or HEAD request cannot carry a body.');
  }
  const problem = headers === undefined ? undefined : findHeaderProblem(headers);
  return problem === undefined ? undefined : createUnsent('invalid_request', problem);
}

export function createUnsent(errorClass: ErrorClass, message: string): Outcome {
  return failed({ errorClass, message, internal: {} }, 0);
}
