// The open event streams of this replica: one reading of the tables serves all of them.
import { AppError } from '@parley/envelopes';
import type { OpenStream } from '@parley/http';
import type { Metrics } from '@parley/metrics';
import type { Listener, Sql } from '@parley/postgres';
import { occasionally } from '@parley/queues';
import type { Clock, Log } from '@parley/runtime';
import { eventFrame, openingFrame, positionFrame } from './event-frames.rules.ts';
import { INBOX_CHANNEL } from './inbox-bell.ts';
import type { Reader } from './reader.ts';
import { readEvents, readSnapshot, type InboxEvent } from './stream-events.ts';
import { readerKey, tellCounts } from './tell-counts.ts';

/** Tabs and devices of one user that listen at a time. */
export const STREAMS_PER_READER_MAX = 20;
/** Without a notice streams are this late. */
const LOOK_EVERY_MS = 1_000;
/** Notices within this time are answered by one reading. */
const GATHER_MS = 10;
/** What a client that reconnects may have missed; more is read from the list. */
const MISSED_EVENTS_MAX = 1_000;
/** One reading never tells more; far above what arrives between two. */
const EVENTS_PER_LOOK_MAX = 100_000;
/** A transaction that writes an inbox ends within this (the longest is 15 s): an older one that is open is none of ours. */
const WRITING_ENDS_WITHIN_MS = 60_000;
const RETRY_AFTER_SECONDS = '5';

export interface HubOptions {
  readonly sql: Sql;
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly random: () => number;
  readonly streamsMax: number;
  readonly heartbeatMs: number;
}

export interface StreamHub {
  /** @throws AppError concurrency_limited when this replica or this reader has as many streams as it may. */
  admit(reader: Reader): void;
  /** Tells `stream` what happens in the reader's inbox from now on, and first what it missed since `from`. */
  attach(reader: Reader, stream: OpenStream, from: bigint | 'lost' | null): Promise<void>;
  close(): Promise<void>;
}

interface Listening {
  readonly reader: Reader;
  readonly stream: OpenStream;
  /** Set while it catches up: what it has been told, and what waits until it has been. */
  catchingUp: { readonly waiting: InboxEvent[] } | null;
  /** What it was told when it caught up, and this hub has still to come to. */
  told: Set<string>;
  /** What happened before it was told, or stands in the list that the client reads now. */
  since: bigint;
  /** The last place that the client was told. */
  place: bigint;
}

