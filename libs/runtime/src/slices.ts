// Work that takes long, cut into slices between which others get their turn.
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Others wait no longer than this for one; an answer that takes several turns of the event loop waits for several. */
const SLICE_MS = 2;

export interface Slices {
  /** Asked after every piece of the work: the time of the slice is up. */
  isOver(): boolean;
  /** Lets others go on, for as long as the slice took, and begins the next one. */
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
