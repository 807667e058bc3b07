// Runs heavy jobs on threads, each with its own bounded heap and a deadline: what takes too long or too much is killed with its thread,
// and the process goes on. In front stands a queue in which organisations take turns. Made once a process; threads are started by the
// first job and closed with the service.
import { AppError } from '@parley/envelopes';
import { createFairQueue, NoPlace } from '@parley/runtime';
import type { HeavyInput, HeavyJob, HeavyOutput } from './heavy-jobs.ts';
import { startThread, type Thread } from './killable-thread.ts';

export interface HeavyWork {
  /** @throws AppError what the job refuses; request_too_costly, concurrency_limited, unavailable */
  run<Job extends HeavyJob>(
    organizationId: string,
    job: Job,
    input: HeavyInput<Job>,
  ): Promise<HeavyOutput<Job>>;
  close(): Promise<void>;
}

export interface HeavyWorkOptions {
  /** With the heap of the process these fit into the memory that k8s/base gives it. */
  readonly threads: number;
  readonly heapMb: number;
  /** Wall clock of one job: longer than the largest legal flow takes on a busy machine. */
  readonly deadlineMs: number;
  /** The same of a job that searches through a flow for conversations: seconds on a flow of 10,000 nodes. */
  readonly searchDeadlineMs: number;
  /** How long a job waits for a thread: who asked is better told than kept. */
  readonly waitMs: number;
}

const usual: HeavyWorkOptions = {
  threads: 2,
  heapMb: 128,
  deadlineMs: 10_000,
  searchDeadlineMs: 30_000,
  waitMs: 10_000,
};
/** Of one organisation, beside the one that runs. */
const WAITING_OF_ONE_MAX = 8;
const WAITING_MAX = 64;

export function createHeavyWork(options: Partial<HeavyWorkOptions> = {}): HeavyWork {
  const { threads, waitMs, ...bounds } = { ...usual, ...options };
  const queue = createFairQueue({
    places: threads,
    placesOfOne: 1,
    waitingOfOne: WAITING_OF_ONE_MAX,
    waiting: WAITING_MAX,
    waitMs,
  });
  const all = new Set<Thread>();

  /** There is one for every place. */
  function freeThread(): Thread {
    for (const thread of all) if (thread.dead) all.delete(thread);
    const thread = [...all].find(({ busy }) => !busy) ?? startThread(bounds);
    all.add(thread);
    return thread;
  }

  return {
    run: async (organizationId, job, input) => {
      const work = () => freeThread().work({ job, input: JSON.stringify(input) });
      const output = await queue.run(organizationId, work).catch((error: unknown) => {
        throw error instanceof NoPlace ? refusalOf(error) : error;
      });
      return JSON.parse(output) as HeavyOutput<typeof job>;
    },
    close: async () => {
      queue.close();
      await Promise.all([...all].map((thread) => thread.close()));
    },
  };
}

function refusalOf({ reason }: NoPlace): AppError {
  const retry = { headers: { 'retry-after': '2' } };
  if (reason === 'too_many_of_one')
    return new AppError('concurrency_limited', 'too many costly requests of the organisation wait', retry);
  const why = reason === 'too_many' ? 'too many costly requests wait' : 'other costly requests took too long';
  return new AppError('unavailable', why, retry);
}
