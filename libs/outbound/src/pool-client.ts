// A client of undici's pools: one connection at a time, opened by the guard.
import type { Socket } from 'node:net';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import type { ConnectionTimings } from './exchange.ts';
import { OutboundError } from './failure.ts';
import type { Guard } from './guard.ts';

/** Carries one delivery at a time. */
export interface PoolClient {
  /**
   * Closes the connection of its delivery. undici's `abort` would open a new one immediately: one
   * more connection for every delivery to a hanging receiver.
   */
  cutOff(): void;
  /** Timings of opening its connection, for the first delivery only: later ones found it open. */
  takeOpening(): ConnectionTimings | null;
}

/** A request that learns which client carries it. */
export interface CarriedRequest {
  client: PoolClient | undefined;
}

export function createPoolClient(origin: URL, options: Client.Options, guard: Guard): Client {
  let socket: Socket | undefined;
  let took: ConnectionTimings | null = null;
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

  /** The guard opens every connection that undici wants. */
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
      request: Dispatcher.DispatchOptions & { delivery: CarriedRequest },
      handler: Dispatcher.DispatchHandler,
    ) => {
      request.delivery.client = poolClient;
      return dispatch(request, handler);
    },
  });
}

/** Returns, once it is open, the duration of each part of opening it. */
function measure(opening: Socket, secure: boolean): () => ConnectionTimings {
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
