// The undici rider: for what is sent by the thousand (webhook deliveries, push over HTTP/1.1). got costs nine times as much
// CPU a request (research: performance §4). One pool of connections per origin, each opened by the guard.
import { LRUCache } from 'lru-cache';
import { Pool, type Dispatcher } from 'undici';
import type { Clock } from '@parley/runtime';
import type { AddressPolicy } from './address-policy.ts';
import { unsendable, urlToSend, USER_AGENT, type Call } from './call.ts';
import { ANSWER_HEADER_BYTES_MAX, Exchange, type ExchangeOptions, type Outcome } from './exchange.ts';
import type { Guard } from './guard.ts';
import { createLine, type Carried, type Line } from './line.ts';

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
    max: 5000,
    dispose: (pool) => {
      retiring.add(pool);
      void pool.close().then(() => retiring.delete(pool));
    },
  });
  let inFlight = 0;
  let becameIdle: () => void = () => undefined;

  function poolOf(origin: string): Pool {
    const known = pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, {
      ...connectionOptions,
      connections: CONNECTIONS_PER_ORIGIN_MAX,
      factory: (url, lineOptions) => createLine(url, lineOptions, guard),
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
    const { headers = {}, method = 'POST', body = null, timeoutMs, needBody = false } = call;
    inFlight += 1;
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome) => {
        inFlight -= 1;
        if (inFlight === 0) becameIdle();
        resolve(outcome);
      };
      const bug = (error: Error) => {
        inFlight -= 1;
        if (inFlight === 0) becameIdle();
        reject(error);
      };
      const delivery = new Delivery({ timeoutMs, needBody, clock, settle, bug });
      const request = { path: route.path, method, headers: headersOf(headers), body, delivery };
      poolOf(route.origin).dispatch(request, delivery);
    });
  }

  return {
    deliver,
    close: async () => {
      if (inFlight > 0) await new Promise<void>((resolve) => (becameIdle = resolve));
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

/** One request on its way: hands what undici sees to the exchange. */
class Delivery implements Dispatcher.DispatchHandler, Carried {
  readonly #exchange: Exchange;
  /** The connection that carries it, once there is one. */
  line: Line | undefined;
  #started = false;

  constructor(options: Omit<ExchangeOptions, 'abort'>) {
    this.#exchange = new Exchange({
      ...options,
      abort: () => {
        if (this.#started) this.line?.cutOff();
      },
    });
  }

  /** Called when a connection is there. By then the deadline may have passed: throwing spares the connection for others. */
  onRequestStart(): void {
    if (this.#exchange.settled) throw new Error('the exchange is over');
    this.#started = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status >= 200) this.#exchange.started(status, headers); // 1xx: the answer is still to come
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#exchange.data(chunk);
  }

  onResponseEnd(): void {
    this.#exchange.ended();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#exchange.failed(error);
  }
}
