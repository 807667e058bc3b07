// When queues were consumed again after a fault of Redis. Pure.
export interface QueueEvent {
  readonly queue: string;
  readonly atMs: number;
  /** As BullMQ names it: `waiting`, `active` and so on. */
  readonly event: string;
}

export interface Consumption {
  /** The slowest queue's wait; null when a queue was not consumed before `untilMs`. */
  readonly ms: number | null;
  readonly queue: string;
}

/**
 * How long the first job in each queue after `sinceMs` waited; undefined without a job before
 * `untilMs`. Jobs shortly before `untilMs` count towards the next check.
 */
export function measureConsumption(
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
