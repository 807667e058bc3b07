// Heavy work on threads, each with its own bounded heap and a deadline of processor time: what takes too much is killed with its thread,
// and the process goes on. In front stands a queue in which organisations take turns. Threads are started by the first job.
import type { TransferListItem } from 'node:worker_threads';
import { AppError, outputOf, type Answered } from '@parley/envelopes';
import { noPlace, SOON } from '@parley/http';
import {
  createFairQueue,
  JobLate,
  JobTooCostly,
  NoPlace,
  startJobThread,
  type CountCpu,
  type JobThread,
  type JobThreadOptions,
} from '@parley/runtime';

export interface HeavyThreads<Job, Output> {
  /**
   * What comes of the job, which a thread has for itself. What `transfer` names is the thread's from then on. `cpuMs`: the processor
   * time that it may take.
   * @throws AppError what the job refuses; request_too_costly, concurrency_limited, unavailable
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
  /** With the heap of the process these fit into the memory that k8s/base gives it. */
  readonly threads: number;
  /** How long a job waits for a thread: who asked is better told than kept. */
  readonly waitMs: number;
  /** As of the fair queue. */
  readonly restFactor?: number;
  /** How long a job may take on the clock. Default: thrice its processor time, and ten seconds at least. */
  readonly withinMs?: number;
}

/** Of one organisation, beside the one that runs. */
const WAITING_OF_ONE_MAX = 8;
const WAITING_MAX = 64;
/** A thread stands behind everything else: a busy machine gives it a third of a core, or it is not served in time. */
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
  const all = new Set<JobThread<Job, Answered<Output>>>();

  /** There is one for every place. */
  function freeThread() {
    for (const one of all) if (one.dead) all.delete(one);
    const free = [...all].find(({ busy }) => !busy) ?? startJobThread<Job, Answered<Output>>(thread);
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
        if (error instanceof NoPlace) throw noPlace(error, 'costly requests');
        if (error instanceof JobTooCostly) throw tooCostly(error);
        if (error instanceof JobLate) throw tooLate(error);
        throw error;
      });
      return outputOf(answered);
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
