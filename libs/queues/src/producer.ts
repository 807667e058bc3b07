// Puts jobs into a queue.
import { type Clock, type Log, within } from '@parley/runtime';
import { COMMAND_TIMEOUT_MS, type Engine } from './engine/engine.ts';
import { jobIdOf, jobOptions, type JobKind } from './job-kind.ts';
import type { QueueRecorder } from './recorder.ts';
import { occasionally } from './timing.ts';

/** One ring of the bell for one row. */
export interface Ring<Payload> {
  /** The row's id. */
  readonly row: string;
  /** The row's own attempt counter; 1 for a message. */
  readonly attempt: number;
  /** How often this attempt was rung again; a ring number that was used before is dropped as a repeat. */
  readonly ring: number;
  readonly payload: Payload;
  /** Not before so many milliseconds from now. */
  readonly delayMs?: number;
}

export interface Producer<Payload> {
  /**
   * Rings for rows that are committed. True when all were put into the queue; false, within seconds, when the engine is
   * away: nothing is lost, because the row is there and its sweeper rings again. Never throws.
   */
  ring(rings: readonly Ring<Payload>[]): Promise<boolean>;
}

/** Jobs in one command; more would hold up the engine's other clients. */
const ADD_BATCH_MAX = 500;

export interface ProducerOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
  readonly recorder: QueueRecorder;
}

export function createProducer<Payload>(
  { engine, clock, log, recorder }: ProducerOptions,
  kind: JobKind<Payload>,
): Producer<Payload> {
  const report = occasionally((error: unknown) =>
    log.warn({ err: error, queue: kind.queue, job: kind.name }, 'queue.ring_failed'),
  );

  async function add(rings: readonly Ring<Payload>[]): Promise<boolean> {
    const queue = await engine.queue(kind.queue);
    if (!queue) return false;
    const nowMs = clock();
    const jobs = rings.map(({ row, attempt, ring, payload, delayMs = 0 }) => ({
      name: kind.name,
      data: payload,
      opts: jobOptions(kind, jobIdOf(row, attempt, ring), delayMs, nowMs),
    }));
    const [only] = jobs;
    const added =
      only && jobs.length === 1 ? queue.add(only.name, only.data, only.opts) : queue.addBulk(jobs);
    await within<unknown>(added, COMMAND_TIMEOUT_MS);
    return true;
  }

  return {
    ring: async (rings) => {
      for (let from = 0; from < rings.length; from += ADD_BATCH_MAX) {
        const batch = rings.slice(from, from + ADD_BATCH_MAX);
        const rung = await add(batch).catch((error: unknown) => (report(error), false));
        const outcome = rung ? 'rung' : 'away';
        recorder.onRing?.({ queue: kind.queue, job: kind.name, outcome, count: batch.length });
        if (!rung) return false; // the rest would wait for the same time-out
      }
      return true;
    },
  };
}
