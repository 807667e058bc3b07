// Classifies failed connections to mail providers in the classes of libs/outbound. Provider
// addresses come from the operator, so no address policy applies
// (docs/platform.md#outgoing-requests), and other clients raise the errors.

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

/** Uses only error codes. Clients write keys and addresses into error texts. */
export function classifyFailure(error: unknown): NetworkFailure {
  const { code, originalCode, cause } = (error ?? {}) as Record<'code' | 'originalCode' | 'cause', unknown>;
  // nodemailer replaces the code of a socket error and stores the original next to it.
  const codes = [originalCode, code, (cause as { code?: unknown } | undefined)?.code].filter(
    (one): one is string => typeof one === 'string',
  );
  const errorClass =
    codes.flatMap((code) => BY_CODE.filter(([pattern]) => pattern.test(code)).map(([, name]) => name))[0] ??
    'connection_lost';
  return { errorClass, message: SENTENCES[errorClass] };
}
