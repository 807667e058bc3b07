// Raw HTTP, for what a well-behaved client does not do.
import net from 'node:net';

export interface Wire {
  readonly socket: net.Socket;
  /** Everything received so far. */
  text(): string;
  /** Resolves when either side closed the connection. */
  readonly closed: Promise<void>;
  /** Writes, and waits until the kernel has taken it; false when the connection broke. */
  write(data: string | Buffer): Promise<boolean>;
}

/** @throws when nothing listens on the port. */
export async function wireTo(port: number): Promise<Wire> {
  const socket = net.connect(port, '127.0.0.1');
  let received = '';
  let broken = false;
  socket.on('data', (chunk) => (received += chunk.toString('latin1')));
  socket.on('error', () => (broken = true)); // shows as a closed connection
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return {
    socket,
    text: () => received,
    closed,
    write: (data) =>
      new Promise((resolve) => {
        if (broken || socket.destroyed) resolve(false);
        else socket.write(data, (error) => resolve(!error));
      }),
  };
}
