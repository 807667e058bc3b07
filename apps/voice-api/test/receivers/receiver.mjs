// A webhook receiver written only from "Receive a webhook" in ../../README.md, without any package.
//   WEBHOOK_SECRET=whsec_… PORT=4000 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET ?? '';
const TOLERANCE_SECONDS = 5 * 60;
const BODY_BYTES_MAX = 1024 * 1024;

/** In production: a table with a unique key, written in the transaction that does the work. */
const seen = new Set();

function equal(given, expected) {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const sha256 = (text) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

/** 1. The header over the raw body. */
function checkHeader(raw, headers) {
  if (!equal(headers['x-signature-256'], sha256(raw))) throw new Error('X-Signature-256 does not fit');
}

/** 2. The member at the end of the body: cut it off, close the brace, sign the rest. */
function checkMember(raw) {
  const [, body, signature] =
    /^(.*),"signature":"(sha256=[0-9a-f]{64})"\}$/s.exec(raw.toString('utf8')) ?? [];
  if (body === undefined || !equal(signature, sha256(`${body}}`))) throw new Error('signature does not fit');
}

/** 3. Standard Webhooks: id and time are signed too, so an old request cannot be replayed. */
function checkStandard(raw, headers) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_SECONDS))
    throw new Error('webhook-timestamp is stale');
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${time}.`).update(raw).digest('base64')}`;
  if (!signatures.split(' ').some((one) => equal(one, expected)))
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
  checkHeader(raw, request.headers);
  checkMember(raw);
  checkStandard(raw, request.headers);
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
