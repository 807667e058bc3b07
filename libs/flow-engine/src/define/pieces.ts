// Work on a whole flow, in pieces: who drives it lets others go on in between (docs/performance.md#what-one-request-may-take).

/** Yields after every piece of it. */
export type Pieces<Result> = Generator<undefined, Result>;

/** In one go. */
export function atOnce<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
}
