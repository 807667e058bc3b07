// The thread in which heavy work is done; heavy-work.ts starts some, and kills one that takes too long. A message in: a job. A message
// out: what came of it. An entry of its own in the bundle (libs/local-stack, bundle.ts).
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { AppError, type Code } from '@parley/envelopes';
import { heavyJobs, type HeavyJob } from './heavy-jobs.ts';

export interface ToThread {
  readonly job: HeavyJob;
  /** JSON. */
  readonly input: string;
}

export type FromThread =
  /** The time that a job may take runs from here: starting a thread is not the job's. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'done'; /** JSON. */ readonly output: string }
  | {
      readonly kind: 'refused';
      readonly code: Code;
      readonly message: string;
      readonly fields: AppError['fields'];
      readonly details: AppError['details'];
    }
  | { readonly kind: 'failed'; readonly error: unknown };

// Linux takes this for the thread that says it alone: on a machine without a core to spare, turns go before heavy work.
if (process.platform === 'linux') setPriority(19);

const send = (message: FromThread): void => parentPort?.postMessage(message);

async function work(job: HeavyJob, input: string): Promise<FromThread> {
  try {
    const run = heavyJobs[job] as (input: unknown) => Promise<unknown>;
    return { kind: 'done', output: JSON.stringify(await run(JSON.parse(input))) };
  } catch (error) {
    if (!(error instanceof AppError)) return { kind: 'failed', error };
    const { code, message, fields, details } = error;
    return { kind: 'refused', code, message, fields, details };
  }
}

parentPort?.on('message', ({ job, input }: ToThread) => {
  send({ kind: 'begun' });
  void work(job, input).then(send);
});
