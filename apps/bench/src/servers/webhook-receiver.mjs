// The customers' side of the voice suite: checks the signature of every delivery and answers 200.
// Is told by message what to count, and answers with the counts.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.argv[2];
/** Paths that never answer, and the answers that wait there. */
let dead = new Set();
const hanging = [];
let seen = new Set();
const bare = new Set();
let state = fresh();

function fresh() {
  return { received: 0, repeated: 0, wrong: 0, arrivals: [], samples: [], keep: 0, expected: Infinity };
}

/** The same as sentAtOf in voice/event-batches.ts. */
function sentAt(body) {
  const found = /"conversation_id":"conv_(\d+)-(\d{3})_/.exec(body);
  return found ? Number(`${found[1]}.${found[2]}`) : undefined;
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const atMs = performance.timeOrigin + performance.now();
    const { headers, url } = request;
    if (dead.has(url)) {
      hanging.push(response);
      return;
    }
    const body = Buffer.concat(chunks);
    const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const right = headers['x-signature-256'] === expected;
    response.writeHead(right ? 200 : 401, { 'content-length': 0 });
    response.end();
    const key = `${url} ${headers['webhook-id']}`;
    if (!right) state.wrong += 1;
    // The bare loop posts the same ones again and again: they are looked up like the others, and
    // not counted.
    else if (url.startsWith('/bare')) bare.add(key);
    else count(key, body, headers, atMs);
  });
});

function count(key, body, headers, atMs) {
  if (seen.has(key)) {
    state.repeated += 1;
    return;
  }
  seen.add(key);
  state.received += 1;
  if (state.expected === Infinity) {
    // Only then are times asked for: while rates are compared, the bare loop's posts are not read
    // either.
    const sentAtMs = sentAt(body.toString('latin1'));
    if (sentAtMs !== undefined) state.arrivals.push([sentAtMs, atMs]);
  }
  if (state.samples.length < state.keep) state.samples.push({ body: body.toString('utf8'), headers });
  if (state.received === state.expected) tell(atMs);
}

function tell(atMs) {
  const { received, repeated, wrong, arrivals, samples } = state;
  process.send({ received, repeated, wrong, arrivals, samples, lastAtMs: atMs });
  state.expected = Infinity;
}

process.on('message', (message) => {
  if (message.dead !== undefined) {
    dead = new Set(message.dead);
    for (const response of hanging.splice(0)) response.writeHead(200, { 'content-length': 0 }).end();
    process.send({});
    return;
  }
  if (message.now) {
    tell(performance.timeOrigin + performance.now());
    return;
  }
  // From here on: what comes is counted anew, and told when it is as many.
  state = { ...fresh(), expected: message.expected ?? Infinity, keep: message.keep ?? 0 };
  seen = new Set();
});
process.on('disconnect', () => process.exit());
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
