// Attacks on requests that the console forwards: it may neither buffer them nor wait for them. The
// other tenant reaches the flow builder through the console.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { times, type Attack, type AttackContext } from './attack.ts';
import { sendSlowBody } from './floods.ts';
import { toCredentialHeader, type Answer } from './send.ts';

const service = 'console';
const BODY_BYTES = 8 * 1024 * 1024;
const CHUNKED_BYTES_MAX = 256 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 'x');
const SLOW_BODIES = 200;
const HEADERS = 2_000;
const ANSWER_WITHIN_MS = 60_000;

export const consoleAttacks: readonly Attack[] = [
  {
    name: 'a body of 8 MiB, passed on',
    service,
    request: () => ({ method: 'POST', path: '/v1/flows', body: { name: 'x'.repeat(BODY_BYTES) } }),
    expected: [413],
  },
  {
    name: 'a chunked body without an end',
    service,
    load: (field) => sendRaw(field, ['transfer-encoding: chunked'], writeWithoutEnd),
    expected: [413],
  },
  {
    name: `${HEADERS} headers`,
    service,
    load: (field) =>
      sendRaw(
        field,
        times(HEADERS, (place) => `x-h${place}: ${'y'.repeat(60)}`),
      ),
    expected: [431],
  },
  {
    name: `${SLOW_BODIES} bodies that come a byte a second, passed on`,
    service,
    load: async (field) => {
      const answers = await Promise.all(times(SLOW_BODIES, () => sendSlowBody(field)));
      return answers.find(({ status }) => status !== 408) ?? answers[0]!;
    },
    expected: [408],
  },
];

/** Writes a request by hand and returns the status. */
async function sendRaw(
  { origin, key }: AttackContext,
  headers: readonly string[],
  feed?: (write: (bytes: Buffer | string) => Promise<void>) => Promise<void>,
): Promise<Answer> {
  const { hostname, port, pathname } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString('latin1')));
  socket.on('error', () => undefined); // an answer before the error counts
  const credential = Object.entries(toCredentialHeader(key)).map((header) => header.join(': '));
  const head = [`POST ${pathname}/v1/flows HTTP/1.1`, `host: ${hostname}`, ...credential, ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const answered = () => text !== '' || socket.destroyed;
  await feed?.(async (bytes) => {
    if (answered()) throw new ResponseReceived();
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), sleep(1_000)]);
  }).catch((error: unknown) => {
    if (!(error instanceof ResponseReceived)) throw error;
  });
  const until = performance.now() + ANSWER_WITHIN_MS;
  while (!answered() && performance.now() < until) await sleep(20);
  socket.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text };
}

class ResponseReceived extends Error {}

async function writeWithoutEnd(write: (bytes: Buffer | string) => Promise<void>): Promise<void> {
  const size = `${CHUNK.length.toString(16)}\r\n`;
  for (let sent = 0; sent < CHUNKED_BYTES_MAX; sent += CHUNK.length)
    await write(Buffer.concat([Buffer.from(size), CHUNK, Buffer.from('\r\n')]));
}
