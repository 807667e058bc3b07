// Classifies errors of Postgres: ours when it is away, full or busy (503, retryable); the
// customer's when a value cannot be processed (400); otherwise a bug in a statement (500).

/** Node's codes for a connection that cannot be opened or broke. */
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
 * SQLSTATEs of a server that cannot do it now: class 08 (connection; but 08P01 is a wrong
 * statement), class 53 (connections, disk or memory used up), class 58 (I/O), 57P01 to 57P05
 * (shutdown, crash, start, idle session), 25006 (read-only during a failover), 57014 (statement
 * timeout), 55P03 (lock timeout), 40001 and 40P01 (collisions).
 */
const STATE = /^(08(?!P01)...|53...|58...|57P0[1-5]|57014|25006|55P03|40001|40P01)$/;
/**
 * SQLSTATEs that a value causes: class 22 (data; but 22012, division by zero, is our arithmetic),
 * class 54 (a program limit), XX000 (errors without a code, such as "tsquery stack too small").
 */
const VALUE_STATE = /^(22(?!012)...|54...|XX000)$/;

/** Class 53: out of disk, memory or connections. Class 58: its files fail. */
const REFUSAL = /^5[38]...$/;
let refused = 0;

/** Counts an error by which Postgres says that it is full or broken. */
export function noteRefusal(error: unknown): void {
  const { code } = (error ?? {}) as PostgresError;
  if (typeof code === 'string' && REFUSAL.test(code)) refused += 1;
}

/** Statements of this process that Postgres refused because it is full or broken. */
export const countRefusals = (): number => refused;

/** Messages of pg, without a code, for a missing or lost connection. */
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after calling end|Client has encountered a connection error|not queryable|Query read timeout/;

/** Nested errors: deeper than any client wraps. */
const NESTING_MAX = 5;

/** The members that say what happened, in errors of pg and Node. */
interface PostgresError {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  /** The attempts on each address of a host (AggregateError). */
  errors?: unknown;
}

/** Whether Postgres cannot process a value, such as a search text. A retry fails again. */
export function isRefusedValue(error: unknown): boolean {
  const { code } = (error ?? {}) as PostgresError;
  return typeof code === 'string' && VALUE_STATE.test(code);
}

export function isPostgresUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > NESTING_MAX) return false;
  const { code, message, cause, errors } = error as PostgresError;
  if (typeof code === 'string' && (NETWORK_CODES.has(code) || STATE.test(code))) return true;
  if (typeof message === 'string' && MESSAGES.test(message)) return true;
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inner.some((one) => isPostgresUnavailable(one, depth + 1));
}
