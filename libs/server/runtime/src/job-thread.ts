// A thread that does one job at a time, with its own heap and deadline. A job that takes too much
// processor time or memory, or too long, ends the thread; the process continues.
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { parentPort, type TransferListItem, type Worker } from 'node:worker_threads';
import { nameThread, readThreadCpuMs } from './cpu-time.ts';
import { createThread } from './thread-of.ts';

/** The job exceeded a bound: the thread has ended, and the job is not done. */
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

/** The machine was too slow: the thread has ended, and the job may be retried. */
export class JobLate extends Error {
  readonly withinMs: number;

  constructor(withinMs: number) {
    super(`a job was not done within ${withinMs / 1000} seconds`);
    this.withinMs = withinMs;
  }
}

export interface JobBounds {
  /** Processor time of the job. Outside Linux: the time in which the thread was not idle. */
  readonly cpuMs: number;
  /** Elapsed time. */
  readonly withinMs: number;
}

export interface JobThread<Job, Output> {
  /** Takes no more jobs. */
  readonly dead: boolean;
  readonly busy: boolean;
  /** Processor time of its last job; may be 0 for a short job. */
  readonly cpuMs: number;
  /**
   * Objects in `transfer` move to the thread. @throws JobTooCostly, JobLate, and errors of the job
   */
  work(job: Job, bounds: JobBounds, transfer?: readonly TransferListItem[]): Promise<Output>;
  close(): Promise<void>;
}

export interface JobThreadOptions {
  /** Path of the module that serves the jobs (shippedPath). */
  readonly program: string;
  readonly heapMb: number;
  /** From 0 to 19: how far other work takes precedence. Default: 19. */
  readonly niceness?: number;
}

type FromThread<Output> =
  /** The job's processor time counts from here, so the start of the thread is not included. */
  | { readonly kind: 'begun'; readonly thread: string | undefined }
  | { readonly kind: 'done'; readonly output: Output }
  | { readonly kind: 'failed'; readonly error: unknown };

const YOUNG_HEAP_MB = 16;
// The size that a service gives its main thread at the start overrules resourceLimits of threads.
// Then a thread takes three times 64 MB more than its heap, and one that fills quickly ends the
// process. V8 reads the flag whenever a heap is created.
setFlagsFromString('--max-semi-space-size=0');
const LOWEST_PRIORITY = 19;
/** Time to start a thread and begin its job: on a busy machine other work goes first. */
const BEGINS_WITHIN_MS = 120_000;
/** Pause between two checks of a job that is near its bound. */
const LOOK_MS_MIN = 10;

export function startJobThread<Job, Output>({
  program,
  heapMb,
  niceness = LOWEST_PRIORITY,
}: JobThreadOptions): JobThread<Job, Output> {
  const worker = createThread(program, {
    niceness,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
  worker.unref(); // a pending job keeps the process alive, an idle thread does not
  let dead = false;
  let settle: { resolve(output: Output): void; reject(error: unknown): void } | undefined;
  let bounds: JobBounds = { cpuMs: 0, withinMs: 0 };
  let look: NodeJS.Timeout | undefined;
  let late: NodeJS.Timeout | undefined;
  let readUsedMs = (): number => 0;
  let usedMs = 0;
  const die = (error: unknown): void => {
    dead = true;
    settle?.reject(error);
  };
  const kill = (error: Error): void => {
    die(error);
    void worker.terminate();
  };
  const endWithin = (ms: number): void => {
    clearTimeout(late);
    late = setTimeout(() => kill(new JobLate(ms)), ms);
  };
  const lookAtCpu = (): void => {
    const leftMs = bounds.cpuMs - readUsedMs();
    if (leftMs <= 0) kill(new JobTooCostly('time', `${bounds.cpuMs / 1000} seconds of processor time`));
    else look = setTimeout(lookAtCpu, Math.max(leftMs, LOOK_MS_MIN));
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
    if (!settle) return;
    readUsedMs = countCpu(worker, message.thread);
    look = setTimeout(lookAtCpu, bounds.cpuMs);
    endWithin(bounds.withinMs);
  });

  async function work(
    job: Job,
    given: JobBounds,
    transfer: readonly TransferListItem[] = [],
  ): Promise<Output> {
    bounds = given;
    readUsedMs = () => 0;
    worker.ref();
    endWithin(BEGINS_WITHIN_MS);
    try {
      return await new Promise<Output>((resolve, reject) => {
        settle = { resolve, reject };
        worker.postMessage(job, transfer);
      });
    } finally {
      clearTimeout(late);
      clearTimeout(look);
      usedMs = readUsedMs();
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
    get cpuMs() {
      return usedMs;
    },
    work,
    close: async () => void (await worker.terminate()),
  };
}

/** Counts what the thread uses from now on. */
function countCpu(worker: Worker, thread: string | undefined): () => number {
  const read = () => readThreadCpuMs(thread) ?? worker.performance.eventLoopUtilization().active;
  const beforeMs = read();
  return () => Math.max(0, read() - beforeMs);
}

/** Runs in the thread: does its jobs. */
export function serveJobs<Job, Output>(run: (job: Job) => Promise<Output>): void {
  const send = (message: FromThread<Output>): void => parentPort?.postMessage(message);
  const thread = nameThread();
  parentPort?.on('message', (job: Job) => {
    send({ kind: 'begun', thread });
    run(job).then(
      (output) => send({ kind: 'done', output }),
      (error: unknown) => send({ kind: 'failed', error }),
    );
  });
}
