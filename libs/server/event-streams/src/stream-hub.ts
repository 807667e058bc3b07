// The open event streams of this replica: one read of the tables serves all of them.
import { AppError } from '@parley/envelopes';
import type { OpenStream } from '@parley/server/http';
import type { Listener, Sql } from '@parley/server/postgres';
import {
  createGroupCommit,
  throttleLog,
  createFairQueue,
  createSlices,
  type Clock,
  type Log,
} from '@parley/server/runtime';
import { createFrames, openingFrame, positionFrame, type StreamEvent } from './frames.rules.ts';
import type { HubEvent, HubSource } from './hub-source.ts';
import { openClient, sendPosition, type OpenClient } from './open-client.ts';
import { formatPosition, isCurrent, type Epochs, type ClientPosition } from './positions.rules.ts';
import { readSnapshot } from './snapshot.ts';

/** The delay of streams without a notice. */
const LOOK_EVERY_MS = 1_000;
/** One read answers all notices within this time. */
const GATHER_MS = 10;
/**
 * Transactions that write events end within this (the longest takes 15 s). Older open ones are not
 * ours.
 */
const WRITING_ENDS_WITHIN_MS = 60_000;
const RETRY_AFTER_SECONDS = '5';
/**
 * Concurrent catch-ups: each takes a connection and may read megabytes, and thousands may reconnect
 * together. Those of one organisation run one after the other, and a quarter of the time while
 * others wait, so that their requests are not behind twenty of them.
 */
const CATCHING_UP = { places: 6, placesOfOne: 1, restFactor: 6 } as const;
/** Events during a catch-up are sent after it. With more of them the client must reconnect. */
const WAITING_EVENTS_MAX = 1_000;

const HEARTBEAT_MS = 15_000;

export interface HubOptions {
  readonly sql: Sql;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly streamsMax: number;
  /** Interval of heartbeats on a quiet stream. Default: `HEARTBEAT_MS`. */
  readonly heartbeatMs?: number | undefined;
  /** Names a reader's streams in a refusal: `of this inbox`. */
  readonly ownerPhrase: string;
}

/** How a client gets its events. */
interface Wire {
  readonly frame: ReturnType<typeof createFrames>;
  readonly epochs: Epochs;
}

interface OfOrganization {
  readonly organizationId: string;
}

export interface StreamHub<Reader extends OfOrganization> {
  /**
   * @throws AppError concurrency_limited when replica, organisation or reader have too many
   * streams.
   */
  admit(reader: Reader, allowed: AllowedStreams): void;
  /** Sends the reader's events to `stream`: first those missed since `from`, then new ones. */
  attach(reader: Reader, stream: OpenStream, from: ClientPosition | 'lost' | null): Promise<void>;
  /** Number of open streams. */
  count(): number;
  /** Ends every stream; settles when none of them reads the database any more. */
  close(): Promise<void>;
}

/** What the plan of the reader's organisation allows in a process. */
export interface AllowedStreams {
  readonly ofOrganization: number;
  readonly ofReader: number;
}

