// A store for tests: s3rver, which keeps objects and answers ranges as S3 does. It does not check
// signatures of version 4, so AWS's own signer checks them before.
import { createHash, createHmac } from 'node:crypto';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignatureV4 } from '@smithy/signature-v4';
import S3rver from 's3rver';

export interface SignedStore {
  readonly url: string;
  close(): Promise<void>;
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** s3rver knows one access key, `S3RVER`. */
export async function startStore(
  directory: string,
  buckets: readonly string[],
  credentials: Credentials,
): Promise<SignedStore> {
  const objects = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: buckets.map((name) => ({ name, configs: [] })),
  });
  const { port } = await objects.run();
  const server = createServer((request, response) => {
    void (async () => {
      if (await isSigned(request, credentials)) passOn(request, response, port);
      else response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    })();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await objects.close();
    },
  };
}

function passOn(request: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = request;
  const upstream = forward({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  request.pipe(upstream);
}

/** SHA-256, and HMAC with a secret. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array);
  }
  update(data: Uint8Array | string) {
    this.#hash.update(data);
  }
  digest() {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
  reset() {
    throw new Error('not used');
  }
}

async function isSigned(request: IncomingMessage, credentials: Credentials): Promise<boolean> {
  const url = new URL(request.url ?? '', 'http://127.0.0.1');
  const query = Object.fromEntries(url.searchParams);
  const authorization = request.headers.authorization ?? '';
  const given = query['X-Amz-Signature'] ?? /Signature=([0-9a-f]{64})$/.exec(authorization)?.[1];
  const credential = query['X-Amz-Credential'] ?? /Credential=([^,]+)/.exec(authorization)?.[1] ?? '';
  const names = query['X-Amz-SignedHeaders'] ?? /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '';
  const date = query['X-Amz-Date'] ?? String(request.headers['x-amz-date']);
  const [accessKeyId, , region = ''] = credential.split('/');
  const signingDate = new Date(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const expiresIn = Number(query['X-Amz-Expires'] ?? 900);
  const isFresh = Math.abs(Date.now() - signingDate.getTime()) <= expiresIn * 1_000;
  if (given === undefined || accessKeyId !== credentials.accessKeyId || !isFresh) return false;
  const signer = new SignatureV4({
    credentials,
    region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const headers = Object.fromEntries(names.split(';').map((name) => [name, String(request.headers[name])]));
  const plain = {
    method: request.method ?? 'GET',
    protocol: 'http:',
    hostname: '127.0.0.1',
    path: url.pathname,
    headers,
    query: Object.fromEntries(Object.entries(query).filter(([name]) => !name.startsWith('X-Amz-'))),
  };
  if (query['X-Amz-Signature'] === undefined) {
    const signed = await signer.sign(plain, { signingDate, signableHeaders: new Set(names.split(';')) });
    return String(signed.headers['authorization']).endsWith(given);
  }
  const payload = 'x-amz-content-sha256';
  const presigned = await signer.presign(
    { ...plain, headers: { ...headers, [payload]: 'UNSIGNED-PAYLOAD' } },
    { signingDate, expiresIn, unhoistableHeaders: new Set([payload]), unsignableHeaders: new Set([payload]) },
  );
  return presigned.query?.['X-Amz-Signature'] === given;
}
