// A thread whose jobs sleep or spin for the given milliseconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { serveJobs } from '../src/job-thread.ts';

export interface FixtureJob {
  readonly sleepMs?: number;
  readonly spinMs?: number;
}

async function work({ sleepMs = 0, spinMs = 0 }: FixtureJob): Promise<string> {
  await sleep(sleepMs);
  for (const endsMs = performance.now() + spinMs; performance.now() < endsMs;);
  return 'done';
}

serveJobs<FixtureJob, string>(work);
