// Listens for an Express app, quickly and with limits, and stops without cutting an answer off.
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { streamsOf } from './stream.ts';

/** A body is refused before (BODY_WITHIN_MS), with a code; this ends what nobody reads. */
const REQUEST_TIMEOUT_MS = 35_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often Node looks for either; by itself it does twice a minute. */
const TIMEOUTS_CHECKED_EVERY_MS = 2_000;
/** Longer than the 60 s that load balancers keep a connection, so that they close first and never meet a reset. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const HEADER_BYTES_MAX = 16 * 1024;
/** While stopping, connections that became idle are closed this often. */
const CLOSE_IDLE_EVERY_MS = 50;
/** What is not answered by then is cut off: of the 25 s that a process has to stop, the rest is for its database. */
export const ANSWER_WITHIN_MS = 20_000;

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops accepting, answers what is in flight, then closes every connection. Safe to call twice. */
  close(): Promise<void>;
}

export async function listen(app: Express, address: { host: string; port: number }): Promise<Listening> {
  const server = http.createServer(
    {
      ...bornWithPrototypesOf(app),
      maxHeaderSize: HEADER_BYTES_MAX,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    app,
  );
  const silent = silentConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: urlOf(address.host, port),
    port,
    close: () => {
      closing ??= closeGently(server, silent);
      streamsOf(app).endAll(); // they would go on for ever; new ones end at once
      return closing;
    },
  };
}

/** An IPv6 address stands in brackets (RFC 3986 §3.2.2). */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Express changes the prototype of every request and response, which makes V8 drop its optimised code for both: half
 * of Express's cost (2.3 times: docs/performance.md#http). Objects that are born with those prototypes need no change.
 * They must be born of a derived class: V8 keeps one hidden class for all of its objects. With a plain function as `new.target`
 * every object gets one of its own, and the code that touches it cannot be optimised.
 */
function bornWithPrototypesOf(app: Express) {
  class Request extends http.IncomingMessage {}
  class Response extends http.ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}

/**
 * Connections that have not sent a byte: browsers open some in advance, load balancers to look whether we are there.
 * Node counts them as busy with a request and would wait for one while it stops.
 */
function silentConnections(server: http.Server): () => Socket[] {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => [...open].filter((socket) => socket.bytesRead === 0);
}

async function closeGently(server: http.Server, silent: () => Socket[]): Promise<void> {
  const closed = new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
  });
  const closeIdle = () => {
    server.closeIdleConnections();
    for (const socket of silent()) socket.destroy();
  };
  closeIdle();
  const timer = setInterval(closeIdle, CLOSE_IDLE_EVERY_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), ANSWER_WITHIN_MS);
  try {
    await closed;
  } finally {
    clearInterval(timer);
    clearTimeout(deadline);
  }
}
