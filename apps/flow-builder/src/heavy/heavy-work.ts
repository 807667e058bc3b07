// Runs heavy jobs on threads. The queue before them takes turns among organisations.
import { join } from 'node:path';
import { createHeavyThreads } from '@parley/server/limits';
import { shippedPath } from '@parley/server/runtime';
import type { HeavyInput, HeavyJob, HeavyOutput } from './heavy-jobs.ts';
import type { ToThread } from './heavy-thread.ts';

export interface HeavyWork {
  /** @throws AppError errors of the job; request_too_costly, concurrency_limited, unavailable */
  run<Job extends HeavyJob>(
    organizationId: string,
    job: Job,
    input: HeavyInput<Job>,
  ): Promise<HeavyOutput<Job>>;
  close(): Promise<void>;
}

export interface HeavyWorkOptions {
  /** Threads and the heap of the process together fit into the memory of k8s/base. */
  readonly threads: number;
  readonly heapMb: number;
  /** Processor time of one job: longer than the largest legal flow takes. */
  readonly deadlineMs: number;
  /** Processor time of a job that searches a flow: seconds for 10,000 nodes. */
  readonly searchDeadlineMs: number;
  /** Wall-clock time, as of heavy threads. */
  readonly withinMs?: number;
  /** A job waits this long for a thread before it fails. */
  readonly waitMs: number;
}

const defaults: HeavyWorkOptions = {
  threads: 2,
  heapMb: 128,
  deadlineMs: 10_000,
  searchDeadlineMs: 30_000,
  waitMs: 10_000,
};
const searchJobs: ReadonlySet<HeavyJob> = new Set(['generate', 'cover', 'reach', 'compare', 'teach']);

export function createHeavyWork(options: Partial<HeavyWorkOptions> = {}): HeavyWork {
  const { deadlineMs, searchDeadlineMs, ...threads } = { ...defaults, ...options };
  const { run, close } = createHeavyThreads<ToThread, string>({
    program: shippedPath('heavy-thread.mjs', () => join(import.meta.dirname, 'heavy-thread.ts')),
    ...threads,
  });
  return {
    run: async (organizationId, job, input) => {
      const withinMs = searchJobs.has(job) ? searchDeadlineMs : deadlineMs;
      // Texts are passed separately: they may be JSON of megabytes, whose quotes JSON would escape.
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
