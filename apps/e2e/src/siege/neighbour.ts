// The organisation that must not notice, with its receiver, in a process of its own: it does not wait for what the
// siege itself does for an attack.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@parley/local-stack';

/** Milliseconds, from when a request was due. */
export interface Watched {
  readonly requests: readonly number[];
  readonly deliveries: readonly number[];
  readonly healthMsWorst: number;
  /** How long the neighbour's process stood still itself: so much of the figures may be its own. */
  readonly ownLagMs: number;
  /** What the neighbour was answered instead of success. */
  readonly refused: readonly string[];
  /** Deliveries that did not come. */
  readonly missing: number;
}

export interface Neighbour {
  /** It goes on at a steady pace while `work` does, and waits for what it began. */
  watch(signal: AbortSignal, work: () => Promise<void>): Promise<Watched>;
  close(): Promise<void>;
}

export interface At {
  readonly service: ServiceName;
  readonly origin: string;
  readonly key: string;
}

export type Told = { readonly settle: At } | 'begin' | 'end';
export type Answered = { readonly done?: Watched } | { readonly failed: string };

/** Settled in, and ready to be watched. */
export async function startNeighbour(at: At): Promise<Neighbour> {
  const file = fileURLToPath(new URL('./neighbour-process.ts', import.meta.url));
  const child = fork(file, { execArgv: ['--import', 'tsx'] });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the process of the neighbour has ended');
  });
  ended.catch(() => undefined); // it is closed
  async function tell(told: Told, signal?: AbortSignal): Promise<Watched | undefined> {
    child.send(told);
    const [answered] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Answered];
    if ('failed' in answered) throw new Error(`the neighbour: ${answered.failed}`);
    return answered.done;
  }
  await tell({ settle: at });
  return {
    watch: async (signal, work) => {
      await tell('begin', signal);
      await work();
      return (await tell('end', signal))!;
    },
    close: async () => {
      child.kill();
      await ended.catch(() => undefined);
    },
  };
}
