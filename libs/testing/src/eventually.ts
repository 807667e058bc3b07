// Waits for a condition instead of sleeping.

/**
 * Below the time limit of a test (jest.config.mjs), so that its message appears. A busy machine
 * needs it.
 */
const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 20;

export type EventuallyOptions = {
  timeoutMs?: number;
  /** Pause between two attempts. */
  intervalMs?: number;
};

/**
 * Calls `condition` until it returns something truthy, and returns that.
 *
 * A condition that throws (a failing `expect`, for one) is retried. On timeout the last error is
 * the cause, or the message names the last value. An attempt in progress still counts.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = TIMEOUT_MS, intervalMs = INTERVAL_MS }: EventuallyOptions = {},
): Promise<NonNullable<Exclude<T, false | 0 | ''>>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let failure: string;
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value as NonNullable<Exclude<T, false | 0 | ''>>;
      failure = `it last gave ${String(value)}`;
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      cause = error;
    }
    if (performance.now() >= deadline)
      throw new Error(`Not so within ${timeoutMs} ms: ${failure}`, { cause });
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
