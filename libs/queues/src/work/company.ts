// Who works beside whom in a process. Work with which workers died is done alone (docs/platform.md#quarantine): should the process end
// then, nobody else was there who could have done it.

export interface Company {
  /** Others may be at work as well. Waits while somebody is alone. */
  beside<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Nobody else begins. Waits for those who are at work, but not for who has been for `MOMENT_MS`: they wait for somebody's answer by
   * then. Who wants to be alone as well comes next, first of the organisation that was alone for the shortest time; after `MOMENT_MS` of
   * them all others have as long as these took.
   * @param organizationId null where it is not known before
   */
  alone<T>(organizationId: string | null, work: () => Promise<T>): Promise<T>;
}

/** Whatever kills a process has done so by then: rows are loaded, bodies made and sent, and answers are bounded. */
export const MOMENT_MS = 1_000;

/** Whether it ended within a moment; a failure is its caller's. */
export function endsInAMoment(work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, MOMENT_MS, false).unref();
    const ended = () => (clearTimeout(late), resolve(true));
    work.then(ended, ended);
  });
}

export function createCompany(): Company {
  /** Not those who wait for an answer. */
  let atWork = 0;
  /** Called when nobody is at work. */
  let emptied: () => void = () => undefined;
  /** Ends with those who are alone, one after the other. */
  let solo: Promise<void> | undefined;
  const waiting: { readonly organizationId: string | null; readonly begin: () => Promise<void> }[] = [];
  /** For how long each organisation was alone since somebody last waited for it. */
  const aloneMs = new Map<string | null, number>();
  let taking = false;

  const aloneMsOf = ({ organizationId }: (typeof waiting)[number]) => aloneMs.get(organizationId) ?? 0;

  function takeNext(): (typeof waiting)[number] | undefined {
    let next = waiting[0];
    for (const one of waiting) if (next && aloneMsOf(one) < aloneMsOf(next)) next = one;
    if (next) waiting.splice(waiting.indexOf(next), 1);
    return next;
  }

  async function takeWaiting(): Promise<void> {
    if (taking) return;
    taking = true;
    while (waiting.length > 0) {
      const fromMs = performance.now();
      let end: () => void = () => undefined;
      solo = new Promise((resolve) => (end = resolve));
      if (atWork > 0) await new Promise<void>((resolve) => (emptied = resolve));
      const untilMs = performance.now() + MOMENT_MS;
      for (let next; performance.now() < untilMs && (next = takeNext());) {
        const begunMs = performance.now();
        await next.begin();
        aloneMs.set(next.organizationId, aloneMsOf(next) + performance.now() - begunMs);
      }
      solo = undefined;
      end();
      await new Promise((resolve) => setTimeout(resolve, performance.now() - fromMs));
    }
    aloneMs.clear();
    taking = false;
  }

  return {
    beside: async (work) => {
      if (solo) await solo;
      atWork += 1;
      const working = work();
      void endsInAMoment(working).then(() => {
        atWork -= 1;
        if (atWork === 0) emptied();
      });
      return working;
    },
    alone: (organizationId, work) =>
      new Promise((resolve, reject) => {
        waiting.push({ organizationId, begin: () => work().then(resolve, reject) });
        void takeWaiting();
      }),
  };
}
