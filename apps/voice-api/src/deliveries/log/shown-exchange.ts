// The request and the answer of an attempt as the log stores them, without secrets
// (docs/voice-api.md#delivery-log).
import { isSecretReference, type Outcome, type Trace } from '@parley/outbound';

/** Stored bytes of an answer. */
const ANSWER_BYTES_KEPT = 4_096;
const MASK = '***';

/**
 * Signatures work as long as receivers accept their timestamp, and readers of the log do not need
 * them.
 */
const SIGNATURES: ReadonlySet<string> = new Set(['webhook-signature', 'x-signature-256']);
/** Headers of answers that often hold credentials. */
const SECRETIVE = /cookie|token|secret|auth|password|api-?key|session|signature/;

/** Stored and returned in this form. */
export interface ShownExchange {
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
export function shownExchange(
  request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly own: readonly string[];
  },
  { trace }: Pick<Outcome, 'trace'>,
): string {
  const own = new Set(request.own);
  const shown: ShownExchange = {
    url: request.url,
    request_headers: mapped(request.headers, (name, value) => {
      if (SIGNATURES.has(name)) return value.replaceAll(/(?<=^|[ ,=])[A-Za-z0-9+/]{43,}={0,2}/g, MASK);
      return own.has(name) && !isSecretReference(value) ? MASK : value;
    }),
    response_headers: answered(trace),
    timings: timed(trace),
  };
  return JSON.stringify(shown);
}

function answered(trace: Trace | undefined): ShownExchange['response_headers'] {
  if (!trace?.headers) return null;
  return mapped(trace.headers, (name, value) => (SECRETIVE.test(name) ? MASK : value));
}

function timed(trace: Trace | undefined): ShownExchange['timings'] {
  if (!trace) return null;
  const { dnsMs, connectMs, tlsMs, firstByteMs } = trace.timings;
  return { dns_ms: dnsMs, connect_ms: connectMs, tls_ms: tlsMs, first_byte_ms: firstByteMs };
}

function mapped(
  headers: Readonly<Record<string, string>>,
  shown: (name: string, value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shown(name, value)]));
}

/** The beginning of an answer, cut between characters. */
export function keptAnswer(text: string): string {
  if (text.length * 3 <= ANSWER_BYTES_KEPT) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= ANSWER_BYTES_KEPT) return text;
  let end = ANSWER_BYTES_KEPT;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1; // a continuation byte: its character is cut
  return bytes.toString('utf8', 0, end);
}
