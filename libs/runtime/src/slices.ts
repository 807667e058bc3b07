// Work that takes long, cut into slices between which others get their turn.
import { setImmediate } from 'node:timers/promises';

/** Others wait no longer than this for one; an answer that takes several turns of the event loop waits for several. */
const SLICE_MS = 4;

export interface Slices {
  /** Asked after every piece of the work: the time of the slice is up. */
  isOver(): boolean;
  /** Lets others go on, and begins the next slice. */
  next(): Promise<void>;
  /** The result of work that yields after every piece. */
  through<Result>(pieces: Iterator<undefined, Result>): Promise<Result>;
}

export function createSlices(): Slices {
  let until = performance.now() + SLICE_MS;
  const isOver = () => performance.now() > until;
  const next = async () => {
    await setImmediate();
    until = performance.now() + SLICE_MS;
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