export function createStreamHub(options: HubOptions): StreamHub {
  const { sql, clock, log } = options;
  /** By organisation. */
  const open = new Map<string, Set<Listening>>();
  let count = 0;
  /** Where the next reading begins; undefined before the first. */
  let position: bigint | undefined;
  /** Told already, at or after `position`. */
  let told = new Map<string, bigint>();
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let gathering: NodeJS.Timeout | undefined;
  let closed = false;

  options.metrics.gauge('inbox_streams', 'Open event streams', [], (gauge) => gauge.set({}, count));
  const sayFailure = occasionally((error: unknown) => log.warn({ err: error }, 'inbox.stream_read_failed'));

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
    const wanted = { organizationIds: [...open.keys()], from: position, eventsMax: EVENTS_PER_LOOK_MAX };
    const nowMs = clock();
    const events = await readEvents(sql, wanted, nowMs);
    if (!events) {
      for (const listening of everyone()) listening.stream.end(); // each resumes, or is told to read its list
      position = settled;
      return;
    }
    const fresh = events.filter(({ key }) => !told.has(key));
    // A long transaction of somebody else must not make every reading longer.
    const past = events.findLast(({ createdAtMs }) => createdAtMs < nowMs - WRITING_ENDS_WITHIN_MS);
    const from = past !== undefined && past.position > settled ? past.position : settled;
    told = new Map(
      events.filter((event) => event.position >= from).map(({ key, position: at }) => [key, at] as const),
    );
    position = from;
    await tell(fresh);
  }

  /** Gives everyone the events that are theirs, then their counts, then how far they are. */
  async function tell(events: readonly InboxEvent[]): Promise<void> {
    const concerned = new Set<Listening>();
    for (const event of events) {
      for (const listening of open.get(event.organizationId) ?? []) {
        if (!isFor(listening.reader, event)) continue;
        if (listening.catchingUp) {
          listening.catchingUp.waiting.push(event);
          continue;
        }
        if (event.position < listening.since || listening.told.delete(event.key)) continue;
        if (event.event) listening.stream.write(eventFrame(event.event));
        concerned.add(listening);
      }
    }
    const at = position;
    try {
      await tellCounts(sql, [...concerned], clock());
    } catch (error) {
      for (const { stream } of concerned) stream.end(); // they come back, and have their counts then
      throw error;
    }
    if (at !== undefined) for (const listening of concerned) tellPlace(listening, at);
  }

  function everyone(): Listening[] {
    return [...open.values()].flatMap((listeners) => [...listeners]);
  }

  function admit(reader: Reader): void {
    const same = [...(open.get(reader.organizationId) ?? [])].filter(
      (other) => readerKey(other.reader) === readerKey(reader),
    );
    if (count < options.streamsMax && same.length < STREAMS_PER_READER_MAX) return;
    const whose = count < options.streamsMax ? 'of this inbox' : 'on this replica';
    throw new AppError('concurrency_limited', `too many streams are open ${whose}`, {
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
    });
  }

  async function attach(reader: Reader, stream: OpenStream, from: bigint | 'lost' | null): Promise<void> {
    if (closed || stream.signal.aborted) return stream.end();
    const listening: Listening = {
      reader,
      stream,
      catchingUp: { waiting: [] },
      told: new Set(),
      since: 0n,
      place: 0n,
    };
    const listeners = open.get(reader.organizationId) ?? new Set();
    open.set(reader.organizationId, listeners.add(listening));
    count += 1;
    stream.signal.addEventListener('abort', () => {
      count -= 1;
      listeners.delete(listening);
      if (listeners.size === 0 && open.get(reader.organizationId) === listeners)
        open.delete(reader.organizationId);
      if (open.size === 0) position = undefined; // the next one that comes begins with what is then
    });
    stream.write(openingFrame(options.random()));
    await look();
    if (position === undefined) await look(); // the one under way may have begun when nobody listened
    if (position === undefined) return stream.end(); // the database is away
    // From here on nothing that commits is missed.
    await catchUp(listening, from);
  }

  async function catchUp(listening: Listening, from: bigint | 'lost' | null): Promise<void> {
    const { reader, stream } = listening;
    const { settled, next } = await readSnapshot(sql);
    const known = from !== null && from !== 'lost' && from <= next;
    const missed = known ? await readEvents(sql, { ...wantedBy(reader), from }, clock()) : undefined;
    if (known && missed) {
      listening.since = from;
      for (const { key, event } of missed) {
        listening.told.add(key);
        if (event) stream.write(eventFrame(event));
      }
    } else {
      listening.since = settled;
      if (from !== null) stream.write(eventFrame({ name: 'reset', data: {} }));
    }
    const waiting = listening.catchingUp?.waiting ?? [];
    listening.catchingUp = null;
    for (const { key, position: at, event } of waiting) {
      if (at >= listening.since && !listening.told.delete(key) && event) stream.write(eventFrame(event));
    }
    await tellCounts(sql, [listening], clock());
    tellPlace(listening, settled);
  }

  options.listener.subscribe(INBOX_CHANNEL, (organizationId) => {
    if (!open.has(organizationId)) return;
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void look();
    }, GATHER_MS);
  });
  const looks = setInterval(() => void (open.size > 0 && look()), LOOK_EVERY_MS).unref();
  const beats = setInterval(() => {
    for (const listening of everyone()) {
      if (position === undefined || listening.catchingUp) listening.stream.write(':\n\n');
      else tellPlace(listening, position);
    }
  }, options.heartbeatMs).unref();

  return {
    admit,
    attach,
    close: async () => {
      closed = true;
      clearInterval(looks);
      clearInterval(beats);
      clearTimeout(gathering);
      lookAgain = false;
      for (const { stream } of everyone()) stream.end();
      await looking;
    },
  };
}

/** How far a client is. Never back: the hub's last look may be older than the look with which a stream began. */
function tellPlace(listening: Listening, at: bigint): void {
  if (at > listening.place) listening.place = at;
  listening.stream.write(positionFrame(listening.place));
}

function wantedBy({ organizationId, userId }: Reader) {
  return { organizationIds: [organizationId], userId, eventsMax: MISSED_EVENTS_MAX };
}

function isFor({ userId }: Reader, event: InboxEvent): boolean {
  return event.userId === null || event.userId === userId;
}
