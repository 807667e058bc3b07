// Tells "Postgres is away" (answered 503, worth repeating) from a bug in a statement (answered 500).

/** Node's codes for a connection that cannot be made or broke. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH',
]);

/**
 * SQLSTATEs of a server that is not there for the moment: class 08 (connection), 53300 (too many connections),
 * 57P01 to 57P03 (shutting down, crashed, starting up), 25006 (read-only: a fail-over is under way).
 */
const STATE = /^(08...|53300|57P0[123]|25006)$/;

/** What pg and Prisma say, without a code, when a connection could not be had or was lost. */
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query read timeout|Unable to start a transaction in the given time|Can't reach database server|Server has closed the connection/;

const CAUSES_MAX = 5;

export function isPostgresUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > CAUSES_MAX) return false;
  const { code, meta } = error as { code?: unknown; meta?: { driverAdapterError?: unknown } };
  if (typeof code === 'string' && (NETWORK_CODES.has(code) || STATE.test(code))) return true;
  if (MESSAGES.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some((inner) => isPostgresUnavailable(inner, depth + 1))) return true;
  return [error.cause, meta?.driverAdapterError].some((inner) => isPostgresUnavailable(inner, depth + 1));
}
