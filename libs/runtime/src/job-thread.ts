// A thread that does one job at a time, with a heap and a deadline of its own: it ends with the first job that takes too much processor
// time or memory, or is not done in time, and the process goes on.
import { basename } from 'node:path';
import { parentPort, type TransferListItem, type Worker } from 'node:worker_threads';
import { nameThread, readThreadCpuMs } from './cpu-time.ts';
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

/** The machine did not get the job done in time: the thread has ended, and the job may be tried again. */
export class JobLate extends Error {
  readonly withinMs: number;

  constructor(withinMs: number) {
    super(`a job was not done within ${withinMs / 1000} seconds`);
    this.withinMs = withinMs;
  }
}

export interface JobBounds {
  /** Processor time of the job. Elsewhere than on Linux the time in which the thread was not idle. */
  readonly cpuMs: number;
  /** On the clock. */
  readonly withinMs: number;
}

export interface JobThread<Job, Output> {
  /** Takes no more work. */
  readonly dead: boolean;
  readonly busy: boolean;
  /** Processor time of its last job; a job that ends at once may count as none. */
  readonly cpuMs: number;
  /** What `transfer` names is the thread's from then on. @throws JobTooCostly, JobLate, and what the job throws */
  work(job: Job, bounds: JobBounds, transfer?: readonly TransferListItem[]): Promise<Output>;
  close(): Promise<void>;
}

export interface JobThreadOptions {
  /** Path of the module that serves the jobs (shippedPath). */
  readonly program: string;
  readonly heapMb: number;
  /** From 0 to 19: how far it stands behind everything else that wants the processor. Default: 19. */
  readonly niceness?: number;
}

type FromThread<Output> =
  /** The processor time of a job counts from here: starting a thread is not the job's. */
  | { readonly kind: 'begun'; readonly thread: string | undefined }
  | { readonly kind: 'done'; readonly output: Output }
  | { readonly kind: 'failed'; readonly error: unknown };

const YOUNG_HEAP_MB = 16;
const LOWEST_PRIORITY = 19;
/** To start a thread, and until it begins its job: on a busy machine others go first. */
const BEGINS_WITHIN_MS = 120_000;
/** Between two looks at the processor time of a job that is near its bound. */
const LOOK_MS_MIN = 10;

export function startJobThread<Job, Output>({
  program,
  heapMb,
  niceness = LOWEST_PRIORITY,
}: JobThreadOptions): JobThread<Job, Output> {
  const worker = threadOf(program, {
    niceness,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
  worker.unref(); // whoever waits for an answer keeps the process alive, an idle thread does not
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
  const endIn = (ms: number): void => {
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
    endIn(bounds.withinMs);
  });

  async function work(
    job: Job,
    given: JobBounds,
    transfer: readonly TransferListItem[] = [],
  ): Promise<Output> {
    bounds = given;
    readUsedMs = () => 0;
    worker.ref();
    endIn(BEGINS_WITHIN_MS);
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

/** What the thread has used from now on. */
function countCpu(worker: Worker, thread: string | undefined): () => number {
  const read = () => readThreadCpuMs(thread) ?? worker.performance.eventLoopUtilization().active;
  const beforeMs = read();
  return () => Math.max(0, read() - beforeMs);
}

/** In the thread: does its jobs. */
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
