// The open event streams of this replica: one reading of the tables serves all of them.
import { AppError } from '@parley/envelopes';
import type { OpenStream } from '@parley/http';
import type { Listener, Sql } from '@parley/postgres';
import { createGroupCommit, occasionally } from '@parley/queues';
import { createFairQueue, createSlices, type Clock, type Log } from '@parley/runtime';
import { createFrames, openingFrame, positionFrame, type StreamEvent } from './frames.rules.ts';
import type { HubEvent, HubSource } from './hub-source.ts';
import { openClient, tellPlace, type OpenClient } from './open-client.ts';
import { readSnapshot } from './snapshot.ts';

/** Without a notice streams are this late. */
const LOOK_EVERY_MS = 1_000;
/** Notices within this time are answered by one reading. */
const GATHER_MS = 10;
/** A transaction that writes events ends within this (the longest is 15 s): an older one that is open is none of ours. */
const WRITING_ENDS_WITHIN_MS = 60_000;
const RETRY_AFTER_SECONDS = '5';
/**
 * Streams that catch up at once: each takes a connection and reads megabytes at worst, and thousands may come back together. Those of one
 * organisation go one after the other, while there are others a quarter of the time (Postgres works as long as the process): their requests
 * are not behind twenty of them.
 */
const CATCHING_UP = { places: 6, placesOfOne: 1, restFactor: 6 } as const;
/** What happens while one catches up is told after it; one for which more happens comes back. */
const WAITING_EVENTS_MAX = 1_000;

export interface HubOptions {
  readonly sql: Sql;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly streamsMax: number;
  readonly heartbeatMs: number;
  /** Of what a reader's streams are, in a refusal: `of this inbox`. */
  readonly whose: string;
}

interface OfOrganization {
  readonly organizationId: string;
}

export interface StreamHub<Reader extends OfOrganization> {
  /** @throws AppError concurrency_limited when this replica, the organisation or this reader has as many streams here as it may. */
  admit(reader: Reader, allowed: AllowedStreams): void;
  /** Tells `stream` what happens for the reader from now on, and first what it missed since `from`. */
  attach(reader: Reader, stream: OpenStream, from: bigint | 'lost' | null): Promise<void>;
  /** How many are open. */
  count(): number;
  /** Ends every stream; settles when nothing of them reads the database any more. */
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
  /** How many, by `keyOf` of their reader. */
  const ofReader = new Map<string, number>();
  let count = 0;
  /** Where the next reading begins; undefined before the first. */
  let position: bigint | undefined;
  /** Told already, at or after `position`. */
  let told = new Map<string, bigint>();
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let gathering: NodeJS.Timeout | undefined;
  let closed = false;
  /** What streams read for themselves, as they open. */
  const reading = new Set<Promise<unknown>>();

  /** Where those begin that open at once: they may be hundreds, and one look does for all that wait for it. */
  const beginnings = createGroupCommit<Client, bigint>({
    groupMax: options.streamsMax,
    write: async (clients) => {
      const { settled } = await readSnapshot(sql);
      return clients.map(() => settled);
    },
  });
  const sayFailure = occasionally((error: unknown) => log.warn({ err: error }, 'stream.read_failed'));

  async function awaited<T>(read: Promise<T>): Promise<T> {
    reading.add(read);
    try {
      return await read;
    } finally {
      reading.delete(read);
    }
  }

  /** Reads what is new and tells it. Never twice at once; asked again meanwhile, it looks again. */
  function look(): Promise<void> {
    if (looking) {
      lookAgain = true;
      return looking;
    }
    looking = lookOnce()
      .catch(sayFailure) // the next look reads the same again
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
    const { settled } = await readSnapshot(sql);
    if (position === undefined) {
      position = settled;
      return;
    }
    const nowMs = clock();
    let next: bigint | undefined;
    const seen: { readonly key: string; readonly at: bigint }[] = [];
    for await (const events of readings(position, nowMs)) {
      const fresh = events.filter(({ key }) => !told.has(key));
      // A long transaction of somebody else must not make every reading longer.
      const past = events.findLast(({ createdAtMs }) => createdAtMs < nowMs - WRITING_ENDS_WITHIN_MS);
      const from = past !== undefined && past.position > settled ? past.position : settled;
      await tell(fresh, from);
      for (const { key, position: at } of events) if (at >= settled) seen.push({ key, at });
      if (next === undefined || from < next) next = from;
    }
    if (open.size === 0) return; // the last one went meanwhile
    const begin = next ?? settled;
    told = new Map(seen.filter(({ at }) => at >= begin).map(({ key, at }) => [key, at]));
    position = begin; // only now: whoever is told a place has been told what lies before it
  }

  /** What is new. Too much for one reading is read again by organisation: where one has too much alone, only its own streams end. */
  async function* readings(from: bigint, nowMs: number): AsyncGenerator<readonly Event[]> {
    const readersOf = (clients: Iterable<Client>) => [...clients].map(({ reader }) => reader);
    const all = await source.read(readersOf(everyone()), from, nowMs);
    if (all) {
      yield all;
      return;
    }
    for (const clients of [...open.values()]) {
      const own = await source.read(readersOf(clients), from, nowMs);
      if (own) yield own;
      else for (const { stream } of [...clients]) stream.end(); // each resumes, or is told to read its list
    }
  }

