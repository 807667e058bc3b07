// A bound on the wall clock for work that may not keep one itself: resolving a secret, a tool call.

export type Within<T> = { readonly done: true; readonly value: T } | { readonly done: false };

/**
 * Waits for `work`, but not longer than `timeoutMs`. What comes later is ignored, a late failure too; a failure in time is
 * thrown on. The work itself goes on: whoever can stop it does so beside this.
 */
export async function within<T>(work: Promise<T>, timeoutMs: number): Promise<Within<T>> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Within<T>>((resolve) => {
    timer = setTimeout(() => resolve({ done: false }), Math.max(0, timeoutMs));
  });
  try {
    return await Promise.race([work.then((value): Within<T> => ({ done: true, value })), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
