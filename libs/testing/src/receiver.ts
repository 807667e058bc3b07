// A receiver for tests and the demo: a local HTTP server that stores requests and answers by
// script.
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.ts';

/** One received request. */
export type ReceivedRequest = {
  method: string;
  /** Path and query, as sent. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact bytes of the body, which a signature covers. */
  body: Buffer;
  receivedAtMs: number;
};

/**
 * The reaction to one request: a status; a full answer (an object as body is sent as JSON),
 * immediately, `afterMs` later, or `after` a promise; `hang`: never answers; `reset`: closes the
 * connection.
 */
export type Answer =
  | number
  | 'hang'
  | 'reset'
  | {
      status?: number;
      headers?: Record<string, string>;
      body?: string | Buffer | object;
      afterMs?: number;
      after?: Promise<unknown>;
    };

export type Receiver = {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  port: number;
  /** Everything received so far, oldest first. */
  requests: ReceivedRequest[];
  /** Answers of the next requests, one each, in this order; then `fallback` answers again. */
  script(...answers: Answer[]): void;
  /** Waits until at least `count` requests arrived, and returns them all. */
  received(count: number, timeoutMs?: number): Promise<ReceivedRequest[]>;
  /** Stops listening and closes hanging connections. */
  close(): Promise<void>;
};

/** Larger than any body of our services; more is a bug of the sender. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Starts a receiver on a free loopback port (or `port`). `fallback` answers unscripted requests:
 * 200 by default, or a function of the request.
 */
export async function receiver(
  options: { port?: number; fallback?: Answer | ((request: ReceivedRequest) => Answer) } = {},
): Promise<Receiver> {
  const { fallback = 200 } = options;
  const requests: ReceivedRequest[] = [];
  const scripted: Answer[] = [];

  const server = createServer((incoming, response) => {
    readBody(incoming).then(
      (body) => {
        const request: ReceivedRequest = {
          method: incoming.method ?? '',
          path: incoming.url ?? '',
          headers: incoming.headers,
          body,
          receivedAtMs: Date.now(),
        };
        // The answer is chosen before the request becomes visible: a test that waits for it may
        // already script the next one.
        const answer = scripted.shift() ?? (typeof fallback === 'function' ? fallback(request) : fallback);
        requests.push(request);
        give(answer, response);
      },
      () => incoming.destroy(), // the sender went away, or sends without end
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    script: (...answers) => void scripted.push(...answers),
    received: async (count, timeoutMs = 10_000) => {
      await eventually(() => requests.length >= count, { timeoutMs }).catch(() => {
        throw new Error(`${requests.length} of ${count} requests arrived within ${timeoutMs} ms`);
      });
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function give(answer: Answer, response: ServerResponse): void {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const {
    status = 200,
    headers = {},
    body = '',
    afterMs = 0,
    after,
  } = typeof answer === 'number' ? { status: answer } : answer;
  const json = typeof body === 'object' && !Buffer.isBuffer(body);
  const send = (): void => {
    response.writeHead(status, json ? { 'content-type': 'application/json', ...headers } : headers);
    response.end(json ? JSON.stringify(body) : body);
  };
  if (after) return void after.then(send);
  if (afterMs === 0) {
    send();
    return;
  }
  const timer = setTimeout(send, afterMs);
  response.once('close', () => clearTimeout(timer));
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
