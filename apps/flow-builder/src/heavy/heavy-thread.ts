// The thread in which heavy work is done; heavy-work.ts starts some. An entry of its own in the bundle (apps/dev/src/stack, bundle.ts).
import { toWorkResult, type WorkResult } from '@parley/envelopes';
import { serveJobs } from '@parley/server/runtime';
import { provideLanguages } from '../languages.ts';
import { heavyJobs, type HeavyJob } from './heavy-jobs.ts';

export interface ToThread {
  readonly job: HeavyJob;
  /** Members of its input. */
  readonly texts: Readonly<Record<string, string>>;
  /** JSON of the other members. */
  readonly others: string;
}

/** Gives JSON. */
async function work({ job, texts, others }: ToThread): Promise<string> {
  const run = heavyJobs[job] as (input: unknown) => Promise<unknown>;
  return JSON.stringify(await run({ ...(JSON.parse(others) as object), ...texts }));
}

provideLanguages();
serveJobs<ToThread, WorkResult<string>>((job) => toWorkResult(work(job)));
