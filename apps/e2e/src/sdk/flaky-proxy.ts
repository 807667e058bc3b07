// A proxy in front of a real service that loses requests and answers by script.
import { createServer, request as send, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The fault of one request. `lost`: the service answers and the client gets nothing. `hang`:
 * nothing reaches the service. A status is answered here, with `Retry-After` in seconds when given.
 */
export type ProxyFault = 'lost' | 'hang' | { readonly status: number; readonly retryAfter?: number };

export interface FlakyProxy {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
  }[];
  /** Faults of the next requests in order; later requests pass. */
  script(...fates: ProxyFault[]): void;
  /** Cuts all open connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function startFlakyProxy(origin: string): Promise<FlakyProxy> {
  const requests: FlakyProxy['requests'] = [];
  const fates: ProxyFault[] = [];
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

/** The proxy must leave a stream that its reader left. */
function endWith(response: ServerResponse, end: () => void): void {
  response.once('close', () => {
    if (!response.writableFinished) end();
  });
}
