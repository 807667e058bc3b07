// The push service of the notifications suite: TLS, HTTP/2 and HTTP/1.1, 201 after 20 ms. Counts
// what comes and decrypts a sample of it with http_ece. Is told by message what to count, and
// answers with the counts.
import { createECDH } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import ece from 'http_ece';

const ANSWER_AFTER_MS = 20;
const [folder] = process.argv.slice(2);
const pem = (name) => readFileSync(`${folder}/${name}`);
/** Devices whose messages are decrypted: path → key pair and secret. */
const samples = new Map();
let state = { received: 0, wrong: 0, sampled: 0, expected: Infinity };

const server = createSecureServer({
  key: pem('server-key.pem'),
  cert: pem('server.pem'),
  allowHTTP1: true,
  settings: { maxConcurrentStreams: 1000 },
});
server.on('stream', (stream, headers) => {
  stream.on('error', () => undefined); // a sender that is stopped
  take(stream, headers[':path'], headers, () => stream.respond({ ':status': 201 }, { endStream: true }));
});
server.on('request', (request, response) => {
  if (request.httpVersion === '2.0') return; // came as a stream
  take(request, request.url, request.headers, () => response.writeHead(201, { 'content-length': 0 }).end());
});

function take(body, path, headers, answer) {
  const chunks = [];
  body.on('data', (chunk) => chunks.push(chunk));
  body.on('end', () => {
    if (!isRight(path, headers, chunks)) state.wrong += 1;
    setTimeout(() => {
      if (body.destroyed && headers[':path']) return;
      answer();
      state.received += 1;
      if (state.received === state.expected) tell();
    }, ANSWER_AFTER_MS);
  });
}

function isRight(path, headers, chunks) {
  if (headers['content-encoding'] !== 'aes128gcm' || !headers.authorization?.startsWith('vapid t='))
    return false;
  const sample = samples.get(path);
  if (sample === undefined) return chunks.length > 0;
  state.sampled += 1;
  try {
    const { privateKey, authSecret } = sample;
    const text = ece
      .decrypt(Buffer.concat(chunks), { version: 'aes128gcm', privateKey, authSecret })
      .toString();
    return text.includes('"title"');
  } catch {
    return false;
  }
}

function tell() {
  const { received, wrong, sampled } = state;
  process.send({ received, wrong, sampled, lastAtMs: performance.timeOrigin + performance.now() });
  state.expected = Infinity;
}

process.on('message', (message) => {
  if (message.now) return tell();
  for (const { path, privateKey, authSecret } of message.samples ?? []) {
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(privateKey, 'base64url');
    samples.set(path, { privateKey: pair, authSecret });
  }
  state = { received: 0, wrong: 0, sampled: 0, expected: message.expected ?? Infinity };
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
