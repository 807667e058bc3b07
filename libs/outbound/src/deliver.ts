// Sends by undici what goes out by the thousand (webhook deliveries, push over HTTP/1.1). got costs
// nine times as much CPU a request (docs/performance.md#sending-http). Each origin has one pool,
// whose connections the guard opens.
import { LRUCache } from 'lru-cache';
import { Pool, type Dispatcher } from 'undici';
import type { Clock } from '@parley/server/runtime';
import type { AddressPolicy } from './address-policy.ts';
import { findUnsendable, checkUrlToSend, USER_AGENT, type Call } from './call.ts';
import { ANSWER_HEADER_BYTES_MAX, Exchange, type Outcome } from './exchange.ts';
import type { Guard } from './guard.ts';
import { createPoolClient, type CarriedRequest, type PoolClient } from './pool-client.ts';

/**
 * Connections to one origin. Callers limit what they send to one receiver; many customers may share
 * an origin (a gateway).
 */
const CONNECTIONS_PER_ORIGIN_MAX = 100;
/** Origins with a pool. The least recently used one is closed once its last request is answered. */
const ORIGINS_MAX = 512;
/** Default lifetime of an idle connection; shorter than that of common servers. */
const KEEP_ALIVE_MS = 4_000;
/** Maximum of a receiver's `Keep-Alive: timeout`: idle sockets cost file descriptors. */
const KEEP_ALIVE_MS_MAX = 15_000;
/**
 * Then the connection is reopened, so that an address change of a busy receiver is noticed and
 * checked.
 */
const REQUESTS_PER_CONNECTION_MAX = 1_000;
/** Cached URL checks: parsing costs a tenth of sending. Resolved addresses are not cached. */
const CHECKED_URLS_MAX = 2_000;

interface Route {
  readonly origin: string;
  readonly path: string;
}

export interface Deliverer {
  deliver(call: Call): Promise<Outcome>;
  /** Waits for what is in flight. */
  close(): Promise<void>;
}

export function createDeliverer(options: { policy: AddressPolicy; guard: Guard; clock: Clock }): Deliverer {
  const { policy, guard, clock } = options;
  const routes = new LRUCache<string, Route>({ max: CHECKED_URLS_MAX });
  /** Pools of evicted origins that still have requests. */
  const retiring = new Set<Pool>();
  const pools = new LRUCache<string, Pool>({
    max: ORIGINS_MAX,
    dispose: (pool) => {
      retiring.add(pool);
      void pool.close().then(() => retiring.delete(pool));
    },
  });
  const inFlight = createInFlight();

  function openPool(origin: string): Pool {
    const known = pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, {
      ...connectionOptions,
      connections: CONNECTIONS_PER_ORIGIN_MAX,
      factory: (url, clientOptions) => createPoolClient(url, clientOptions, guard),
    });
    pools.set(origin, pool);
    return pool;
  }

  function parseRoute(text: string): Route | Outcome {
    const known = routes.get(text);
    if (known) return known;
    const target = checkUrlToSend(text, policy);
    if (!target.ok) return target.outcome;
    const { origin, pathname, search } = target.url;
    const route = { origin, path: `${pathname}${search}` };
    routes.set(text, route);
    return route;
  }

  function deliver(call: Call): Promise<Outcome> {
    const route = parseRoute(call.url);
    if ('ok' in route) return Promise.resolve(route);
    const refused = findUnsendable(call);
    if (refused) return Promise.resolve(refused);
    const { headers = {}, method = 'POST', body = null } = call;
    return new Promise((resolve, reject) => {
      const delivery = new DispatchedExchange(call, clock, inFlight, resolve, reject);
      const request = { path: route.path, method, headers: toHeaderList(headers), body, delivery };
      openPool(route.origin).dispatch(request, delivery);
    });
  }

  return {
    deliver,
    close: async () => {
      await inFlight.none();
      pools.clear();
      // their remaining requests have an outcome
      await Promise.all([...retiring].map((pool) => pool.destroy()));
    },
  };
}

const connectionOptions = {
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
  maxRequestsPerClient: REQUESTS_PER_CONNECTION_MAX,
  maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
  headersTimeout: 0, // only the exchange's deadline counts
  bodyTimeout: 0,
} as const;

/** Names and values in turn, the form that undici would convert an object to. */
function toHeaderList(headers: Readonly<Record<string, string>>): string[] {
  const flat = ['accept-encoding', 'identity'];
  let named = false;
  for (const name of Object.keys(headers)) {
    flat.push(name, headers[name] as string);
    named ||= name.toLowerCase() === 'user-agent';
  }
  if (!named) flat.push('user-agent', USER_AGENT);
  return flat;
}

/** Number of deliveries without an outcome. */
interface InFlight {
  began(): void;
  ended(): void;
  /** Resolves as soon as there is none. */
  none(): Promise<void>;
}

function createInFlight(): InFlight {
  let count = 0;
  let becameNone: () => void = () => undefined;
  return {
    began: () => void (count += 1),
    ended: () => {
      count -= 1;
      if (count === 0) becameNone();
    },
    none: () => new Promise((resolve) => (count === 0 ? resolve() : (becameNone = resolve))),
  };
}

/** One request: an exchange that undici reports to. */
class DispatchedExchange extends Exchange implements Dispatcher.DispatchHandler, CarriedRequest {
  /** The connection that carries it, once there is one. */
  client: PoolClient | undefined;
  readonly #inFlight: InFlight;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #reject: (error: Error) => void;
  #sent = false;

  constructor(
    call: Call,
    clock: Clock,
    inFlight: InFlight,
    resolve: (outcome: Outcome) => void,
    reject: (error: Error) => void,
  ) {
    super(call, clock);
    this.#inFlight = inFlight;
    this.#resolve = resolve;
    this.#reject = reject;
    inFlight.began();
  }

  protected override settle(outcome: Outcome): void {
    this.#inFlight.ended();
    this.#resolve(outcome);
  }

  protected override bug(error: Error): void {
    this.#inFlight.ended();
    this.#reject(error);
  }

  protected override abort(): void {
    if (this.#sent) this.client?.cutOff();
  }

  /**
   * Called when a connection is there. After the deadline it throws, which leaves the connection
   * for others.
   */
  onRequestStart(): void {
    if (this.settled) throw new Error('the exchange is over');
    this.#sent = true;
    this.opening = this.client?.takeOpening() ?? null;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status >= 200) this.started(status, headers); // 1xx: the answer is still to come
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.data(chunk);
  }

  onResponseEnd(): void {
    this.ended();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.failed(error);
  }
}
