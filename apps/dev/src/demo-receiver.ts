// The receiver of the demo webhook: prints what arrives and whether its signature is right. Runs
// inside `npm start`, as long as it does. It does what the guide of the voice API asks of a
// receiver, and nothing else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

/** No delivery of ours is larger. */
const BODY_BYTES_MAX = 1024 * 1024;

export interface DemoReceiver {
  readonly url: string;
  close(): Promise<void>;
}

/** @throws the error of `listen` when the port is taken. */
export async function startDemoReceiver(options: {
  readonly port: number;
  readonly secret: string;
  readonly print: (line: string) => void;
}): Promise<DemoReceiver> {
  const { port, secret, print } = options;
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const verified = isSignedBy(secret, body, request.headers['x-signature-256']);
        print(describe(body, verified));
        response.writeHead(verified ? 204 : 401).end();
      },
      () => request.destroy(), // the sender went away, or sends without end
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${port}/parley`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** `sha256=` and the hex HMAC of the raw body (docs/voice-api.md#signatures). */
function isSignedBy(secret: string, body: Buffer, header: string | string[] | undefined): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(String(header));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function describe(body: Buffer, verified: boolean): string {
  if (!verified) return '  webhook: refused, its signature is not ours';
  const { event, id, data } = JSON.parse(body.toString('utf8')) as {
    event: string;
    id: string;
    data?: { conversation_id?: string; text?: string };
  };
  const about = [data?.conversation_id, data?.text && JSON.stringify(data.text)].filter(Boolean).join(' ');
  return `  webhook: ${event} ${about} (${id}, signature right)`;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
