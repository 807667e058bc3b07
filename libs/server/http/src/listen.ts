// Serves an Express app with limits, and stops without cutting answers off.
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { getStreams } from './stream.ts';

/** BODY_WITHIN_MS refuses a slow body first, with a code. This ends what no code reads. */
const REQUEST_TIMEOUT_MS = 35_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often Node checks these timeouts. Its default is twice a minute. */
const TIMEOUTS_CHECKED_EVERY_MS = 2_000;
/** Longer than the 60 s of load balancers, so that they close first and never meet a reset. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const HEADER_BYTES_MAX = 16 * 1024;
/** While stopping, idle connections are closed this often. */
const CLOSE_IDLE_EVERY_MS = 50;
/**
 * Unfinished answers are cut off then. The rest of the 25 s that a process has to stop is for its
 * database.
 */
export const ANSWER_WITHIN_MS = 20_000;

export interface Listening {
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting, answers requests in flight, then closes every connection. Safe to call twice.
   */
  close(): Promise<void>;
}

export async function listen(app: Express, address: { host: string; port: number }): Promise<Listening> {
  const server = http.createServer(
    {
      ...createPrototypes(app),
      maxHeaderSize: HEADER_BYTES_MAX,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    app,
  );
  const silent = trackSilentConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: formatUrl(address.host, port),
    port,
    close: () => {
      closing ??= closeGently(server, silent);
      getStreams(app).endAll(); // streams never end by themselves; new ones end immediately
      return closing;
    },
  };
}

/** An IPv6 address stands in brackets (RFC 3986 §3.2.2). */
export function formatUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Express changes the prototype of every request and response, so V8 drops its optimised code: half
 * of Express's cost (2.3 times: docs/performance.md#http). Objects that are created with those
 * prototypes need no change. They need a derived class, which gives all of them one hidden class.
 * With a plain function as `new.target` each object gets its own, and its code cannot be optimised.
 */
function createPrototypes(app: Express) {
  class Request extends http.IncomingMessage {}
  class Response extends http.ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}

/**
 * Connections without a byte so far: browsers open some in advance, load balancers probe. Node
 * counts them as busy and would wait for them while it stops.
 */
function trackSilentConnections(server: http.Server): () => Socket[] {
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
