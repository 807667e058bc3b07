// Tells "Postgres is away" (answered 503, worth repeating) from a bug in a statement (answered 500).

/** Node's codes for a connection that cannot be made or broke. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * SQLSTATEs of a server that is not there for the moment: class 08 (connection; but 08P01 is what a wrong statement is told), 53300 (too
 * many connections), 57P01 to 57P03 (shutting down, crashed, starting up), 25006 (read-only: a fail-over is under way), 57014 (the
 * statement took longer than it may: the server is overloaded, or waits for a lock).
 */
const STATE = /^(08(?!P01)...|53300|57P0[123]|57014|25006)$/;

/** What pg says, without a code, when a connection could not be had or was lost. */
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query read timeout/;

/** An error inside an error inside …: deeper than any client wraps. */
const NESTING_MAX = 5;

/** The members by which pg and Node tell what happened. */
interface Told {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  /** The attempts on each address of a host (AggregateError). */
  errors?: unknown;
}

export function isPostgresUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > NESTING_MAX) return false;
  const { code, message, cause, errors } = error as Told;
  if (typeof code === 'string' && (NETWORK_CODES.has(code) || STATE.test(code))) return true;
  if (typeof message === 'string' && MESSAGES.test(message)) return true;
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inner.some((one) => isPostgresUnavailable(one, depth + 1));
}
