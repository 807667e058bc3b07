// Transport to the push services. Each origin has one HTTP/2 connection (or HTTP/1.1), a limit of
// requests in flight, and a pause when the service throttles or does not answer.
import { LRUCache } from 'lru-cache';
import { parseRetryAfterMs, type Outbound } from '@parley/outbound';
import type { Clock, Log } from '@parley/server/runtime';
import { openH2, type H2Connection, type PostResult } from './h2-connection.ts';
import { computePauseMs, type PushAnswer } from './push-outcome.rules.ts';
import { readWnsWord } from './wns.rules.ts';

/** An answer, a failure, or nothing sent because the origin is paused. */
export type PostOutcome =
  | ({ readonly kind: 'answer' } & PushAnswer)
  | { readonly kind: 'failure'; readonly errorClass: string }
  | { readonly kind: 'paused'; readonly waitMs: number };

export interface PushOrigins {
  post(endpoint: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<PostOutcome>;
  /** Records that the service throttles. @returns the length of the pause. */
  recordThrottle(endpoint: string, askedMs: number | undefined): number;
  close(): Promise<void>;
}

export interface PushOriginsOptions {
  readonly outbound: Pick<Outbound, 'connect' | 'deliver'>;
  readonly clock: Clock;
  readonly log: Log;
  /** One attempt, excluding the wait for a free place. */
  readonly timeoutMs: number;
  /** The first pause of an origin without Retry-After; later pauses are longer. */
  readonly pauseFirstMs: number;
  /** Requests in flight to one origin, even if the service allows more. */
  readonly inFlightMax: number;
  /** Spreads pauses; in [0, 1). */
  readonly random: () => number;
}

/** After this time a service with only HTTP/1.1 is tried with HTTP/2 again. */
const HTTP1_FOR_MS = 10 * 60_000;
/** After this many time-outs without an answer the connection counts as dead. */
const TIMEOUTS_MAX = 10;
/** Cached push services. Four matter, besides self-hosted ones. */
const ORIGINS_MAX = 512;

interface Origin {
  readonly name: string;
  connection: H2Connection | undefined;
  /** The connection that is being opened; null: the service only has HTTP/1.1. */
  shareOpening: Promise<H2Connection | null | { readonly errorClass: string }> | undefined;
  http1UntilMs: number;
  pausedUntilMs: number;
  /** Pauses without an answer in between. */
  pausesInARow: number;
  timeoutsInARow: number;
  inFlight: number;
  readonly waiting: (() => void)[];
}

export function createPushOrigins(options: PushOriginsOptions): PushOrigins {
  const { outbound, clock, log, timeoutMs, pauseFirstMs, inFlightMax, random } = options;
  const origins = new LRUCache<string, Origin>({
    max: ORIGINS_MAX,
    dispose: (origin) => origin.connection?.close(),
  });

  function getOrigin(endpoint: string): Origin {
    const pathAt = endpoint.indexOf('/', endpoint.indexOf('://') + 3);
    const name = endpoint.slice(0, pathAt);
    const known = origins.get(name);
    if (known) return known;
    const origin: Origin = {
      name,
      connection: undefined,
      shareOpening: undefined,
      // http addresses exist only in development (docs/platform.md#outgoing-requests)
      http1UntilMs: name.startsWith('http:') ? Infinity : 0,
      pausedUntilMs: 0,
      pausesInARow: 0,
      timeoutsInARow: 0,
      inFlight: 0,
      waiting: [],
    };
    origins.set(name, origin);
    return origin;
  }

  function pause(origin: Origin, why: string, askedMs: number | undefined): void {
    const nowMs = clock();
    // an answer from before the pause
    if (origin.pausedUntilMs > nowMs && askedMs === undefined) return;
    origin.pausesInARow += 1;
    const waitMs = computePauseMs(askedMs, origin.pausesInARow, pauseFirstMs, random());
    origin.pausedUntilMs = Math.max(origin.pausedUntilMs, nowMs + waitMs);
    log.warn({ origin: origin.name, why, wait_ms: Math.round(waitMs) }, 'push.origin_paused');
  }

  async function open(
    origin: Origin,
    endpoint: string,
  ): Promise<H2Connection | null | { errorClass: string }> {
    const connected = await outbound.connect(endpoint, ['h2', 'http/1.1']);
    if (!connected.ok) {
      const errorClass = connected.outcome.ok ? 'connection_lost' : connected.outcome.errorClass;
      pause(origin, errorClass, undefined);
      return { errorClass };
    }
    const { socket } = connected;
    if ((socket as { alpnProtocol?: string | false }).alpnProtocol !== 'h2') {
      socket.destroy(); // libs/outbound has its own connections for HTTP/1.1
      origin.http1UntilMs = clock() + HTTP1_FOR_MS;
      return null;
    }
    origin.connection = openH2(origin.name, socket);
    return origin.connection;
  }

  /** Callers that arrive while a connection opens share it. */
  function opening(origin: Origin, endpoint: string): Origin['shareOpening'] & object {
    origin.shareOpening ??= open(origin, endpoint).finally(() => (origin.shareOpening = undefined));
    return origin.shareOpening;
  }

  function isFull(origin: Origin): boolean {
    return origin.inFlight >= Math.min(inFlightMax, origin.connection?.streamsMax ?? inFlightMax);
  }

  function release(origin: Origin): void {
    origin.inFlight -= 1;
    origin.waiting.shift()?.();
  }

  function recordTimeout(origin: Origin, connection: H2Connection): void {
    origin.timeoutsInARow += 1;
    if (origin.timeoutsInARow < TIMEOUTS_MAX) return;
    origin.timeoutsInARow = 0;
    connection.destroy();
    pause(origin, 'timeout', undefined);
  }

  async function postOnce(
    origin: Origin,
    endpoint: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ) {
    if (origin.http1UntilMs > clock()) return postOverHttp1(endpoint, headers, body);
    const connection = origin.connection?.usable ? origin.connection : await opening(origin, endpoint);
    if (connection === null) return postOverHttp1(endpoint, headers, body);
    if ('errorClass' in connection) return { ok: false, untouched: false, ...connection } as const;
    const result = await connection.post(endpoint.slice(origin.name.length), headers, body, timeoutMs);
    if (result.ok) origin.timeoutsInARow = 0;
    else if (result.errorClass === 'timeout') recordTimeout(origin, connection);
    return result;
  }

  async function postOverHttp1(
    endpoint: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Promise<PostResult> {
    const outcome = await outbound.deliver({ url: endpoint, headers, body, timeoutMs });
    if (outcome.ok) return { ok: true, status: outcome.status, body: '', retryAfter: undefined };
    if (outcome.errorClass !== 'http_status')
      return { ok: false, errorClass: outcome.errorClass, untouched: false };
    return {
      ok: true,
      status: outcome.status ?? 0,
      body: outcome.body || readWnsWord(outcome.headers ?? {}),
      retryAfter: outcome.headers?.['retry-after'],
    };
  }

  async function post(
    endpoint: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Promise<PostOutcome> {
    const origin = getOrigin(endpoint);
    if (isFull(origin)) await new Promise<void>((free) => origin.waiting.push(free));
    origin.inFlight += 1;
    try {
      const waitMs = origin.pausedUntilMs - clock();
      if (waitMs > 0) return { kind: 'paused', waitMs };
      let result = await postOnce(origin, endpoint, headers, body);
      if (!result.ok && result.untouched) result = await postOnce(origin, endpoint, headers, body);
      if (!result.ok) return { kind: 'failure', errorClass: result.errorClass };
      const { status, body: text, retryAfter } = result;
      if (status < 300) origin.pausesInARow = 0;
      const askedMs = retryAfter === undefined ? undefined : parseRetryAfterMs(retryAfter, clock());
      return { kind: 'answer', status, body: text, retryAfterMs: askedMs };
    } finally {
      release(origin);
    }
  }

  return {
    post,
    recordThrottle: (endpoint, askedMs) => {
      const origin = getOrigin(endpoint);
      pause(origin, 'throttled', askedMs);
      return Math.max(0, origin.pausedUntilMs - clock());
    },
    close: async () => {
      for (const origin of origins.values()) origin.connection?.destroy();
      origins.clear();
    },
  };
}
