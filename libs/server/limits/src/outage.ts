// A circuit breaker for Redis. A background probe, never a request, finds out that it is back.

/** Pause between two probes: how long Redis may be back before it is used again. */
const PROBE_EVERY_MS = 500;

export interface Outage {
  readonly isAway: () => boolean;
  /**
   * When it came back last, in milliseconds of `performance.now()`; -Infinity when it was never
   * away.
   */
  readonly endedAtMs: () => number;
  /** After a failure: nothing uses Redis until a probe has succeeded. */
  begin(error: unknown): void;
  close(): void;
}

export interface OutageOptions {
  /** Rejects while Redis is away, soon. */
  readonly probe: () => Promise<unknown>;
  readonly onBegin: (error: unknown) => void;
  readonly onEnd: () => void;
}

export function createOutage({ probe, onBegin, onEnd }: OutageOptions): Outage {
  let away = false;
  let endedAtMs = -Infinity;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    try {
      await probe();
    } catch {
      schedule(PROBE_EVERY_MS); // the cause was logged when it began
      return;
    }
    if (closed) return;
    away = false;
    endedAtMs = performance.now();
    onEnd();
  }

  function schedule(afterMs: number): void {
    if (closed) return;
    timer = setTimeout(() => void look(), afterMs);
    timer.unref();
  }

  return {
    isAway: () => away,
    endedAtMs: () => endedAtMs,
    begin: (error) => {
      if (away || closed) return;
      away = true;
      onBegin(error);
      schedule(0); // a stall of this process looks like an outage, and is already over
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}