export function createStreamHub<Reader extends OfOrganization, Event extends HubEvent>(
  options: HubOptions,
  source: HubSource<Reader, Event>,
): StreamHub<Reader> {
  type Client = OpenClient<Reader, Event>;
  const { sql, clock, log } = options;
  const catchingUp = createFairQueue(CATCHING_UP);
  /** By organisation. */
  const open = new Map<string, Set<Client>>();
  /** Number of streams by `getKey` of their reader. */
  const ofReader = new Map<string, number>();
  let count = 0;
  /** Start of the next read; undefined before the first. */
  let position: bigint | undefined;
  let epochs: Epochs = [0];
  /** Sent already, at or after `position`. */
  let told = new Map<string, bigint>();
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let gathering: NodeJS.Timeout | undefined;
  let closed = false;
  /** Reads of streams that open. */
  const reading = new Set<Promise<unknown>>();

  /**
   * Starting positions of streams that open: there may be hundreds, and one look serves all that
   * wait.
   */
  const beginnings = createGroupCommit<Client, ClientPosition>({
    groupMax: options.streamsMax,
    write: async (clients) => {
      const snapshot = await readSnapshot(sql);
      const start = { raisedAtMs: snapshot.epochs.at(-1)!, position: snapshot.settled };
      return clients.map(() => start);
    },
  });
  const logFailure = throttleLog((error: unknown) => log.warn({ err: error }, 'stream.read_failed'));

  async function awaited<T>(read: Promise<T>): Promise<T> {
    reading.add(read);
    try {
      return await read;
    } finally {
      reading.delete(read);
    }
  }

  /** Reads and sends new events. Never twice concurrently; a call meanwhile causes another look. */
  function look(): Promise<void> {
    if (looking) {
      lookAgain = true;
      return looking;
    }
    looking = lookOnce()
      .catch(logFailure) // the next look repeats the read
      .finally(() => {
        looking = undefined;
        if (lookAgain) {
          lookAgain = false;
          void look();
        }
      });
    return looking;
  }

  async function lookOnce(): Promise<void> {
    if (open.size === 0) {
      position = undefined;
      told.clear();
      return;
    }
    const { settled, epochs: now } = await readSnapshot(sql);
    const isSameEpoch = now.at(-1) === epochs.at(-1);
    epochs = now;
    if (position === undefined || !isSameEpoch) {
      // Time went back: clients reconnect, and read their lists after `reset`.
      if (position !== undefined) for (const { stream } of everyone()) stream.end();
      told.clear();
      position = settled;
      return;
    }
    const nowMs = clock();
    let next: bigint | undefined;
    const seen: { readonly key: string; readonly at: bigint }[] = [];
    for await (const events of readings(position, nowMs)) {
      const fresh = events.filter(({ key }) => !told.has(key));
      // A long transaction of another writer must not make every read longer.
      const past = events.findLast(({ createdAtMs }) => createdAtMs < nowMs - WRITING_ENDS_WITHIN_MS);
      const from = past !== undefined && past.position > settled ? past.position : settled;
      await send(fresh, from);
      for (const { key, position: at } of events) if (at >= settled) seen.push({ key, at });
      if (next === undefined || from < next) next = from;
    }
    if (open.size === 0) return; // the last client went meanwhile
    const begin = next ?? settled;
    told = new Map(seen.filter(({ at }) => at >= begin).map(({ key, at }) => [key, at]));
    position = begin; // only now: a client must have the earlier events before it gets a position
  }

  /**
   * Reads new events. If there are too many, reads them by organisation, and only the streams of
   * the busy one end.
   */
  async function* readings(from: bigint, nowMs: number): AsyncGenerator<readonly Event[]> {
    const listReaders = (clients: Iterable<Client>) => [...clients].map(({ reader }) => reader);
    const all = await source.read(listReaders(everyone()), from, nowMs);
    if (all) {
      yield all;
      return;
    }
    for (const clients of [...open.values()]) {
      const own = await source.read(listReaders(clients), from, nowMs);
      if (own) yield own;
      // each resumes, or must read its list
      else for (const { stream } of [...clients]) stream.end();
    }
  }

  /** Sends each client its events, then what follows from them, and its position with the last. */
  async function send(events: readonly Event[], at: bigint): Promise<void> {
    const concerned = new Map<Client, StreamEvent[]>();
    const slices = createSlices();
    for (const event of events) {
      for (const client of open.get(event.organizationId) ?? []) {
        if (!source.isFor(client.reader, event) || client.catchingUp === 'queued') continue;
        if (client.catchingUp) {
          if (client.catchingUp.waiting.push(event) > WAITING_EVENTS_MAX) client.stream.end();
          continue;
        }
        if (event.position < client.since || client.sent.delete(event.key)) continue;
        const told = concerned.get(client) ?? [];
        if (event.event) told.push(event.event);
        concerned.set(client, told);
        client.isSending = true;
      }
      if (slices.isOver()) await slices.next();
    }
    const frame = createFrames();
    try {
      const readers = [...concerned.keys()].map(({ reader }) => reader);
      const after = readers.length > 0 ? await source.after?.(readers, clock()) : undefined;
      for (const [client, told] of concerned) {
        writeEvents(client, told, after, at, { frame, epochs });
        if (slices.isOver()) await slices.next();
      }
    } catch (error) {
      for (const { stream } of concerned.keys()) stream.end(); // they reconnect and resume
      throw error;
    }
  }

  /** The last event carries the client's position. */
  function writeEvents(
    client: Client,
    told: readonly StreamEvent[],
    after: ReadonlyMap<string, StreamEvent> | undefined,
    at: bigint,
    { frame, epochs }: Wire,
  ): void {
    const follows = after?.get(source.getKey(client.reader));
    const all = follows ? [...told, follows] : told;
    client.isSending = false;
    if (at > client.place) client.place = at;
    for (const event of all.slice(0, -1)) client.stream.write(frame(event));
    const last = all.at(-1);
    const wirePlace = formatPosition(epochs, client.place);
    client.stream.write(last ? frame(last, wirePlace) : positionFrame(wirePlace));
  }

  function everyone(): Client[] {
    return [...open.values()].flatMap((clients) => [...clients]);
  }

  function admit(reader: Reader, allowed: AllowedStreams): void {
    refuseFrom(options.streamsMax, count, 'on this replica');
    refuseFrom(allowed.ofOrganization, open.get(reader.organizationId)?.size ?? 0, 'of this organisation');
    refuseFrom(allowed.ofReader, ofReader.get(source.getKey(reader)) ?? 0, options.ownerPhrase);
  }

  /** `by` more streams, or fewer. */
  function countReader(reader: Reader, by: 1 | -1): void {
    const key = source.getKey(reader);
    const left = (ofReader.get(key) ?? 0) + by;
    if (left > 0) ofReader.set(key, left);
    else ofReader.delete(key);
    count += by;
  }

  async function attach(
    reader: Reader,
    stream: OpenStream,
    from: ClientPosition | 'lost' | null,
  ): Promise<void> {
    if (closed || stream.signal.aborted) return stream.end();
    const client: Client = openClient(reader, stream);
    const clients = open.get(reader.organizationId) ?? new Set();
    open.set(reader.organizationId, clients.add(client));
    countReader(reader, 1);
    stream.signal.addEventListener('abort', () => {
      countReader(reader, -1);
      clients.delete(client);
      if (clients.size === 0 && open.get(reader.organizationId) === clients)
        open.delete(reader.organizationId);
      if (open.size === 0) position = undefined; // the next client starts from then
    });
    stream.write(openingFrame(options.random()));
    // The next read starts before anything that is read here, so not every client needs one.
    if (position === undefined) await look();
    if (position === undefined) await look(); // the running look may have begun without clients
    if (position === undefined) return stream.end(); // the database is away
    if (stream.signal.aborted) return;
    // A new client starts here, and misses nothing while it waits for its turn.
    const start = from ?? (await awaited(beginnings.add(client)));
    await catchingUp.run(reader.organizationId, () => awaited(catchUp(client, start, from === null)));
  }

  async function catchUp(client: Client, start: ClientPosition | 'lost', isNew: boolean): Promise<void> {
    const { reader, stream } = client;
    if (stream.signal.aborted) return;
    const waiting: Event[] = [];
    client.catchingUp = { waiting };
    // From here on every commit is seen.
    const { settled, next, epochs } = await readSnapshot(sql);
    const known = start !== 'lost' && isCurrent(epochs, start) && start.position <= next;
    const missed = known ? await source.readMissed(reader, start.position, clock()) : undefined;
    const events: StreamEvent[] = isNew && source.opening ? [source.opening] : [];
    if (known && missed) {
      client.since = start.position;
      for (const { key, event } of missed) {
        client.sent.add(key);
        if (event) events.push(event);
      }
    } else {
      client.since = settled;
      events.push({ name: 'reset', data: {} });
    }
    let follows: ReadonlyMap<string, StreamEvent> | undefined;
    let seen: number;
    do {
      seen = waiting.length;
      follows = await source.after?.([reader], clock());
    } while (waiting.length > seen && !stream.signal.aborted); // effects come after their causes
    for (const { key, position: at, event } of waiting) {
      if (at >= client.since && !client.sent.delete(key) && event) events.push(event);
    }
    client.catchingUp = null;
    writeEvents(client, events, follows, settled, { frame: createFrames(), epochs });
  }

  options.listener.subscribe(source.channel, (organizationId) => {
    if (!open.has(organizationId)) return;
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void look();
    }, GATHER_MS);
  });
  const looks = setInterval(() => void (open.size > 0 && look()), LOOK_EVERY_MS).unref();
  const beats = setInterval(() => {
    for (const client of everyone()) {
      if (position === undefined || client.catchingUp || client.isSending) client.stream.write(':\n\n');
      else sendPosition(client, position, epochs);
    }
  }, options.heartbeatMs ?? HEARTBEAT_MS).unref();

  return {
    admit,
    attach,
    count: () => count,
    close: async () => {
      closed = true;
      clearInterval(looks);
      clearInterval(beats);
      clearTimeout(gathering);
      lookAgain = false;
      for (const { stream } of everyone()) stream.end();
      await Promise.allSettled([looking, ...reading]);
    },
  };
}

function refuseFrom(max: number, used: number, whose: string): void {
  if (used < max) return;
  throw new AppError('concurrency_limited', `too many streams are open ${whose}: ${used} of ${max}`, {
    details: { used, of: max },
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
}
