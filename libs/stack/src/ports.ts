// Looks at loopback ports before anything is started on them. Called by startStack and the servers in this library.
import { createServer } from 'node:net';

/** Every port is tried on this address: all that a development stack starts listens on loopback only. */
export const LOOPBACK = '127.0.0.1';

/** A port that was free a moment ago. The one who uses it must still expect to find it taken. */
export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === null) throw new Error(`There is no free port on ${LOOPBACK}.`);
  return port;
}

/** Throws an error that names every port of `wanted` (name → port) that something else listens on. */
export async function refuseTakenPorts(wanted: ReadonlyMap<string, number>): Promise<void> {
  const taken: string[] = [];
  for (const [name, port] of wanted) {
    if ((await tryPort(port)) === null) taken.push(`${port} (for ${name})`);
  }
  if (taken.length === 0) return;
  throw new Error(
    `Port ${taken.join(' and port ')} is taken by another program. Stop it, or choose other ports: PORT_BASE=4001 npm start`,
  );
}

/** Listens and stops again: the port's number, or null when it is taken or may not be used. */
function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}