  /** Gives everyone the events that are theirs, then what follows from them, and with the last how far they are. */
  async function tell(events: readonly Event[], at: bigint): Promise<void> {
    const concerned = new Map<Client, StreamEvent[]>();
    const slices = createSlices();
    for (const event of events) {
      for (const client of open.get(event.organizationId) ?? []) {
        if (!source.isFor(client.reader, event) || client.catchingUp === 'queued') continue;
        if (client.catchingUp) {
          if (client.catchingUp.waiting.push(event) > WAITING_EVENTS_MAX) client.stream.end();
          continue;
        }
        if (event.position < client.since || client.told.delete(event.key)) continue;
        const told = concerned.get(client) ?? [];
        if (event.event) told.push(event.event);
        concerned.set(client, told);
        client.telling = true;
      }
      if (slices.isOver()) await slices.next();
    }
    const frame = createFrames();
    try {
      const readers = [...concerned.keys()].map(({ reader }) => reader);
      const after = readers.length > 0 ? await source.after?.(readers, clock()) : undefined;
      for (const [client, told] of concerned) {
        writeEvents(client, told, after, at, frame);
        if (slices.isOver()) await slices.next();
      }
    } catch (error) {
      for (const { stream } of concerned.keys()) stream.end(); // they come back, and resume
      throw error;
    }
  }

  /** With the last one goes how far the client is. */
  function writeEvents(
    client: Client,
    told: readonly StreamEvent[],
    after: ReadonlyMap<string, StreamEvent> | undefined,
    at: bigint,
    frame: ReturnType<typeof createFrames>,
  ): void {
    const follows = after?.get(source.keyOf(client.reader));
    const all = follows ? [...told, follows] : told;
    client.telling = false;
    if (at > client.place) client.place = at;
    for (const event of all.slice(0, -1)) client.stream.write(frame(event));
    const last = all.at(-1);
    client.stream.write(last ? frame(last, client.place) : positionFrame(client.place));
  }

  function everyone(): Client[] {
    return [...open.values()].flatMap((clients) => [...clients]);
  }

  function admit(reader: Reader, allowed: AllowedStreams): void {
    refuseFrom(options.streamsMax, count, 'on this replica');
    refuseFrom(allowed.ofOrganization, open.get(reader.organizationId)?.size ?? 0, 'of this organisation');
    refuseFrom(allowed.ofReader, ofReader.get(source.keyOf(reader)) ?? 0, options.whose);
  }

  /** `by` more streams, or fewer. */
  function countOf(reader: Reader, by: 1 | -1): void {
    const key = source.keyOf(reader);
    const left = (ofReader.get(key) ?? 0) + by;
    if (left > 0) ofReader.set(key, left);
    else ofReader.delete(key);
    count += by;
  }

  async function attach(reader: Reader, stream: OpenStream, from: bigint | 'lost' | null): Promise<void> {
    if (closed || stream.signal.aborted) return stream.end();
    const client: Client = openClient(reader, stream);
    const clients = open.get(reader.organizationId) ?? new Set();
    open.set(reader.organizationId, clients.add(client));
    countOf(reader, 1);
    stream.signal.addEventListener('abort', () => {
      countOf(reader, -1);
      clients.delete(client);
      if (clients.size === 0 && open.get(reader.organizationId) === clients)
        open.delete(reader.organizationId);
      if (open.size === 0) position = undefined; // the next one that comes begins with what is then
    });
    stream.write(openingFrame(options.random()));
    // Where the next reading begins lies before whatever is read here: it need not be read for each that comes.
    if (position === undefined) await look();
    if (position === undefined) await look(); // the one under way may have begun when nobody listened
    if (position === undefined) return stream.end(); // the database is away
    if (stream.signal.aborted) return;
    // A new one begins here, and misses nothing of what happens until it is its turn.
    const start = from ?? (await awaited(beginnings.add(client)));
    await catchingUp.run(reader.organizationId, () => awaited(catchUp(client, start, from === null)));
  }

  async function catchUp(client: Client, start: bigint | 'lost', isNew: boolean): Promise<void> {
    const { reader, stream } = client;
    if (stream.signal.aborted) return;
    const waiting: Event[] = [];
    client.catchingUp = { waiting };
    // From here on nothing that commits is missed.
    const { settled, next } = await readSnapshot(sql);
    const known = start !== 'lost' && start <= next;
    const missed = known ? await source.readMissed(reader, start, clock()) : undefined;
    const events: StreamEvent[] = isNew && source.opening ? [source.opening] : [];
    if (known && missed) {
      client.since = start;
      for (const { key, event } of missed) {
        client.told.add(key);
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
    } while (waiting.length > seen && !stream.signal.aborted); // what follows is later than what it follows
    for (const { key, position: at, event } of waiting) {
      if (at >= client.since && !client.told.delete(key) && event) events.push(event);
    }
    client.catchingUp = null;
    writeEvents(client, events, follows, settled, createFrames());
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
      if (position === undefined || client.catchingUp || client.telling) client.stream.write(':\n\n');
      else tellPlace(client, position);
    }
  }, options.heartbeatMs).unref();

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
