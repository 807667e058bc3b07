// A webhook receiver without a secret: it verifies `v1a` signatures with the public keys of its
// webhook. Written from "Receive a webhook" in ../../README.md. `npm install @noble/ed25519`, an
// implementation other than the signing one.
//   WEBHOOK_KEYS=https://…/.well-known/webhook-keys/wh_… PORT=4000 node receiver-asymmetric.mjs
import { createServer } from 'node:http';
import { verifyAsync } from '@noble/ed25519';

const TOLERANCE_SECONDS = 5 * 60;
const BODY_BYTES_MAX = 1024 * 1024;
/**
 * Two keys during a rotation. In production: fetch them again, at most once a minute, when none
 * matches.
 */
const { keys } = await (await fetch(process.env.WEBHOOK_KEYS)).json();
const publicKeys = keys.map(({ x }) => Buffer.from(x, 'base64url'));

/** In production: a table with a unique key, written in the transaction that does the work. */
const seen = new Set();

async function check(raw, headers) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_SECONDS))
    throw new Error('webhook-timestamp is stale');
  const signed = Buffer.concat([Buffer.from(`${id}.${time}.`), raw]);
  for (const one of signatures.split(' ')) {
    if (!one.startsWith('v1a,')) continue;
    const signature = Buffer.from(one.slice('v1a,'.length), 'base64');
    for (const key of publicKeys) if (await verifyAsync(signature, signed, key)) return;
  }
  throw new Error('webhook-signature does not fit');
}

async function receive(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  const raw = Buffer.concat(chunks); // the raw bytes: verify before you parse
  await check(raw, request.headers);
  const event = JSON.parse(raw.toString('utf8'));
  if (seen.has(event.id)) return `repeated ${event.id}`;
  seen.add(event.id);
  return `accepted ${event.event} ${event.id}`;
}

const server = createServer((request, response) => {
  receive(request).then(
    (outcome) => {
      response.writeHead(204).end(); // answer first, then work
      console.log(outcome);
    },
    (error) => {
      response.writeHead(400).end();
      console.log(`refused: ${error.message}`);
    },
  );
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}/`),
);
