// GET /v1/notifications/stream: server-sent events of one inbox, from now on or from where the client left off.
import { StreamReply, type Caller } from '@parley/http';
import type { Deps } from '../deps.ts';
import { positionOf } from './event-frames.rules.ts';
import { readerOf } from './reader.ts';

/** A stream that a ticket opened ends by then, since its credential cannot be verified again: its client gets another ticket. */
const TICKET_STREAM_MS = 60 * 60_000;

export interface StreamRequest {
  readonly user_id?: string | undefined;
  /** The header that EventSource sends when it reconnects, or the query parameter for a new one with a new ticket. */
  readonly lastEventId: string | undefined;
}

export async function openInboxStream(
  deps: Pick<Deps, 'inboxHub' | 'limits'>,
  caller: Caller,
  request: StreamRequest,
): Promise<StreamReply> {
  const reader = readerOf(caller, request.user_id);
  const { caps } = deps.limits;
  deps.inboxHub.admit(reader, {
    ofOrganization: await caps.of(reader.organizationId, 'event_streams'),
    ofReader: await caps.of(reader.organizationId, 'event_streams_per_reader'),
  });
  const { lastEventId } = request;
  const from = lastEventId === undefined ? null : (positionOf(lastEventId) ?? 'lost');
  return new StreamReply(
    'text/event-stream; charset=utf-8',
    (stream) => {
      if (caller.kind === 'signature') {
        const timer = setTimeout(() => stream.end(), TICKET_STREAM_MS).unref();
        stream.signal.addEventListener('abort', () => clearTimeout(timer));
      }
      return deps.inboxHub.attach(reader, stream, from);
    },
    { 'x-accel-buffering': 'no' }, // nginx would gather events
  );
}
