// A thread that does one job at a time, with a heap and a deadline of its own: it ends with the first job that takes too long or too much
// memory, and the process goes on.
import { basename } from 'node:path';
import { parentPort, type TransferListItem } from 'node:worker_threads';
import { threadOf } from './thread-of.ts';

/** What a job took too much of: the thread has ended, and what the job was doing is not done. */
export class JobTooCostly extends Error {
  readonly cost: 'time' | 'memory';
  /** In words: `10 seconds`. */
  readonly bound: string;

  constructor(cost: 'time' | 'memory', bound: string) {
    super(`a job took more than ${bound}`);
    this.cost = cost;
    this.bound = bound;
  }
}

export interface JobThread<Job, Output> {
  /** Takes no more work. */
  readonly dead: boolean;
  readonly busy: boolean;
  /** What `transfer` names is the thread's from then on. @throws JobTooCostly, and what the job throws */
  work(job: Job, deadlineMs: number, transfer?: readonly TransferListItem[]): Promise<Output>;
  close(): Promise<void>;
}

export interface JobThreadOptions {
  /** Path of the module that serves the jobs (shippedPath). */
  readonly program: string;
  readonly heapMb: number;
}

type FromThread<Output> =
  /** The time that a job may take runs from here: starting a thread is not the job's. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'done'; readonly output: Output }
  | { readonly kind: 'failed'; readonly error: unknown };

const YOUNG_HEAP_MB = 16;

export function startJobThread<Job, Output>({ program, heapMb }: JobThreadOptions): JobThread<Job, Output> {
  const worker = threadOf(program, {
    isBehind: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
  worker.unref(); // whoever waits for an answer keeps the process alive, an idle thread does not
  let dead = false;
  let settle: { resolve(output: Output): void; reject(error: unknown): void } | undefined;
  let deadlineMs = 0;
  let deadline: NodeJS.Timeout | undefined;
  const die = (error: unknown): void => {
    dead = true;
    settle?.reject(error);
  };
  worker.on('error', (error: Error & { code?: string }) =>
    die(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new JobTooCostly('memory', `${heapMb} MB of memory`)
        : error,
    ),
  );
  worker.on('exit', () => die(new Error(`the thread ${basename(program)} ended`)));
  worker.on('message', (message: FromThread<Output>) => {
    if (message.kind === 'done') return settle?.resolve(message.output);
    if (message.kind === 'failed') return settle?.reject(message.error);
    deadline = setTimeout(() => {
      die(new JobTooCostly('time', `${deadlineMs / 1000} seconds`));
      void worker.terminate();
    }, deadlineMs);
  });

  async function work(
    job: Job,
    withinMs: number,
    transfer: readonly TransferListItem[] = [],
  ): Promise<Output> {
    deadlineMs = withinMs;
    worker.ref();
    try {
      return await new Promise<Output>((resolve, reject) => {
        settle = { resolve, reject };
        worker.postMessage(job, transfer);
      });
    } finally {
      clearTimeout(deadline);
      settle = undefined;
      worker.unref();
    }
  }

  return {
    get dead() {
      return dead;
    },
    get busy() {
      return settle !== undefined;
    },
    work,
    close: async () => void (await worker.terminate()),
  };
}

/** In the thread: does its jobs. */
export function serveJobs<Job, Output>(run: (job: Job) => Promise<Output>): void {
  const send = (message: FromThread<Output>): void => parentPort?.postMessage(message);
  parentPort?.on('message', (job: Job) => {
    send({ kind: 'begun' });
    run(job).then(
      (output) => send({ kind: 'done', output }),
      (error: unknown) => send({ kind: 'failed', error }),
    );
  });
}
