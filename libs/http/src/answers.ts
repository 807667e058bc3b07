// How answers are handed to the kernel: small ones that are ready in the same turn of the event loop one after the other, large ones in
// pieces.
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';

/** Ends a response whose head is written: at the latest with this turn of the event loop, or, where its body is large, piece by piece. */
export type EndAnswer = (response: Response, body: string | Buffer) => void;

/** Whoever waits does so for at most as many others: a millisecond or two. */
const WAITING_MAX = 32;
/** Of a larger answer others are answered in between: to hand megabytes to the kernel takes tens of milliseconds. */
const PIECE_BYTES = 128 * 1024;

/**
 * For one app. A write wakes whoever reads; who is awake needs no waking: a quarter of what a request costs (docs/performance.md#http). So the
 * first answer of a turn is written at once, and those that follow wait for each other.
 */
export function createEndAnswer(): EndAnswer {
  /** Of the turn in which one has been written. */
  let waiting: (() => void)[] | undefined;
  const endWaiting = () => {
    const all = waiting ?? [];
    waiting = [];
    for (const end of all) end();
  };
  const endTurn = () => {
    endWaiting();
    waiting = undefined;
  };
  return (response, body) => {
    if (body.length > PIECE_BYTES) return void endInPieces(response, body);
    if (waiting === undefined) {
      waiting = [];
      setImmediate(endTurn);
      response.end(body);
    } else if (waiting.push(() => response.end(body)) === WAITING_MAX) endWaiting();
  };
}

async function endInPieces(response: Response, body: string | Buffer): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield bytes.subarray(at, at + PIECE_BYTES);
      await nextTurn();
    }
  };
  await pipeline(pieces, response).catch(() => undefined); // whoever asked has gone
}
