// Runs heavy work on threads, each with its own heap and a limit of processor time. A job that
// exceeds it is killed with its thread, and the process continues. Organisations take turns in a
// queue; the first job starts the threads.
import type { TransferListItem } from 'node:worker_threads';
import { AppError, unwrapResult, type WorkResult } from '@parley/envelopes';
import { toNoPlaceError, SOON } from '@parley/server/http';
import {
  createFairQueue,
  JobLate,
  JobTooCostly,
  NoPlace,
  startJobThread,
  type CountCpu,
  type JobThread,
  type JobThreadOptions,
} from '@parley/server/runtime';

export interface HeavyThreads<Job, Output> {
  /**
   * Runs a job alone on a thread. Objects in `transfer` move to it. `cpuMs` limits its processor
   * time.
   * @throws AppError errors of the job; request_too_costly, concurrency_limited, unavailable
   */
  run(
    organizationId: string,
    job: Job,
    cpuMs: number,
    transfer?: readonly TransferListItem[],
  ): Promise<Output>;
  close(): Promise<void>;
}

export interface HeavyThreadsOptions extends JobThreadOptions {
  /** Their heaps and that of the process fit into the memory in k8s/base. */
  readonly threads: number;
  /** How long a job waits for a thread before it is refused. */
  readonly waitMs: number;
  /** As of the fair queue. */
  readonly restFactor?: number;
  /** Limit of elapsed time. Default: three times the processor time, at least ten seconds. */
  readonly withinMs?: number;
}

/** Waiting jobs of one organisation, besides the running one. */
const WAITING_OF_ONE_MAX = 8;
const WAITING_MAX = 64;
/** Threads have the lowest priority: a busy machine must give them a third of a core. */
const CLOCK_FACTOR = 3;
const WITHIN_MS_MIN = 10_000;

export function createHeavyThreads<Job, Output>({
  threads,
  waitMs,
  restFactor = 0,
  withinMs,
  ...thread
}: HeavyThreadsOptions): HeavyThreads<Job, Output> {
  const queue = createFairQueue({
    places: threads,
    placesOfOne: 1,
    restFactor,
    waitingOfOne: WAITING_OF_ONE_MAX,
    waiting: WAITING_MAX,
    waitMs,
  });
  const all = new Set<JobThread<Job, WorkResult<Output>>>();

  /** Every place has a thread. */
  function freeThread() {
    for (const one of all) if (one.dead) all.delete(one);
    const free = [...all].find(({ busy }) => !busy) ?? startJobThread<Job, WorkResult<Output>>(thread);
    all.add(free);
    return free;
  }

  return {
    run: async (organizationId, job, cpuMs, transfer) => {
      const bounds = { cpuMs, withinMs: withinMs ?? Math.max(WITHIN_MS_MIN, CLOCK_FACTOR * cpuMs) };
      const work = async (countCpu: CountCpu) => {
        const one = freeThread();
        try {
          return await one.work(job, bounds, transfer);
        } finally {
          countCpu(one.cpuMs);
        }
      };
      const answered = await queue.run(organizationId, work).catch((error: unknown) => {
        if (error instanceof NoPlace) throw toNoPlaceError(error, 'costly requests');
        if (error instanceof JobTooCostly) throw tooCostly(error);
        if (error instanceof JobLate) throw tooLate(error);
        throw error;
      });
      return unwrapResult(answered);
    },
    close: async () => {
      queue.close();
      await Promise.all([...all].map((one) => one.close()));
    },
  };
}

function tooCostly({ cost, bound }: JobTooCostly): AppError {
  const message = `the request takes more than ${bound}`;
  return new AppError('request_too_costly', message, { details: { cost } });
}

function tooLate({ withinMs }: JobLate): AppError {
  return new AppError('unavailable', `the request could not be done within ${withinMs / 1000} seconds`, SOON);
}
