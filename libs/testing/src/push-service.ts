// A push service for tests, demo and benchmarks: TLS on loopback, HTTP/2 and HTTP/1.1, scripted
// answers. It creates the subscriptions, so it decrypts every message and verifies its token, by
// other libraries than the sender's (push-message.ts).
import { createECDH, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { PUSH_PRODUCTS, refusePush, type PushProduct } from './push-products.ts';
import { BrokenRule, readPushMessage, type PushMessage, type VerifiedToken } from './push-message.ts';

/** The W3C form of a subscription, as a page would send it to us. */
export type TestSubscription = {
  endpoint: string;
  expirationTime: null;
  keys: { p256dh: string; auth: string };
};

export type ReceivedPush = PushMessage & {
  /** The last part of the endpoint's path. */
  device: string;
  httpVersion: '1.1' | '2.0';
  /** The status of the answer; 0 for none. */
  status: number;
  receivedAtMs: number;
};

/**
 * `hang`: never answers. `reset`: resets the stream (HTTP/1.1: the connection). `cut`: closes the
 * whole connection.
 */
export type PushAnswer =
  | number
  | 'hang'
  | 'reset'
  | 'cut'
  | { status: number; headers?: Record<string, string>; body?: string; afterMs?: number };

export type PushService = {
  /** `https://127.0.0.1:<port>` (`http` when plain): the origin that VAPID tokens must name. */
  url: string;
  /** The authority to trust, as PEM and as a file. */
  ca: string;
  caFile: string;
  /**
   * Creates a subscription. With `vapidKey`, a message signed with another key is refused as by
   * FCM. `product`: also refuses what that product refuses (push-products.ts).
   */
  subscribe(options?: { vapidKey?: string; product?: PushProduct }): TestSubscription;
  /** The device part of an endpoint. */
  getDevice(subscription: { endpoint: string }): string;
  /** Everything received, in order, including refused messages. */
  pushes: ReceivedPush[];
  /** Rules that messages broke; a test that expects none asserts it at its end. */
  problems: string[];
  /** Answers of the next messages, one each. */
  script(...answers: PushAnswer[]): void;
  /** From now on the answer for this device (or all devices); undefined ends it. */
  always(answer: PushAnswer | undefined, subscription?: { endpoint: string }): void;
  /** Waits until `count` messages arrived. */
  received(count: number, timeoutMs?: number): Promise<ReceivedPush[]>;
  /** Connections so far. */
  connections(): number;
  /** Asks all HTTP/2 connections to end (GOAWAY); streams in flight are answered. */
  goAway(): void;
  close(): Promise<void>;
};

const fixtures = new URL('../fixtures/push-service/', import.meta.url);
const pem = (name: string): string => readFileSync(new URL(name, fixtures), 'utf8');
/** A push message is smaller; RFC 8188 allows 4,096 and a test may send a little more. */
const BODY_BYTES_READ_MAX = 16 * 1024;

type Device = {
  pair: ReturnType<typeof createECDH>;
  authSecret: string;
  vapidKey: string | undefined;
  product: PushProduct | undefined;
};

/**
 * `http1`: does not offer HTTP/2. `plain`: HTTP/1.1 without TLS, for a running stack that trusts no
 * authority of ours. `latencyMs`: before every answer.
 */
export async function pushService(
  options: {
    http1?: boolean;
    plain?: boolean;
    latencyMs?: number;
    maxConcurrentStreams?: number;
    port?: number;
  } = {},
): Promise<PushService> {
  const { http1 = false, plain = false, latencyMs = 0, maxConcurrentStreams = 1000 } = options;
  const devices = new Map<string, Device>();
  const pushes: ReceivedPush[] = [];
  const problems: string[] = [];
  const scripted: PushAnswer[] = [];
  const standing = new Map<string, PushAnswer>();
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  const verified = new Map<string, VerifiedToken>();
  let connections = 0;
  let url = '';
  const EVERYBODY = '';

  async function receive(request: Http2ServerRequest, body: Buffer): Promise<PushAnswer> {
    const name = findName(request.url);
    const device = devices.get(name);
    if (request.method !== 'POST' || device === undefined) return 404;
    let message: PushMessage;
    try {
      message = await readPushMessage({ headers: request.headers, body, origin: url }, device, verified);
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error;
      problems.push(error.message);
      return { status: error.status, body: error.message };
    }
    const { product } = device;
    const facts = { ...message, headers: request.headers, body };
    const refusal = product && refusePush(product, facts);
    if (refusal) problems.push(`${product}: ${refusal.status} ${refusal.body}`);
    const answer = refusal ?? answerFor(name, device, message);
    const status = typeof answer === 'number' ? answer : typeof answer === 'string' ? 0 : answer.status;
    const httpVersion = request.httpVersion as ReceivedPush['httpVersion'];
    pushes.push({ ...message, device: name, httpVersion, status, receivedAtMs: Date.now() });
    return answer;
  }

  function answerFor(name: string, device: Device, message: PushMessage): PushAnswer {
    if (device.vapidKey !== undefined && device.vapidKey !== message.vapidKey) {
      const body =
        'the key in the authorization header does not correspond to the sender ID used to subscribe this user.';
      return { status: 403, body };
    }
    return scripted.shift() ?? standing.get(name) ?? standing.get(EVERYBODY) ?? 201;
  }

  async function give(
    answer: PushAnswer,
    request: Http2ServerRequest,
    response: Http2ServerResponse,
  ): Promise<void> {
    if (answer === 'hang') return;
    if (answer === 'cut') {
      // The socket that HTTP/2 exposes is a proxy that ends gracefully: find the real one by its
      // port.
      const { remotePort } = request.socket;
      for (const socket of sockets) if (socket.remotePort === remotePort) socket.destroy();
      return;
    }
    if (answer === 'reset') {
      if (request.httpVersion === '2.0')
        request.stream.close(2); // INTERNAL_ERROR, RFC 9113 §7
      else request.socket.destroy();
      return;
    }
    const {
      status,
      headers = {},
      body = '',
      afterMs = 0,
    } = typeof answer === 'number' ? { status: answer } : answer;
    if (latencyMs + afterMs > 0) await delay(latencyMs + afterMs);
    if (response.destroyed) return; // the sender has gone
    response.writeHead(status, {
      ...headers,
      ...(status === 201 ? { location: `${url}/message/${pushes.length}` } : {}),
    });
    response.end(body);
  }

  const tls = { key: pem('server-key.pem'), cert: pem('server.pem') };
  const onRequest = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    readBody(request).then(
      async (body) => give(await receive(request, body), request, response),
      () => request.socket.destroy(), // the sender went away, or sends without end
    );
  };
  // Node's compatibility layer makes HTTP/1.1 requests look the same here.
  const server = plain
    ? createHttpServer(onRequest as never)
    : http1
      ? createHttpsServer(tls, onRequest as never)
      : createSecureServer({ ...tls, allowHTTP1: true, settings: { maxConcurrentStreams } }, onRequest);
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined); // a peer that hangs up
  });
  server.on(plain ? 'connection' : 'secureConnection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // the same
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  url = `${plain ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    ca: pem('ca.pem'),
    caFile: new URL('ca.pem', fixtures).pathname,
    pushes,
    problems,
    subscribe: ({ vapidKey, product } = {}) => {
      const pair = createECDH('prime256v1');
      const p256dh = pair.generateKeys('base64url');
      const authSecret = randomBytes(16).toString('base64url');
      const name = randomBytes(16).toString('base64url');
      devices.set(name, { pair, authSecret, vapidKey, product });
      const path = product ? PUSH_PRODUCTS[product].path : '/push/';
      return { endpoint: `${url}${path}${name}`, expirationTime: null, keys: { p256dh, auth: authSecret } };
    },
    getDevice: ({ endpoint }) => findName(endpoint),
    script: (...answers) => void scripted.push(...answers),
    always: (answer, subscription) => {
      const name = subscription ? findName(subscription.endpoint) : EVERYBODY;
      if (answer === undefined) standing.delete(name);
      else standing.set(name, answer);
    },
    received: async (count, timeoutMs = 10_000) => {
      await eventually(() => pushes.length >= count, { timeoutMs }).catch(() => {
        throw new Error(
          `${pushes.length} of ${count} pushes arrived within ${timeoutMs} ms; ${problems.join('; ')}`,
        );
      });
      return pushes;
    },
    connections: () => connections,
    goAway: () => {
      for (const session of sessions) session.close();
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The device is the end of the path, or the token of an address like those of WNS. */
function findName(url: string): string {
  return url.slice(Math.max(url.lastIndexOf('/'), url.lastIndexOf('=')) + 1);
}

async function readBody(request: Http2ServerRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_READ_MAX) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
