// Why a connection to a mail provider failed, in the classes that libs/outbound has for other addresses. A provider's address is
// the operator's: no address policy applies to it (docs/platform.md#outgoing-requests), and the errors come from other clients.

export interface NetworkFailure {
  readonly errorClass: 'dns_error' | 'connect_refused' | 'tls_error' | 'timeout' | 'connection_lost';
  readonly message: string;
}

const SENTENCES: Readonly<Record<NetworkFailure['errorClass'], string>> = {
  dns_error: 'The name of the mail provider does not resolve.',
  connect_refused: 'The mail provider cannot be reached.',
  tls_error: 'The TLS connection to the mail provider could not be established.',
  timeout: 'The mail provider did not answer in time.',
  connection_lost: 'The connection to the mail provider broke.',
};

const BY_CODE: readonly (readonly [RegExp, NetworkFailure['errorClass']])[] = [
  [/^(ENOTFOUND|EAI_\w+|EDNS)$/, 'dns_error'],
  [/^(ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'connect_refused'],
  [
    /^(ETLS|EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|UNABLE_TO_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+)$/,
    'tls_error',
  ],
  [/^(ETIMEDOUT|ECONNABORTED|ERR_CANCELED)$/, 'timeout'],
];

/** By the code of the error, and of what caused it. Its text is never used: clients write keys and addresses into it. */
export function networkFailureOf(error: unknown): NetworkFailure {
  const { code, originalCode, cause } = (error ?? {}) as Record<'code' | 'originalCode' | 'cause', unknown>;
  // nodemailer gives a socket's error a code of its own and keeps the system's beside it.
  const codes = [originalCode, code, (cause as { code?: unknown } | undefined)?.code].filter(
    (one): one is string => typeof one === 'string',
  );
  const errorClass =
    codes.flatMap((code) => BY_CODE.filter(([pattern]) => pattern.test(code)).map(([, name]) => name))[0] ??
    'connection_lost';
  return { errorClass, message: SENTENCES[errorClass] };
}
