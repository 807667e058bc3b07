// When queues were consumed again after a fault of Redis. Pure.
export interface QueueEvent {
  readonly queue: string;
  readonly atMs: number;
  /** As BullMQ names it: `waiting`, `active` and so on. */
  readonly event: string;
}

export interface Consumption {
  /** Of the queue that was consumed last; null where one was not consumed before `untilMs`. */
  readonly ms: number | null;
  readonly queue: string;
}

/**
 * How long the first job that waited in each queue after `sinceMs` had to wait; undefined when none came before `untilMs`.
 * Jobs that arrived shortly before `untilMs` count towards the next check.
 */
export function consumedSince(
  sinceMs: number,
  untilMs: number,
  judgedWithinMs: number,
  events: readonly QueueEvent[],
): Consumption | undefined {
  const within = events.filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs);
  const first = (queue: string, event: string) =>
    within.find((one) => one.queue === queue && one.event === event)?.atMs;
  let slowest: Consumption | undefined;
  for (const queue of new Set(within.map((one) => one.queue))) {
    const waitingAtMs = first(queue, 'waiting');
    const activeAtMs = first(queue, 'active');
    if (activeAtMs === undefined && (waitingAtMs === undefined || untilMs - waitingAtMs < judgedWithinMs))
      continue;
    const ms = activeAtMs === undefined ? null : activeAtMs - Math.min(activeAtMs, waitingAtMs ?? sinceMs);
    if (slowest === undefined || (ms ?? Infinity) > (slowest.ms ?? Infinity)) slowest = { queue, ms };
  }
  return slowest;
}
