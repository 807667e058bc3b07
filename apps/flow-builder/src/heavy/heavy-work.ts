// Runs heavy jobs on threads, each with its own bounded heap and a deadline: what takes too long or too much is killed with its thread,
// and the process goes on. In front stands a queue in which organisations take turns, so that one of them never waits for another's
// ten requests. Made once a process; threads are started by the first job and closed with the service.
import { AppError } from '@parley/envelopes';
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
const retry = { headers: { 'retry-after': '2' } };

interface Waiting {
  readonly organizationId: string;
  readonly job: HeavyJob;
  /** JSON. */
  readonly input: string;
  /** Ends the wait. */
  readonly timer: NodeJS.Timeout;
  resolve(output: string): void;
  reject(error: unknown): void;
}

export function createHeavyWork(options: Partial<HeavyWorkOptions> = {}): HeavyWork {
  const { threads, waitMs, ...bounds } = { ...usual, ...options };
  /** By organisation, in the order in which they take turns. */
  const queues = new Map<string, Waiting[]>();
  const running = new Set<string>();
  const all = new Set<Thread>();
  let closed = false;

  function next(): Waiting | undefined {
    for (const [organizationId, queue] of queues) {
      // One at a time: the other threads are for the others.
      if (running.has(organizationId)) continue;
      const first = queue.shift()!;
      queues.delete(organizationId);
      if (queue.length > 0) queues.set(organizationId, queue);
      clearTimeout(first.timer);
      return first;
    }
    return undefined;
  }

  function pump(): void {
    for (const thread of all) if (thread.dead) all.delete(thread);
    while (!closed) {
      const idle = [...all].find((thread) => !thread.busy);
      const order = idle || all.size < threads ? next() : undefined;
      if (order === undefined) return;
      const thread = idle ?? startThread(bounds);
      all.add(thread);
      running.add(order.organizationId);
      void thread
        .work(order)
        .then(order.resolve, order.reject)
        .finally(() => {
          running.delete(order.organizationId);
          pump();
        });
    }
  }

  function giveUp(order: Waiting): void {
    clearTimeout(order.timer);
    const left = (queues.get(order.organizationId) ?? []).filter((other) => other !== order);
    if (left.length > 0) queues.set(order.organizationId, left);
    else queues.delete(order.organizationId);
    order.reject(new AppError('unavailable', 'other costly requests took too long', retry));
  }

  return {
    run: async (organizationId, job, input) => {
      const queue = queues.get(organizationId) ?? [];
      if (queue.length >= WAITING_OF_ONE_MAX)
        throw new AppError('concurrency_limited', 'too many costly requests of the organisation wait', retry);
      if ([...queues.values()].flat().length >= WAITING_MAX)
        throw new AppError('unavailable', 'too many costly requests wait', retry);
      const output = await new Promise<string>((resolve, reject) => {
        const order: Waiting = {
          organizationId,
          job,
          input: JSON.stringify(input),
          timer: setTimeout(() => giveUp(order), waitMs),
          resolve,
          reject,
        };
        queue.push(order);
        queues.set(organizationId, queue);
        pump();
      });
      return JSON.parse(output) as HeavyOutput<typeof job>;
    },
    close: async () => {
      closed = true;
      for (const order of [...queues.values()].flat()) giveUp(order);
      await Promise.all([...all].map((thread) => thread.close()));
    },
  };
}
