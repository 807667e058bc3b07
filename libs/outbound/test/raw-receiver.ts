// A receiver with arbitrary answers, HTTP or not, over TCP or TLS. That of libs/testing speaks only
// proper HTTP.
import { readFileSync } from 'node:fs';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';

export interface RawReceiver {
  readonly port: number;
  /** Connections accepted so far (with TLS: before the handshake). */
  readonly connections: () => number;
  /** Complete requests: head and body as one text. */
  readonly requests: string[];
  /** Server names from TLS clients (SNI). */
  readonly serverNames: string[];
  /** Number of open sockets. */
  readonly open: () => number;
  close(): Promise<void>;
}

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');

/** The authority of the test certificates. */
export const testCa = fixture('ca.pem');

/** `answer` is called for each complete request and may do anything with the socket. */
export async function rawReceiver(
  answer: (socket: Socket, request: string) => void,
  options: { readonly certificate?: 'server.pem' | 'expired.pem'; readonly protocols?: string[] } = {},
): Promise<RawReceiver> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const serverNames: string[] = [];
  let connections = 0;

  function serve(socket: Socket): void {
    let received = '';
    socket.on('error', () => undefined); // the client may cut it off: that is tested
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const request = completeRequest(received);
      if (request === undefined) return;
      received = received.slice(request.length);
      requests.push(request);
      answer(socket, request);
    });
  }

  const { certificate, protocols } = options;
  const server =
    certificate === undefined
      ? net.createServer(serve)
      : tls.createServer(
          {
            cert: fixture(certificate),
            key: fixture('server-key.pem'),
            ...(protocols ? { ALPNProtocols: protocols } : {}),
          },
          serve,
        );
  server.on('secureConnection', (socket: tls.TLSSocket) => {
    serverNames.push(String((socket as { servername?: unknown }).servername));
  });
  server.on('tlsClientError', () => undefined); // a client that does not trust us hangs up
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    requests,
    serverNames,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function completeRequest(text: string): string | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, headEnd))?.[1] ?? 0);
  const end = headEnd + 4 + length;
  return text.length >= end ? text.slice(0, end) : undefined;
}

/** An answer as it goes over the wire, with its length. */
export function httpAnswer(status: number, body = '', headers: Record<string, string> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status} Text\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
