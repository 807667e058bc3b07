// LISTEN/NOTIFY between the replicas of a service, on a direct connection
// (docs/platform.md#notices-between-replicas). Used for cache invalidation and for event streams.
//
// A listener notifies itself. While its notice comes back within a second, it has received every
// earlier notice. If not (connection lost, or a transaction pooler that drops LISTEN), caches must
// not trust anything older than a second.
import pg from 'pg';
import type { Clock, Log } from '@parley/server/runtime';

/** How often the listener notifies itself. */
const BEAT_EVERY_MS = 250;
/** Notices are complete up to the last returned beat, and for at most this long after it. */
export const LISTENER_TRUST_MS = 1_000;
const RECONNECT_AFTER_MS = 500;
const CONNECT_TIMEOUT_MS = 3_000;

export interface Listener {
  /** Calls `onNotice` with the payload of every notice on `channel` (letters, digits, _). */
  subscribe(channel: string, onNotice: (payload: string) => void): void;
  /**
   * Whether a value read at `readAtMs`, and not notified since, is at most a second out of date.
   * Without a working LISTEN only values read within the last second are.
   */
  isCurrent(readAtMs: number): boolean;
  close(): Promise<void>;
}

export interface ListenerOptions {
  /** A direct connection: a transaction pooler does not carry LISTEN. */
  readonly url: string;
  readonly applicationName: string;
  readonly clock: Clock;
  readonly log: Log;
}

export function createListener(options: ListenerOptions): Listener {
  const beatChannel = `parley_beat_${Math.random().toString(36).slice(2)}`;
  const subscribers = new Map<string, ((payload: string) => void)[]>();
  let client: pg.Client | undefined;
  let closed = false;
  /** When the server last confirmed a LISTEN; an earlier beat says nothing about that channel. */
  let listeningSinceMs = Infinity;
  /** Notices are complete from then on; earlier ones may have been missed. */
  let completeFromMs = Infinity;
  /** When the newest returned beat was sent. */
  let lastBeatMs = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();
  let lastAsked: Promise<unknown> = Promise.resolve();

  function onNotification({ channel, payload = '' }: pg.Notification): void {
    if (channel === beatChannel) {
      lastBeatMs = Number(payload);
      if (completeFromMs === Infinity && lastBeatMs >= listeningSinceMs) completeFromMs = lastBeatMs;
    }
    for (const notify of subscribers.get(channel) ?? []) notify(payload);
  }

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    fresh.on('error', () => lose(fresh));
    fresh.on('end', () => lose(fresh));
    fresh.on('notification', onNotification);
    try {
      await fresh.connect();
      await listenToAll(fresh);
    } catch (error) {
      await fresh.end().catch(() => undefined); // it never opened: nothing to close
      throw error;
    }
  }

  /**
   * Makes `fresh` the listener once every channel is confirmed. Checks for new channels after each
   * LISTEN, because their notices would be missed permanently.
   */
  async function listenToAll(fresh: pg.Client): Promise<void> {
    const confirmed = new Set<string>();
    for (;;) {
      const channel = [beatChannel, ...subscribers.keys()].find((name) => !confirmed.has(name));
      if (channel === undefined) {
        client = fresh;
        listeningSinceMs = options.clock();
        return;
      }
      await fresh.query(`LISTEN "${channel}"`);
      confirmed.add(channel);
    }
  }

  /** One statement at a time: pg will stop queueing them on a client. */
  function ask(open: pg.Client, text: string, values: unknown[] = []): Promise<unknown> {
    const asked = lastAsked.then(() => open.query(text, values));
    lastAsked = asked.catch(() => undefined); // the caller gets the error
    return asked;
  }

  function distrust(): void {
    listeningSinceMs = Infinity;
    completeFromMs = Infinity;
  }

  /** Adds a channel to an open connection. Its notices may be missed until it is confirmed. */
  async function listenAlso(channel: string): Promise<void> {
    distrust();
    const open = client;
    try {
      if (open) await ask(open, `LISTEN "${channel}"`);
      if (open && open === client) listeningSinceMs = options.clock();
    } catch (error) {
      // the connection is lost: the next one listens to all
      options.log.debug({ err: error }, 'postgres.listen_failed');
    }
  }

  function lose(lost: pg.Client): void {
    if (client !== lost) return;
    client = undefined;
    distrust();
    lastBeatMs = -Infinity;
    if (!closed) options.log.warn('postgres.listener_lost');
  }

  async function beat(): Promise<void> {
    try {
      if (!client) await connect();
      if (client) await ask(client, 'SELECT pg_notify($1, $2)', [beatChannel, String(options.clock())]);
    } catch (error) {
      if (client) {
        const broken = client;
        lose(broken);
        await broken.end().catch(() => undefined); // already broken
      } else {
        options.log.debug({ err: error }, 'postgres.listener_connect_failed');
      }
    }
  }

  function schedule(afterMs: number): void {
    if (closed) return;
    timer = setTimeout(() => {
      work = beat().then(() => schedule(client ? BEAT_EVERY_MS : RECONNECT_AFTER_MS));
    }, afterMs);
    timer.unref();
  }
  schedule(0);

  return {
    subscribe: (channel, onNotice) => {
      if (!/^[a-z0-9_]{1,63}$/.test(channel)) throw new Error(`"${channel}" is not a channel name`);
      const known = subscribers.get(channel);
      if (known) known.push(onNotice);
      else {
        subscribers.set(channel, [onNotice]);
        void listenAlso(channel);
      }
    },
    isCurrent: (readAtMs) => {
      const now = options.clock();
      if (now - readAtMs <= LISTENER_TRUST_MS) return true;
      return readAtMs >= completeFromMs && now - lastBeatMs <= LISTENER_TRUST_MS;
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await work;
      const open = client;
      client = undefined;
      await open?.end();
    },
  };
}
