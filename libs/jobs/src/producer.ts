import { within, throttleLog, type Clock, type Log } from '@parley/server/runtime';
import { COMMAND_TIMEOUT_MS, type Engine } from './engine/engine.ts';
import { buildJobId, buildJobOptions, type JobKind } from './job-kind.ts';
import type { QueueRecorder } from './recorder.ts';

/** A job to enqueue for one row. */
export interface NewJob<Payload> {
  /** The row's id. */
  readonly row: string;
  /** The row's attempt counter; 1 for a message. */
  readonly attempt: number;
  /**
   * How often this attempt was re-enqueued. BullMQ drops a number that was used before as a
   * duplicate.
   */
  readonly enqueueNumber: number;
  readonly payload: Payload;
  /** Minimum delay (ms). */
  readonly delayMs?: number;
}

export interface Producer<Payload> {
  /**
   * Enqueues jobs for committed rows. True when all were added; false, within seconds, when the
   * engine is away. Nothing is lost then: the sweeper re-enqueues the rows. Never throws.
   */
  enqueue(newJobs: readonly NewJob<Payload>[]): Promise<boolean>;
}

/** Jobs in one command. More would delay other clients of the engine. */
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
  const report = throttleLog((error: unknown) =>
    log.warn({ err: error, queue: kind.queue, job: kind.name }, 'queue.ring_failed'),
  );

  async function add(newJobs: readonly NewJob<Payload>[]): Promise<boolean> {
    const queue = await engine.queue(kind.queue);
    if (!queue) return false;
    const nowMs = clock();
    const jobs = newJobs.map(({ row, attempt, enqueueNumber, payload, delayMs = 0 }) => ({
      name: kind.name,
      data: payload,
      opts: buildJobOptions(kind, buildJobId(row, attempt, enqueueNumber), delayMs, nowMs),
    }));
    const [only] = jobs;
    const added =
      only && jobs.length === 1 ? queue.add(only.name, only.data, only.opts) : queue.addBulk(jobs);
    await within<unknown>(added, COMMAND_TIMEOUT_MS);
    return true;
  }

  return {
    enqueue: async (newJobs) => {
      for (let from = 0; from < newJobs.length; from += ADD_BATCH_MAX) {
        const batch = newJobs.slice(from, from + ADD_BATCH_MAX);
        let refusal: string | undefined;
        const isEnqueued = await add(batch).catch((error: unknown) => {
          report(error);
          if (error instanceof Error && error.name === 'ReplyError') refusal = error.message;
          return false;
        });
        const outcome = isEnqueued ? 'rung' : refusal === undefined ? 'away' : 'refused';
        const facts = { queue: kind.queue, job: kind.name, outcome, count: batch.length } as const;
        recorder.onEnqueue?.(refusal === undefined ? facts : { ...facts, refusal });
        if (!isEnqueued) return false; // the rest would wait for the same timeout
      }
      return true;
    },
  };
}
