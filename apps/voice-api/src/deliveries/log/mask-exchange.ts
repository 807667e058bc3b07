// The request and the answer of an attempt as the log stores them, without secrets
// (docs/voice-api.md#delivery-log).
import { isSecretReference, type Outcome, type Trace } from '@parley/outbound';

/** Stored bytes of an answer. */
const ANSWER_BYTES_MAX = 4_096;
const MASK = '***';

/** Masked, because signatures work as long as receivers accept their timestamp. */
const SIGNATURES: ReadonlySet<string> = new Set(['webhook-signature', 'x-signature-256']);
/** Headers of answers that often hold credentials. */
const SECRET_NAMES = /cookie|token|secret|auth|password|api-?key|session|signature/;

/** Stored and returned in this form. */
export interface MaskedExchange {
  readonly url: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly response_headers: Readonly<Record<string, string>> | null;
  readonly timings: {
    readonly dns_ms: number | null;
    readonly connect_ms: number | null;
    readonly tls_ms: number | null;
    readonly first_byte_ms: number | null;
  } | null;
}

/** `own` are the names of the customer's own headers. */
export function maskExchange(
  request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly own: readonly string[];
  },
  { trace }: Pick<Outcome, 'trace'>,
): string {
  const own = new Set(request.own);
  const exchange: MaskedExchange = {
    url: request.url,
    request_headers: mapValues(request.headers, (name, value) => {
      if (SIGNATURES.has(name)) return value.replaceAll(/(?<=^|[ ,=])[A-Za-z0-9+/]{43,}={0,2}/g, MASK);
      return own.has(name) && !isSecretReference(value) ? MASK : value;
    }),
    response_headers: maskResponseHeaders(trace),
    timings: toTimings(trace),
  };
  return JSON.stringify(exchange);
}

function maskResponseHeaders(trace: Trace | undefined): MaskedExchange['response_headers'] {
  if (!trace?.headers) return null;
  return mapValues(trace.headers, (name, value) => (SECRET_NAMES.test(name) ? MASK : value));
}

function toTimings(trace: Trace | undefined): MaskedExchange['timings'] {
  if (!trace) return null;
  const { dnsMs, connectMs, tlsMs, firstByteMs } = trace.timings;
  return { dns_ms: dnsMs, connect_ms: connectMs, tls_ms: tlsMs, first_byte_ms: firstByteMs };
}

function mapValues(
  headers: Readonly<Record<string, string>>,
  mapValue: (name: string, value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mapValue(name, value)]));
}

/** The beginning of an answer, cut between characters. */
export function cutAnswer(text: string): string {
  if (text.length * 3 <= ANSWER_BYTES_MAX) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= ANSWER_BYTES_MAX) return text;
  let end = ANSWER_BYTES_MAX;
  // A continuation byte: its character is cut.
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
