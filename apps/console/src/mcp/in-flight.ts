// Limits the MCP messages in flight, because each is in memory until it is answered
// (docs/mcp.md#over-http). A body is read only when its turn comes.
import type { Request, Response } from 'express';
import { AppError, type Code } from '@parley/envelopes';
import { readJsonBody } from '@parley/server/http';
import { createFairQueue, NoPlace } from '@parley/server/runtime';
import { refuse, type Refused } from '../refusal.ts';

/** Room for a definition; the flow builder accepts 2 MiB. */
const BODY_BYTES_MAX = 2.25 * 1024 * 1024;
/** Larger messages have fewer places, because parsed JSON takes up to twenty times its text. */
const LARGE_BYTES = 256 * 1024;
const WAIT_MS = 10_000;

/** Resolves when the message is answered. */
export type MessageLimit = (
  organizationId: string,
  request: Request,
  response: Response,
  answer: (message: unknown) => Promise<void>,
) => Promise<void>;

export function createMessageLimit(): MessageLimit {
  const usual = createFairQueue({
    places: 64,
    placesOfOne: 8,
    waitingOfOne: 16,
    waiting: 128,
    waitMs: WAIT_MS,
  });
  const large = createFairQueue({
    places: 3,
    placesOfOne: 1,
    waitingOfOne: 4,
    waiting: 16,
    waitMs: WAIT_MS,
  });
  return async (organizationId, request, response, answer) => {
    const gone = new Promise<void>((resolve) => response.once('close', resolve));
    const bytes = Number(request.headers['content-length'] ?? Infinity);
    try {
      await (bytes > LARGE_BYTES ? large : usual).run(organizationId, async () => {
        if (response.destroyed) return; // the client is gone
        const answered = answer(await readJsonBody(request, BODY_BYTES_MAX));
        await Promise.race([answered, gone]); // the transport never ends for a client that is gone
        await gone;
      });
    } catch (error) {
      if (error instanceof NoPlace) {
        const words = 'Too many requests are in flight. Try again in a few seconds.';
        return refuse(response.set('retry-after', '2'), 'too_many', words);
      }
      const code = error instanceof AppError ? REFUSED[error.code] : undefined;
      if (code === undefined) throw error;
      refuse(response, code, wordsOf(error as AppError));
    }
  };
}

/** Errors of reading a body. */
const REFUSED: { readonly [code in Code]?: Refused } = {
  invalid_request: 'invalid_request',
  payload_too_large: 'too_large',
  request_timeout: 'body_too_slow',
  unsupported_media_type: 'wrong_type',
};

function wordsOf({ message, fields: [first] }: AppError): string {
  return first ? `${message}: ${first.path} ${first.message}` : message;
}
