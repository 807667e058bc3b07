// Cuts long work into slices, between which other work runs.
import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * Maximum delay for others. An answer that takes several turns of the event loop waits several
 * times.
 */
const SLICE_MS = 2;

export interface Slices {
  /** Call it after every piece of work: true when the time of the slice is up. */
  isOver(): boolean;
  /** Lets other work run for as long as the slice took, then begins the next one. */
  next(): Promise<void>;
  /** The result of work that yields after every piece. */
  through<Result>(pieces: Iterator<undefined, Result>): Promise<Result>;
}

export function createSlices(): Slices {
  let begunMs = performance.now();
  const tookMs = () => performance.now() - begunMs;
  const isOver = () => tookMs() > SLICE_MS;
  const next = async () => {
    const restMs = Math.floor(tookMs());
    await (restMs > 0 ? setTimeout(restMs) : setImmediate());
    begunMs = performance.now();
  };
  const through = async <Result>(pieces: Iterator<undefined, Result>): Promise<Result> => {
    for (;;) {
      const { done, value } = pieces.next();
      if (done) return value;
      if (isOver()) await next();
    }
  };
  return { isOver, next, through };
}
