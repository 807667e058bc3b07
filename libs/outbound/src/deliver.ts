// By undici: for what is sent by the thousand (webhook deliveries, push over HTTP/1.1). got costs nine times as much
// CPU a request (docs/performance.md#sending-http). One pool of connections per origin, each opened by the guard.
import { LRUCache } from 'lru-cache';
import { Pool, type Dispatcher } from 'undici';
import type { Clock } from '@parley/runtime';
import type { AddressPolicy } from './address-policy.ts';
import { unsendable, urlToSend, USER_AGENT, type Call } from './call.ts';
import { ANSWER_HEADER_BYTES_MAX, Exchange, type Outcome } from './exchange.ts';
import type { Guard } from './guard.ts';
import { createPoolClient, type Carried, type PoolClient } from './pool-client.ts';

/** Connections to one origin. Callers limit what they send to one receiver; many customers may share one (a gateway). */
const CONNECTIONS_PER_ORIGIN_MAX = 100;
/** Origins with a pool. The one that was used longest ago makes room, once its last request is answered. */
const ORIGINS_MAX = 512;
/** An idle connection is kept this long when the receiver does not say; shorter than what common servers keep it. */
const KEEP_ALIVE_MS = 4_000;
/** Longest that a receiver's own `Keep-Alive: timeout` is believed: idle sockets are counted in file descriptors. */
const KEEP_ALIVE_MS_MAX = 15_000;
/** Then a connection is opened anew, so that a busy receiver's change of address is noticed, and checked. */
const REQUESTS_PER_CONNECTION_MAX = 1_000;
/** URLs that were just checked: parsing one costs a tenth of sending. What their hosts resolve to is not kept. */
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
  /** Pools that made room for others and still have requests. */
  const retiring = new Set<Pool>();
  const pools = new LRUCache<string, Pool>({
    max: ORIGINS_MAX,
    dispose: (pool) => {
      retiring.add(pool);
      void pool.close().then(() => retiring.delete(pool));
    },
  });
  const inFlight = createInFlight();

  function poolOf(origin: string): Pool {
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

  function routeOf(text: string): Route | Outcome {
    const known = routes.get(text);
    if (known) return known;
    const target = urlToSend(text, policy);
    if (!target.ok) return target.outcome;
    const { origin, pathname, search } = target.url;
    const route = { origin, path: `${pathname}${search}` };
    routes.set(text, route);
    return route;
  }

  function deliver(call: Call): Promise<Outcome> {
    const route = routeOf(call.url);
    if ('ok' in route) return Promise.resolve(route);
    const refused = unsendable(call);
    if (refused) return Promise.resolve(refused);
    const { headers = {}, method = 'POST', body = null } = call;
    return new Promise((resolve, reject) => {
      const delivery = new DispatchedExchange(call, clock, inFlight, resolve, reject);
      const request = { path: route.path, method, headers: headersOf(headers), body, delivery };
      poolOf(route.origin).dispatch(request, delivery);
    });
  }

  return {
    deliver,
    close: async () => {
      await inFlight.none();
      pools.clear();
      await Promise.all([...retiring].map((pool) => pool.destroy())); // what is left in them has its outcome
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
  headersTimeout: 0, // the exchange's deadline is the only clock
  bodyTimeout: 0,
} as const;

/** Names and values in turn, which is what undici turns an object into. */
function headersOf(headers: Readonly<Record<string, string>>): string[] {
  const flat = ['accept-encoding', 'identity'];
  let named = false;
  for (const name of Object.keys(headers)) {
    flat.push(name, headers[name] as string);
    named ||= name.toLowerCase() === 'user-agent';
  }
  if (!named) flat.push('user-agent', USER_AGENT);
  return flat;
}

/** How many deliveries have no outcome yet. */
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

/** One request on its way: an exchange that undici tells what it sees. */
class DispatchedExchange extends Exchange implements Dispatcher.DispatchHandler, Carried {
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

  /** Called when a connection is there. By then the deadline may have passed: throwing spares the connection for others. */
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
