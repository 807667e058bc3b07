// A client of undici's pools: one connection, opened by the guard, and its successors after it was closed.
import type { Socket } from 'node:net';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import type { Opening } from './exchange.ts';
import { OutboundError } from './failure.ts';
import type { Guard } from './guard.ts';

/** Carries one delivery at a time. */
export interface PoolClient {
  /**
   * Closes the connection under the delivery that it carries. undici's own `abort` would open a new one at once, for a
   * request that nobody waits for any more: one more connection for every delivery to a receiver that hangs.
   */
  cutOff(): void;
  /** How long it took to open its connection: for the first who asks, since those after it found it open. */
  takeOpening(): Opening | null;
}

/** What a client carries: told which one it is, each time it is given to one. */
export interface Carried {
  client: PoolClient | undefined;
}

export function createPoolClient(origin: URL, options: Client.Options, guard: Guard): Client {
  let socket: Socket | undefined;
  let took: Opening | null = null;
  const client = new Client(origin, { ...options, connect });
  const dispatch = client.dispatch.bind(client);
  const poolClient: PoolClient = {
    cutOff: () => socket?.destroy(new OutboundError('timeout', 'The exchange is over.')),
    takeOpening: () => {
      const taken = took;
      took = null;
      return taken;
    },
  };

  /** Every connection that undici wants is opened by the guard. */
  function connect(
    target: buildConnector.Options,
    callback: (...result: [Error, null] | [null, Socket]) => void,
  ): void {
    const secure = target.protocol === 'https:';
    const port = Number(target.port || (secure ? 443 : 80));
    const opening = guard.open({ secure, host: target.hostname, port });
    const measured = measure(opening, secure);
    const onError = (error: Error) => callback(error, null);
    opening.once('error', onError);
    opening.once(secure ? 'secureConnect' : 'connect', () => {
      socket = opening;
      took = measured();
      callback(null, opening); // undici listens for errors from here on
      opening.off('error', onError);
    });
  }

  return Object.assign(client, {
    dispatch: (
      request: Dispatcher.DispatchOptions & { delivery: Carried },
      handler: Dispatcher.DispatchHandler,
    ) => {
      request.delivery.client = poolClient;
      return dispatch(request, handler);
    },
  });
}

/** Gives, once it is open, how long each part of opening it took. */
function measure(opening: Socket, secure: boolean): () => Opening {
  const startedMs = performance.now();
  let lookedUpMs: number | null = null;
  let connectedMs = startedMs;
  opening.once('lookup', () => (lookedUpMs = performance.now()));
  opening.once('connect', () => (connectedMs = performance.now()));
  return () => ({
    dnsMs: lookedUpMs === null ? null : Math.round(lookedUpMs - startedMs),
    connectMs: Math.round(connectedMs - (lookedUpMs ?? startedMs)),
    tlsMs: secure ? Math.round(performance.now() - connectedMs) : null,
  });
}
