// The program of a heavy thread; heavy-work.ts starts it. The bundle has it as an entry of its own.
import { toWorkResult, type WorkResult } from '@parley/envelopes';
import { serveJobs } from '@parley/server/runtime';
import { provideLanguages } from '../languages.ts';
import { heavyJobs, type HeavyJob } from './heavy-jobs.ts';

export interface ToThread {
  readonly job: HeavyJob;
  /** Members of the input that are texts. */
  readonly texts: Readonly<Record<string, string>>;
  /** JSON of the other members. */
  readonly others: string;
}

/** Returns JSON. */
async function work({ job, texts, others }: ToThread): Promise<string> {
  const run = heavyJobs[job] as (input: unknown) => Promise<unknown>;
  return JSON.stringify(await run({ ...(JSON.parse(others) as object), ...texts }));
}

provideLanguages();
serveJobs<ToThread, WorkResult<string>>((job) => toWorkResult(work(job)));
