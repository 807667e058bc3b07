// Writes answers to the socket: small ones of the same event-loop turn one after the other, large
// ones in pieces.
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';

/**
 * Ends a response whose head is written: by the end of this turn of the event loop or, for a large
 * body, piece by piece.
 */
export type EndAnswer = (response: Response, body: string | Buffer) => void;

/** Bounds how long an answer waits for others: a millisecond or two. */
const WAITING_MAX = 32;
/** Writing megabytes takes tens of milliseconds. Between these pieces others are answered. */
const PIECE_BYTES = 128 * 1024;

/**
 * For one app. A write wakes the reader, which costs a quarter of a request; a reader that is awake
 * needs no wake-up (docs/performance.md#http). So the first answer of a turn is written
 * immediately, and the following ones wait for each other.
 */
export function createEndAnswer(): EndAnswer {
  /** Answers of the turn in which one has been written. */
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
  await pipeline(pieces, response).catch(() => undefined); // the client has gone
}
