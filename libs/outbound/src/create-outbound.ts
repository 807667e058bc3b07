// Sends everything that goes to addresses of customers, under one policy. Created once a process,
// in deps.ts.
import type { Socket } from 'node:net';
import { systemClock, type Clock, type Log } from '@parley/server/runtime';
import { toBareHost, checkUrl, type AddressPolicy, type UrlCheck } from './address-policy.ts';
import { createUnsent, checkUrlToSend, type Call } from './call.ts';
import { createDeliverer } from './deliver.ts';
import { failed, type Outcome } from './exchange.ts';
import { toFailure } from './failure.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { createRelayer, type Relayer } from './relay.ts';
import { createGuardedAgents, createRequester, type GuardedAgents } from './request.ts';
import { namesSecrets, resolveSecretHeaders, type HeaderSecrets } from './secret-headers.ts';

const CLOSED = 'outbound is closed';
const UNREAD = 'A secret that a header names cannot be read.';

export interface OutboundOptions extends GuardOptions {
  readonly policy: AddressPolicy;
  /** Logs `outbound.blocked` with host, address and range for each refused connection. */
  readonly log: Log;
  /** Resolves `secret://` in headers. Default: such values are sent as they are. */
  readonly headerSecrets?: HeaderSecrets;
  /** For dates in Retry-After. */
  readonly clock?: Clock;
}

export type Connection =
  { readonly ok: true; readonly socket: Socket } | { readonly ok: false; readonly outcome: Outcome };

export interface Outbound {
  /** For registration: all checks of a URL that need no network. */
  checkUrl(url: string): UrlCheck;
  /** For everyday requests (got): chat, generic webhook, tool dispatch. */
  request(call: Call): Promise<Outcome>;
  /** For requests by the thousand (undici): webhook deliveries, push over HTTP/1.1. */
  deliver(call: Call): Promise<Outcome>;
  /** Passes the answer of one address on to another, without storing it: recordings. */
  relay: Relayer['relay'];
  /**
   * Opens a checked connection for a protocol that the clients do not speak (HTTP/2: `protocols:
   * ['h2', 'http/1.1']`, then `socket.alpnProtocol`). The caller closes and limits it.
   */
  connect(url: string, protocols: readonly string[]): Promise<Connection>;
  /**
   * Agents for an HTTP client that the caller limits itself: each call has its own connections, so
   * that one customer's requests never wait for those of another to the same host. The caller
   * checks the URL of each request, follows no redirect, and destroys the agents.
   */
  agents(perHostMax: number): GuardedAgents;
  /**
   * Accepts nothing more, waits for requests in flight (at most their deadlines), then closes the
   * clients' connections.
   */
  close(): Promise<void>;
}

export function createOutbound(options: OutboundOptions): Outbound {
  const { policy, clock = systemClock } = options;
  const guard = createGuard(options);
  const requester = createRequester({ policy, guard, clock });
  const deliverer = createDeliverer({ policy, guard, clock });
  const relayer = createRelayer({ policy, guard });
  let closed = false;

  /** Sending after the end is a bug of the caller, whose workers should have stopped first. */
  function untilClosed(send: (call: Call) => Promise<Outcome>): (call: Call) => Promise<Outcome> {
    const whileOpen = (call: Call) => (closed ? Promise.reject(new Error(CLOSED)) : send(call));
    return (call) => (namesSecrets(call) ? sendWithSecrets(call, whileOpen) : whileOpen(call));
  }

  async function sendWithSecrets(call: Call, send: (call: Call) => Promise<Outcome>): Promise<Outcome> {
    const headers = await resolveSecretHeaders(options.headerSecrets, options.log, call);
    if (headers === null) return createUnsent('invalid_request', UNREAD);
    return send({ ...call, headers });
  }

  async function connect(text: string, protocols: readonly string[]): Promise<Connection> {
    if (closed) throw new Error(CLOSED);
    const startedMs = performance.now();
    const target = checkUrlToSend(text, policy);
    if (!target.ok) return target;
    const { protocol, hostname, port } = target.url;
    const secure = protocol === 'https:';
    try {
      const socket = await guard.connected({
        secure,
        host: toBareHost(hostname),
        port: Number(port || (secure ? 443 : 80)),
        protocols,
      });
      return { ok: true, socket };
    } catch (error) {
      return { ok: false, outcome: failed(toFailure(error), Math.round(performance.now() - startedMs)) };
    }
  }

  return {
    checkUrl: (url) => checkUrl(url, policy),
    request: untilClosed(requester.request),
    deliver: untilClosed(deliverer.deliver),
    relay: (relay) => (closed ? Promise.reject(new Error(CLOSED)) : relayer.relay(relay)),
    connect,
    agents: (perHostMax) => createGuardedAgents(guard, perHostMax),
    close: async () => {
      closed = true;
      await Promise.all([requester.close(), deliverer.close(), relayer.close()]);
      guard.close();
    },
  };
}
