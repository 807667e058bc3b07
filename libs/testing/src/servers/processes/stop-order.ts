// Knows what a stack has started, and stops it in order: services, queue engine, Postgres.
import { describeExit } from './start-process.ts';
import type { RunningProcess } from './start-process.ts';

/** What ends first is named first: a service still needs the other two while it ends. */
const STAGES = ['service', 'queue', 'postgres'] as const;
type Stage = (typeof STAGES)[number];

/** A server that ended though nobody stopped it. */
export interface UnexpectedEnd {
  readonly name: string;
  /** How it ended, with the end of its log. */
  readonly text: string;
}

export interface StopOrder {
  /** Takes a running server on; returns it. */
  add<T extends RunningProcess>(stage: Stage, running: T): T;
  readonly unexpectedEnd: Promise<UnexpectedEnd>;
  /** Stops everything added so far; what is added later needs another call. */
  stop(): Promise<void>;
}

export function createStopOrder(): StopOrder {
  const stages: Record<Stage, RunningProcess[]> = { service: [], queue: [], postgres: [] };
  let stopping = false;
  let report: (end: UnexpectedEnd) => void;
  const unexpectedEnd = new Promise<UnexpectedEnd>((resolve) => (report = resolve));
  return {
    unexpectedEnd,
    add: (stage, running) => {
      stages[stage].push(running);
      void running.exited.then((exit) => {
        if (!stopping) report({ name: running.name, text: `${describeExit(exit)}. ${running.tail()}` });
      });
      return running;
    },
    stop: async () => {
      stopping = true;
      for (const stage of STAGES) await Promise.all(stages[stage].map((running) => running.stop()));
    },
  };
}
