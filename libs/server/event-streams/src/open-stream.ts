// The streamed answer: from now on, or from where the client stopped.
import { StreamReply, type Caller } from '@parley/server/http';
import { parsePosition } from './positions.rules.ts';
import type { AllowedStreams, StreamHub } from './stream-hub.ts';

/**
 * Maximum lifetime of a stream that a ticket opened, since its credential cannot be verified again.
 * The client gets another ticket.
 */
const TICKET_STREAM_MS = 60 * 60_000;

export interface StreamRequest {
  /**
   * The header that EventSource sends when it reconnects, or the query parameter for a new ticket.
   */
  readonly lastEventId: string | undefined;
}

/** @throws AppError concurrency_limited */
export function createStreamReply<Reader extends { readonly organizationId: string }>(
  hub: StreamHub<Reader>,
  { kind }: Pick<Caller, 'kind'>,
  reader: Reader,
  allowed: AllowedStreams,
  { lastEventId }: StreamRequest,
): StreamReply {
  hub.admit(reader, allowed);
  const from = lastEventId === undefined ? null : (parsePosition(lastEventId) ?? 'lost');
  return new StreamReply(
    'text/event-stream; charset=utf-8',
    (stream) => {
      if (kind === 'signature') {
        const timer = setTimeout(() => stream.end(), TICKET_STREAM_MS).unref();
        stream.signal.addEventListener('abort', () => clearTimeout(timer));
      }
      return hub.attach(reader, stream, from);
    },
    { 'x-accel-buffering': 'no' }, // nginx would buffer events
  );
}
