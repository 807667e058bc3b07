// Tells whose fault an error of Postgres is: ours, since it is away, full or busy (503, worth repeating); that of a value that a customer
// sent (400); else it is a bug in a statement (500).

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
 * SQLSTATEs of a server that cannot do it for the moment: class 08 (connection; but 08P01 is what a wrong statement is told), class 53 (too
 * many connections, disk or memory full), class 58 (input and output, files), 57P01 to 57P05 (shutting down, crashed, starting up, idle),
 * 25006 (read-only: a fail-over is under way), 57014 (the statement took longer than it may: the server is overloaded, or waits for a
 * lock), 55P03 (a lock was not to be had), 40001 and 40P01 (others were faster: repeat it).
 */
const STATE = /^(08(?!P01)...|53...|58...|57P0[1-5]|57014|25006|55P03|40001|40P01)$/;
/**
 * SQLSTATEs that a value causes: class 22 (data; but 22012, division by zero, is our own arithmetic), class 54 (a limit of the program),
 * XX000 (what has no code of its own, such as "tsquery stack too small").
 */
const VALUE_STATE = /^(22(?!012)...|54...|XX000)$/;

/** What pg says, without a code, when a connection could not be had or was lost. */
const MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after calling end|Client has encountered a connection error|not queryable|Query read timeout/;

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

/** Whether Postgres could not work with a value, such as a text to search for. It says the same to whoever repeats it. */
export function isRefusedValue(error: unknown): boolean {
  const { code } = (error ?? {}) as Told;
  return typeof code === 'string' && VALUE_STATE.test(code);
}

export function isPostgresUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > NESTING_MAX) return false;
  const { code, message, cause, errors } = error as Told;
  if (typeof code === 'string' && (NETWORK_CODES.has(code) || STATE.test(code))) return true;
  if (typeof message === 'string' && MESSAGES.test(message)) return true;
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inner.some((one) => isPostgresUnavailable(one, depth + 1));
}
