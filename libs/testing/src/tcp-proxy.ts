// A TCP proxy that can be cut: takes a real server away from one service, and gives it back.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type TcpProxy = {
  /** The server's URL with the proxy's address. */
  url: string;
  /** Breaks every connection and refuses new ones: a stopped server. */
  cut(): void;
  /** Keeps connections and passes nothing on: a hanging server, a network that drops packets. */
  freeze(): void;
  /**
   * Drops all data, now and later, on every connection that is open until `restore`: a middlebox
   * that forgot them.
   */
  swallow(): void;
  /** Passes on what `cut` or `freeze` held; after `swallow`, new connections only. */
  restore(): void;
  close(): Promise<void>;
};

/** Starts a proxy on a free loopback port in front of the server in `serverUrl`. */
export async function tcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'frozen' | 'swallowing' = 'open';
  const forgotten = new WeakSet<Socket>();

  const server = createServer((client) => {
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [one, other] of [pair, [upstream, client] as const]) {
      one.on('data', (chunk) => void (forgotten.has(one) || other.write(chunk)));
      one.on('error', () => undefined); // `close` follows and ends both
      one.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
    if (state === 'swallowing') pair.forEach((socket) => forgotten.add(socket));
    if (state === 'frozen') for (const socket of pair) socket.pause();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  const each = (what: (socket: Socket) => void) => {
    for (const pair of pairs) pair.forEach(what);
  };
  return {
    url: url.href,
    cut: () => {
      state = 'cut';
      each((socket) => void socket.destroy());
    },
    freeze: () => {
      state = 'frozen';
      each((socket) => void socket.pause());
    },
    swallow: () => {
      state = 'swallowing';
      each((socket) => void forgotten.add(socket));
    },
    restore: () => {
      state = 'open';
      each((socket) => void socket.resume());
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        each((socket) => void socket.destroy());
      }),
  };
}
