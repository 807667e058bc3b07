// Who works beside whom in a process. Work with which workers died is done alone (docs/platform.md#quarantine): should the process end
// then, nobody else was there who could have done it.

export interface Company {
  /** Others may be at work as well. Waits while somebody is alone, or wants to be. */
  beside<T>(work: () => Promise<T>): Promise<T>;
  /** Nobody else is at work. Waits for those who are; those who came meanwhile go before the next one. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export function createCompany(): Company {
  let atWork = 0;
  /** Called when nobody is at work. */
  let emptied: () => void = () => undefined;
  /** Ends with the one who is alone, or wants to be. */
  let solo: Promise<void> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function byItself<T>(work: () => Promise<T>): Promise<T> {
    let end: () => void = () => undefined;
    solo = new Promise((resolve) => (end = resolve));
    try {
      if (atWork > 0) await new Promise<void>((resolve) => (emptied = resolve));
      return await work();
    } finally {
      solo = undefined;
      end();
      await new Promise((resolve) => setImmediate(resolve)); // who waited has begun
    }
  }

  return {
    beside: async (work) => {
      if (solo) await solo;
      atWork += 1;
      try {
        return await work();
      } finally {
        atWork -= 1;
        if (atWork === 0) emptied();
      }
    },
    alone: (work) => {
      const one = queue.then(() => byItself(work));
      queue = one.catch(() => undefined);
      return one;
    },
  };
}
