// The way to the push services: per origin one HTTP/2 connection (or HTTP/1.1 where a service speaks nothing else), a bound on what
// is in flight, and a pause when the service asks for one or does not answer at all.
import { LRUCache } from 'lru-cache';
import { parseRetryAfterMs, type Outbound } from '@parley/outbound';
import type { Clock, Log } from '@parley/runtime';
import { openH2, type H2Connection, type PostResult } from './h2-connection.ts';
import { pauseMs, type PushAnswer } from './push-outcome.rules.ts';

/** An answer; or why there is none; or that nothing was sent since the origin is paused. */
export type Posted =
  | ({ readonly kind: 'answer' } & PushAnswer)
  | { readonly kind: 'failure'; readonly errorClass: string }
  | { readonly kind: 'paused'; readonly waitMs: number };

export interface PushOrigins {
  post(endpoint: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<Posted>;
  /** Tells that the service asked to be left alone. @returns for how long it will be. */
  throttled(endpoint: string, askedMs: number | undefined): number;
  close(): Promise<void>;
}

export interface PushOriginsOptions {
  readonly outbound: Pick<Outbound, 'connect' | 'deliver'>;
  readonly clock: Clock;
  readonly log: Log;
  /** One attempt, without the wait for a free place. */
  readonly timeoutMs: number;
  /** The first pause of an origin that does not say how long; later ones are longer. */
  readonly pauseFirstMs: number;
  /** Requests in flight to one origin, whatever the service would take. */
  readonly inFlightMax: number;
  /** Spreads pauses; in [0, 1). */
  readonly random: () => number;
}

/** A service that speaks HTTP/1.1 only is asked again after this long. */
const HTTP1_FOR_MS = 10 * 60_000;
/** So many time-outs without one answer between them: the connection is dead, though nobody has said so. */
const TIMEOUTS_MAX = 10;
/** Push services that are known at once; there are four that matter, and self-hosted ones. */
const ORIGINS_MAX = 512;

interface Origin {
  readonly name: string;
  connection: H2Connection | undefined;
  /** Being opened; null: the service speaks HTTP/1.1. */
  opening: Promise<H2Connection | null | { readonly errorClass: string }> | undefined;
  http1UntilMs: number;
  pausedUntilMs: number;
  /** Pauses without an answer between them. */
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

  function originOf(endpoint: string): Origin {
    const pathAt = endpoint.indexOf('/', endpoint.indexOf('://') + 3);
    const name = endpoint.slice(0, pathAt);
    const known = origins.get(name);
    if (known) return known;
    const origin: Origin = {
      name,
      connection: undefined,
      opening: undefined,
      http1UntilMs: name.startsWith('http:') ? Infinity : 0, // lifted addresses of development only (docs/platform.md#outgoing-requests)
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
    if (origin.pausedUntilMs > nowMs && askedMs === undefined) return; // answers that were under way when it began
    origin.pausesInARow += 1;
    const waitMs = pauseMs(askedMs, origin.pausesInARow, pauseFirstMs, random());
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
      socket.destroy(); // HTTP/1.1 has connections of its own, in libs/outbound
      origin.http1UntilMs = clock() + HTTP1_FOR_MS;
      return null;
    }
    origin.connection = openH2(origin.name, socket);
    return origin.connection;
  }

  /** Those who come while one connection is being opened share it. */
  function opening(origin: Origin, endpoint: string): Origin['opening'] & object {
    origin.opening ??= open(origin, endpoint).finally(() => (origin.opening = undefined));
    return origin.opening;
  }

  function isFull(origin: Origin): boolean {
    return origin.inFlight >= Math.min(inFlightMax, origin.connection?.streamsMax ?? inFlightMax);
  }

  function leave(origin: Origin): void {
    origin.inFlight -= 1;
    origin.waiting.shift()?.();
  }

  function timedOut(origin: Origin, connection: H2Connection): void {
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
    else if (result.errorClass === 'timeout') timedOut(origin, connection);
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
      body: outcome.body ?? '',
      retryAfter: outcome.headers?.['retry-after'],
    };
  }

  async function post(
    endpoint: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Promise<Posted> {
    const origin = originOf(endpoint);
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
      leave(origin);
    }
  }

  return {
    post,
    throttled: (endpoint, askedMs) => {
      const origin = originOf(endpoint);
      pause(origin, 'throttled', askedMs);
      return Math.max(0, origin.pausedUntilMs - clock());
    },
    close: async () => {
      for (const origin of origins.values()) origin.connection?.destroy();
      origins.clear();
    },
  };
}
