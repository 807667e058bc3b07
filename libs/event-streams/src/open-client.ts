// A client of the hub, as the hub keeps it.
import type { OpenStream } from '@parley/http';
import { positionFrame } from './frames.rules.ts';

export interface OpenClient<Reader, Event> {
  readonly reader: Reader;
  readonly stream: OpenStream;
  /**
   * Until it has caught up. `queued`: it is not its turn, and it will read what happens until then; after that, what waits to be told once it
   * has caught up.
   */
  catchingUp: 'queued' | { readonly waiting: Event[] } | null;
  /** It has events that are not written yet: it may not be told a place behind them. */
  telling: boolean;
  /** What it was told when it caught up, and this hub has still to come to. */
  told: Set<string>;
  /** What happened before it was told, or stands in the list that the client reads now. */
  since: bigint;
  /** The last place that the client was told. */
  place: bigint;
}

export function openClient<Reader, Event>(reader: Reader, stream: OpenStream): OpenClient<Reader, Event> {
  return { reader, stream, catchingUp: 'queued', telling: false, told: new Set(), since: 0n, place: 0n };
}

/** How far a client is. Never back: the hub's last look may be older than the look with which a stream began. */
export function tellPlace(client: Pick<OpenClient<never, never>, 'place' | 'stream'>, at: bigint): void {
  if (at > client.place) client.place = at;
  client.stream.write(positionFrame(client.place));
}
