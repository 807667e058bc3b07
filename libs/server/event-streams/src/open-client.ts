// A client of the hub.
import type { OpenStream } from '@parley/server/http';
import { positionFrame } from './frames.rules.ts';
import { formatPosition, type Epochs } from './positions.rules.ts';

export interface OpenClient<Reader, Event> {
  readonly reader: Reader;
  readonly stream: OpenStream;
  /**
   * Until it has caught up. `queued`: its turn has not come, and it will read later events itself.
   * Afterwards `waiting` holds the events to send once it has caught up.
   */
  catchingUp: 'queued' | { readonly waiting: Event[] } | null;
  /** It has unwritten events: do not send it a later position. */
  isSending: boolean;
  /** Keys that it got while catching up, and that the hub has yet to reach. */
  sent: Set<string>;
  /** Earlier events were sent before, or are in the list that the client reads now. */
  since: bigint;
  /** The last position that the client got. */
  place: bigint;
}

export function openClient<Reader, Event>(reader: Reader, stream: OpenStream): OpenClient<Reader, Event> {
  return { reader, stream, catchingUp: 'queued', isSending: false, sent: new Set(), since: 0n, place: 0n };
}

/**
 * Sends a position. Never an earlier one: the hub's last look may be older than the start of a
 * stream.
 */
export function sendPosition(
  client: Pick<OpenClient<never, never>, 'place' | 'stream'>,
  at: bigint,
  epochs: Epochs,
): void {
  if (at > client.place) client.place = at;
  client.stream.write(positionFrame(formatPosition(epochs, client.place)));
}
