// Runs heavy jobs on threads behind a queue in which organisations take turns. Made once a process, closed with the service.
import { join } from 'node:path';
import { createHeavyThreads } from '@parley/server/limits';
import { shippedPath } from '@parley/server/runtime';
import type { HeavyInput, HeavyJob, HeavyOutput } from './heavy-jobs.ts';
import type { ToThread } from './heavy-thread.ts';

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
  /** Processor time of one job: longer than the largest legal flow takes. */
  readonly deadlineMs: number;
  /** The same of a job that searches through a flow for conversations: seconds on a flow of 10,000 nodes. */
  readonly searchDeadlineMs: number;
  /** On the clock, as of heavy threads. */
  readonly withinMs?: number;
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
const searches: ReadonlySet<HeavyJob> = new Set(['generate', 'cover', 'reach', 'compare']);

export function createHeavyWork(options: Partial<HeavyWorkOptions> = {}): HeavyWork {
  const { deadlineMs, searchDeadlineMs, ...threads } = { ...usual, ...options };
  const { run, close } = createHeavyThreads<ToThread, string>({
    program: shippedPath('heavy-thread.mjs', () => join(import.meta.dirname, 'heavy-thread.ts')),
    ...threads,
  });
  return {
    run: async (organizationId, job, input) => {
      const withinMs = searches.has(job) ? searchDeadlineMs : deadlineMs;
      // Texts go beside: in JSON each quote of theirs would be escaped, and they may be JSON of megabytes.
      const members = Object.entries(input);
      const texts = members.filter((member): member is [string, string] => typeof member[1] === 'string');
      const others = members.filter(([, value]) => typeof value !== 'string');
      const split = { texts: Object.fromEntries(texts), others: JSON.stringify(Object.fromEntries(others)) };
      const output = await run(organizationId, { job, ...split }, withinMs);
      return JSON.parse(output) as HeavyOutput<typeof job>;
    },
    close,
  };
}
