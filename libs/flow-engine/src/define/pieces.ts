// Work on a whole flow in pieces, so that the caller can let other requests run in between
// (docs/performance.md#what-one-request-may-take).

/** Yields after every piece. */
export type Pieces<Result> = Generator<undefined, Result>;

/** Runs all pieces without a break. */
export function runPieces<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
}
