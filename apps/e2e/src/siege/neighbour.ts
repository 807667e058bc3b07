// The organisation that must not notice, with its receiver, in a process of its own.
import type { Besieged } from './attack.ts';
import { startOther } from './other-process.ts';

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
  readonly service: Besieged;
  readonly origin: string;
  /** An API key, or the cookie of a session of the console. */
  readonly key: string;
  readonly healthUrl: string;
}

export type Told = { readonly settle: At } | 'begin' | 'end';

/** Settled in, and ready to be watched. */
export async function startNeighbour(at: At): Promise<Neighbour> {
  const { tell, close } = startOther<Told, Watched | undefined>('neighbour-process');
  await tell({ settle: at });
  return {
    watch: async (signal, work) => {
      await tell('begin', signal);
      await work();
      return (await tell('end', signal))!;
    },
    close,
  };
}
