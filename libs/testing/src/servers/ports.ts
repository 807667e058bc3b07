// Looks at loopback ports before anything is started on them.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Every port is tried on this address: all that a development stack starts listens on loopback
 * only.
 */
export const LOOPBACK = '127.0.0.1';

/**
 * Where free ports are looked for: below the ports that systems give to outgoing connections (from
 * 32768 or 49152), so that none of those takes a port between our look and the server's start.
 */
const FREE_PORT_MIN = 15_000;
const FREE_PORT_MAX = 29_999;
const FREE_PORT_TRIES_MAX = 200;

/**
 * A port that was free a moment ago, and the `count - 1` after it. The one who uses it must still
 * expect to find it taken.
 */
export async function freePort(count = 1): Promise<number> {
  for (let tries = 0; tries < FREE_PORT_TRIES_MAX; tries += 1) {
    const port = randomInt(FREE_PORT_MIN, FREE_PORT_MAX + 2 - count);
    const all = Array.from({ length: count }, (_, index) => isFree(port + index));
    if ((await Promise.all(all)).every(Boolean)) return port;
  }
  throw new Error(`No free port was found on ${LOOPBACK} between ${FREE_PORT_MIN} and ${FREE_PORT_MAX}.`);
}

/**
 * Throws an error that names every port of `wanted` (name → port) that something else listens on.
 */
export async function refuseTakenPorts(wanted: ReadonlyMap<string, number>): Promise<void> {
  const taken: string[] = [];
  for (const [name, port] of wanted) {
    if (!(await isFree(port))) taken.push(`${port} (for ${name})`);
  }
  if (taken.length === 0) return;
  throw new Error(
    `Port ${taken.join(' and port ')} is taken by another program. Stop it, or choose other ports: PORT_BASE=4001 npm start`,
  );
}

/** Listens and stops again: false when the port is taken or may not be used. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
}
