// Stands before a real service and loses what passes, by script: how a client meets a network that is not kind.
import { createServer, request as send, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What becomes of one request. `lost`: it reaches the service, and its answer nobody. `hang`: it reaches nobody. A number: answered here,
 * with a `Retry-After` of so many seconds where one is named.
 */
export type Fate = 'lost' | 'hang' | { readonly status: number; readonly retryAfter?: number };

export interface FlakyProxy {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
  }[];
  /** The next requests meet these, in this order; after them all is well. */
  script(...fates: Fate[]): void;
  /** Breaks off whatever is open. */
  cut(): void;
  close(): Promise<void>;
}

export async function flakyProxy(origin: string): Promise<FlakyProxy> {
  const requests: FlakyProxy['requests'] = [];
  const fates: Fate[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    requests.push({ method, path: url, headers });
    const fate = fates.shift();
    if (fate === 'hang') return;
    if (typeof fate === 'object') {
      const { status, retryAfter } = fate;
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end();
      return;
    }
    const upstream = send(new URL(url, origin), { method, headers }, (answer) => {
      if (fate === 'lost') {
        answer.resume().once('end', () => response.socket?.resetAndDestroy());
        return;
      }
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    upstream.once('error', () => response.destroy());
    endWith(response, () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (...more) => void fates.push(...more),
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A stream that its reader left must be left by the proxy, too. */
function endWith(response: ServerResponse, end: () => void): void {
  response.once('close', () => {
    if (!response.writableFinished) end();
  });
}
