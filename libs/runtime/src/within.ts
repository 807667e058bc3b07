// A bound on how long something is waited for, wherever a step must not hang: stopping, scraping, queue commands, tool calls.

/** What `within` rejects with when the time is up. */
export class NotInTime extends Error {}

/**
 * The result of `work`; rejects with `NotInTime` when it takes longer than `ms`. The work itself cannot be stopped: it goes on,
 * and what becomes of it later is nobody's business any more.
 */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotInTime(`no answer within ${Math.round(ms)} ms`)), Math.max(0, ms));
  });
  work.catch(() => undefined); // a failure after the time is up has no one left to hear it
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
