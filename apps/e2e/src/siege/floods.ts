// Floods: requests that are harmless one by one, from a key on the smallest plan, and bodies that
// arrive slowly.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { times, type Attack, type AttackContext } from './attack.ts';
import { toCredentialHeader, type Answer, type AttackRequest } from './send.ts';

const service = 'flow-builder';
/** The starter plan's requests a minute, and a thousand more. */
const ADMITTED = 30_000;
const REQUESTS = ADMITTED + 1_000;
const MINUTE_MS = 60_000;
/** Fast enough to finish within the minute. */
const REQUESTS_PER_MS = 1.5;
const EVERY_MS = 5;
/** Below starter's limit of requests in flight. */
const IN_FLIGHT_MAX = 150;
const SLOW_BODIES = 200;

const execute: AttackRequest = { method: 'POST', path: '/v1/flows/siege-flood/execute', body: {} };

export const floods: readonly Attack[] = [
  {
    name: '31,000 executes a minute with one key',
    service,
    plan: 'starter',
    once: true, // it uses up its minute
    prepare: () => [
      {
        method: 'POST',
        path: '/v1/flows',
        body: {
          flow_id: 'siege-flood',
          definition: { nodes: [{ id: 'e', type: 'end', message: 'Bye.' }], edges: [] },
        },
      },
    ],
    load: flood,
    expected: [429],
    says: /rate_limited/,
  },
  {
    name: `${SLOW_BODIES} bodies that come a byte a second`,
    service,
    load: async (field) => {
      const answers = await Promise.all(times(SLOW_BODIES, () => sendSlowBody(field)));
      return answers.find(({ status }) => status !== 408) ?? answers[0]!;
    },
    expected: [408],
  },
];

/** Returns the last answer. */
async function flood({ ask }: AttackContext): Promise<Answer> {
  const counts = new Map<number, number>();
  const inFlight = new Set<Promise<void>>();
  let last: Answer = { status: 0, text: '' };
  const started = performance.now();
  for (let sent = 0; sent < REQUESTS; await sleep(EVERY_MS)) {
    const due = Math.min(REQUESTS, (performance.now() - started) * REQUESTS_PER_MS);
    for (; sent < due && inFlight.size < IN_FLIGHT_MAX; sent += 1) {
      const asked = ask(execute).then((answer) => {
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        last = answer;
        inFlight.delete(asked);
      });
      inFlight.add(asked);
    }
  }
  await Promise.all(inFlight);
  const tookMs = performance.now() - started;
  // Creating the flow counts as a request too. On a slow machine the minute passes before the last
  // one.
  const admitted = counts.get(200) ?? 0;
  if (tookMs < MINUTE_MS && (admitted > ADMITTED || admitted < ADMITTED - 1))
    throw new Error(`${admitted} admitted in ${tookMs.toFixed(0)} ms: ${JSON.stringify([...counts])}`);
  if (tookMs >= MINUTE_MS) throw new Error(`sent in ${tookMs.toFixed(0)} ms: too slowly to be refused`);
  return last;
}

export async function sendSlowBody({ origin, key }: AttackContext): Promise<Answer> {
  const { hostname, port, pathname } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  const head = [
    `POST ${pathname.replace(/\/$/, '')}/v1/flows HTTP/1.1`,
    `host: ${hostname}`,
    ...Object.entries(toCredentialHeader(key)).map((header) => header.join(': ')),
    'content-type: application/json',
    'content-length: 1000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  const drip = setInterval(() => socket.write(' '), 1_000);
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(MINUTE_MS) });
  await closed.catch(() => socket.destroy()); // an answer before the error counts
  clearInterval(drip);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text };
}
