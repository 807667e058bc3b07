// Bounds a wait: for stopping, scraping, queue commands, tool calls.

/** Rejection of `within` on timeout. */
export class TimeoutError extends Error {}

/**
 * The result of `work`; rejects with `NotInTime` after `ms`. The work continues, and its later
 * result is ignored.
 */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new TimeoutError(`no answer within ${Math.round(ms)} ms`)),
      Math.max(0, ms),
    );
  });
  work.catch(() => undefined); // a later failure would be unhandled
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
