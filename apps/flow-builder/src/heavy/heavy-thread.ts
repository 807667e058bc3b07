// The thread in which heavy work is done; heavy-work.ts starts some, and kills one that takes too long. A message in: a job, or the
// answer to a question. A message out: what came of the job, a refusal, or a question to a model, which only the service can ask. An
// entry of its own in the bundle (libs/local-stack, bundle.ts).
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { AppError, type Code } from '@parley/envelopes';
import type { Answers } from '../flows/drive-turn.ts';
import { heavyJobs, type HeavyJob } from './heavy-jobs.ts';

export type ToThread =
  | { readonly kind: 'job'; readonly job: HeavyJob; /** JSON. */ readonly input: string }
  | { readonly kind: 'answer'; readonly answer: unknown };

export type FromThread =
  | { readonly kind: 'done'; /** JSON. */ readonly output: string }
  | {
      readonly kind: 'refused';
      readonly code: Code;
      readonly message: string;
      readonly fields: AppError['fields'];
      readonly details: AppError['details'];
    }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'question'; readonly to: keyof Answers; readonly question: unknown };

// Linux takes this for the thread that says it alone: on a machine without a core to spare, turns go before heavy work.
if (process.platform === 'linux') setPriority(10);

let answered: ((answer: unknown) => void) | undefined;
const send = (message: FromThread): void => parentPort?.postMessage(message);

function ask(to: keyof Answers) {
  return (question: unknown) =>
    new Promise<never>((resolve) => {
      answered = resolve as (answer: unknown) => void;
      send({ kind: 'question', to, question });
    });
}
const answers: Answers = { classify: ask('classify'), extract: ask('extract'), runAgent: ask('runAgent') };

async function work(job: HeavyJob, input: string): Promise<FromThread> {
  try {
    const run = heavyJobs[job] as (input: unknown, answers: Answers) => Promise<unknown>;
    return { kind: 'done', output: JSON.stringify(await run(JSON.parse(input), answers)) };
  } catch (error) {
    if (!(error instanceof AppError)) return { kind: 'failed', error };
    const { code, message, fields, details } = error;
    return { kind: 'refused', code, message, fields, details };
  }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'answer') answered?.(message.answer);
  else void work(message.job, message.input).then(send);
});
