// Servers under load: the same generator, connections and bodies for each, answers checked.
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTimer } from './cpu-time.ts';
import type { Variant, Window } from './harness.ts';
import { LOAD_CORE, startPinned } from './pinned-process.ts';

/** As many callers at once; every one of them waits for its answer before it sends again. */
export const CONNECTIONS = 50;
/** A server that does not listen by then never will. */
const LISTENS_WITHIN_MS = 20_000;

export interface Aim {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent one after the other, by every connection; `[<id>]` is another text in every request. */
  readonly bodies: readonly string[];
  /** Stands in every right answer. */
  readonly marker: string;
}

type Counts =
  { answered: number; refused: number; failed: number; wrong: number; seconds: number } | { error: string };

export interface Load {
  readonly pid: number;
  /**
   * Answers that were right; as many a second as are asked for, or as the server gives. @throws
   * Error when any was not.
   */
  fire(aim: Aim, seconds: number, perSecond?: number): Promise<{ operations: number; seconds: number }>;
  stop(): Promise<void>;
}

export function startLoad(pin: boolean, env: Readonly<Record<string, string | undefined>>): Load {
  const { child, pid, stop } = startPinned({
    file: serverFile('load'),
    core: LOAD_CORE,
    pin,
    env: { PATH: env['PATH'] },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    pid,
    stop,
    fire: async (aim, seconds, perSecond) => {
      child.send({ ...aim, seconds, perSecond, connections: CONNECTIONS });
      const counts = await new Promise<Counts>((resolve, reject) => {
        const gone = (): void => reject(new Error('the load generator ended'));
        child.once('exit', gone);
        child.once('message', (message) => {
          child.off('exit', gone);
          resolve(message as Counts);
        });
      });
      if ('error' in counts) throw new Error(`${aim.url}: ${counts.error}`);
      const { answered, refused, failed, wrong } = counts;
      if (refused + failed + wrong > 0 || answered === 0) {
        throw new Error(
          `${aim.url}: ${answered} answered, ${refused} refused, ${failed} failed, ${wrong} wrong`,
        );
      }
      return { operations: answered, seconds: counts.seconds };
    },
  };
}

/** A server as a variant: its rate under the load, and the CPU time of its process a request. */
export function underLoad(name: string, load: Load, serverPid: number, aim: Aim): Variant {
  return {
    name,
    run: async (seconds): Promise<Window> => {
      const cpu = cpuTimer([serverPid]);
      const fired = await load.fire(aim, seconds);
      return { ...fired, cpuSeconds: cpu() };
    },
  };
}

export function serverFile(name: string): string {
  return fileURLToPath(new URL(`./servers/${name}.mjs`, import.meta.url));
}

/** Waits until a connection to the address is accepted. */
export async function untilListening(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const deadline = performance.now() + LISTENS_WITHIN_MS;
  while (!(await accepts(hostname, Number(port)))) {
    if (performance.now() > deadline) throw new Error(`nothing listens at ${url}`);
    await sleep(20);
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
