// Classes of failed requests: what a customer may read, and separately what only the log may hold.

/** Wire values: delivery logs and metrics hold them. */
export const ERROR_CLASSES = [
  'blocked_address', // the address policy refuses the URL or its addresses; nothing was sent
  'dns_error',
  'connect_refused', // refused or unreachable
  'tls_error', // the handshake failed or the certificate is not trusted
  'timeout', // no complete answer before the deadline
  'connection_lost', // broken off, or the answer was not HTTP
  'too_large', // headers over the limit, or a body over the limit where the caller needs all of it
  'http_status', // a complete answer, but not 2xx; includes redirects, which are not followed
  'invalid_request', // a method or header that cannot be sent; nothing was sent
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

export interface Failure {
  readonly errorClass: ErrorClass;
  /** A sentence that is safe to show to the customer: a constant, never an error's text. */
  readonly message: string;
  /**
   * For logs only: names internal addresses. Not enumerable, so that no row or answer gets it by
   * accident.
   */
  readonly internal: Readonly<Record<string, unknown>>;
}

/** A failure that passes through the error paths of Node and the HTTP clients. */
export class OutboundError extends Error {
  readonly failure: Failure;

  constructor(errorClass: ErrorClass, message: string, internal: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'OutboundError';
    this.failure = { errorClass, message, internal };
  }
}

export const BLOCKED = 'The address is not one that requests may be sent to.';
const UNREACHABLE = 'The connection was refused or the host cannot be reached.';
const UNTRUSTED = 'The TLS certificate was not issued by a trusted authority.';
const NO_TLS = 'The TLS connection could not be established.';
const LOST = 'The connection broke before the answer was complete.';
export const NOT_HTTP = 'The answer was not valid HTTP.';
const HEADERS_TOO_LARGE = 'The headers of the answer are too large.';
const UNSENDABLE = 'The method or a header of the request cannot be sent.';

/** Error codes of Node, OpenSSL, llhttp and undici. Unknown ones count as a broken connection. */
const BY_CODE: Readonly<Record<string, readonly [ErrorClass, string]>> = {
  ECONNREFUSED: ['connect_refused', UNREACHABLE],
  EHOSTUNREACH: ['connect_refused', UNREACHABLE],
  EHOSTDOWN: ['connect_refused', UNREACHABLE],
  ENETUNREACH: ['connect_refused', UNREACHABLE],
  ENETDOWN: ['connect_refused', UNREACHABLE],
  EADDRNOTAVAIL: ['connect_refused', UNREACHABLE],
  EACCES: ['connect_refused', UNREACHABLE],
  EPERM: ['connect_refused', UNREACHABLE],
  EINVAL: ['connect_refused', UNREACHABLE],
  ETIMEDOUT: ['timeout', 'The connection was not established in time.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls_error', 'The TLS certificate was issued for another host name.'],
  CERT_HAS_EXPIRED: ['tls_error', 'The TLS certificate has expired.'],
  CERT_NOT_YET_VALID: ['tls_error', 'The TLS certificate is not valid yet.'],
  CERT_REVOKED: ['tls_error', 'The TLS certificate was revoked.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls_error', 'The TLS certificate is self-signed.'],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls_error', UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT: ['tls_error', UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls_error', UNTRUSTED],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'tls_error',
    'The TLS certificate cannot be verified; an intermediate certificate may be missing.',
  ],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', HEADERS_TOO_LARGE],
  HPE_HEADER_OVERFLOW: ['too_large', HEADERS_TOO_LARGE],
  UND_ERR_INVALID_ARG: ['invalid_request', UNSENDABLE],
  UND_ERR_NOT_SUPPORTED: ['invalid_request', UNSENDABLE],
  ERR_INVALID_CHAR: ['invalid_request', UNSENDABLE],
  ERR_INVALID_HTTP_TOKEN: ['invalid_request', UNSENDABLE],
  ERR_HTTP_INVALID_HEADER_VALUE: ['invalid_request', UNSENDABLE],
  ERR_UNESCAPED_CHARACTERS: ['invalid_request', UNSENDABLE],
};

/**
 * Families of codes, too many to list: OpenSSL's reasons and certificate errors, and the HTTP
 * parser's.
 */
const BY_PATTERN: readonly (readonly [RegExp, readonly [ErrorClass, string]])[] = [
  [/^(ERR_SSL_|ERR_TLS_|ERR_OSSL_|EPROTO$)/, ['tls_error', NO_TLS]],
  [
    /^(CERT_|CRL_|UNABLE_TO_|ERROR_IN_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH|HOSTNAME_MISMATCH$)/,
    ['tls_error', UNTRUSTED],
  ],
  [/^HPE_/, ['connection_lost', NOT_HTTP]],
];

/**
 * A server that hangs up during the handshake. Node uses the code of any reset, so the text
 * decides.
 */
const HANDSHAKE_CUT_OFF = 'before secure TLS connection was established';

/** What this process lacks or did wrong: not a failure of the receiver. */
const OUR_FAILURES =
  /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|UND_ERR_(ABORTED|CLOSED|DESTROYED)|ERR_INVALID_ARG_[A-Z]+)$/;

/** Clients wrap errors in errors; deeper than this is a loop. */
const CAUSES_MAX = 5;

/**
 * Classifies an error of the network, of TLS or of an HTTP client. Rethrows what is ours (no file
 * descriptors left, a bug), so that the caller's job is retried.
 */
export function toFailure(error: unknown): Failure {
  let unheardOf: Failure | undefined;
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && typeof cause === 'object' && cause !== null; depth += 1) {
    if (cause instanceof OutboundError) return cause.failure;
    const code = readCode(cause);
    if (OUR_FAILURES.test(code)) throw error;
    const { message: detail, cause: next } = cause as { message?: unknown; cause?: unknown };
    const internal = { code, detail };
    const row = findRow(code, String(detail));
    if (row) return { errorClass: row[0], message: row[1], internal };
    // An odd answer may cause an unknown code. It must not count as our failure and be retried
    // forever.
    if (code !== '' && !code.startsWith('ERR_GOT_')) {
      unheardOf ??= { errorClass: 'connection_lost', message: LOST, internal };
    }
    cause = next;
  }
  if (unheardOf) return unheardOf;
  throw error;
}

/** Whether the address policy refused the connection of a client that uses guarded agents. */
export function isBlockedAddress(error: unknown): boolean {
  try {
    return toFailure(error).errorClass === 'blocked_address';
  } catch {
    return false;
  }
}

/** undici omits the code of most parser errors; their name tells. */
function readCode(error: object): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return name === 'HTTPParserError' ? 'HPE_UNKNOWN' : '';
}

function findRow(code: string, text: string): readonly [ErrorClass, string] | undefined {
  if (code === 'ECONNRESET' && text.includes(HANDSHAKE_CUT_OFF)) return ['tls_error', NO_TLS];
  return BY_CODE[code] ?? BY_PATTERN.find(([pattern]) => pattern.test(code))?.[1];
}
