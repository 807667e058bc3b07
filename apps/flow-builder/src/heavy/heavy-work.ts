// Runs heavy jobs on threads, each with its own bounded heap and a deadline: what takes too long or too much is killed with its thread,
// and the process goes on. In front stands a queue in which organisations take turns, so that one of them never waits for another's
// ten requests. Made once a process; threads are started by the first job and closed with the service.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { AppError } from '@parley/envelopes';
import type { Answers } from '../flows/drive-turn.ts';
import type { HeavyInput, HeavyJob, HeavyOutput } from './heavy-jobs.ts';
import type { FromThread, ToThread } from './heavy-thread.ts';

export interface HeavyWork {
  /** @throws AppError what the job refuses; request_too_costly, concurrency_limited, unavailable */
  run<Job extends HeavyJob>(
    organizationId: string,
    job: Job,
    input: HeavyInput<Job>,
    answers?: Answers,
  ): Promise<HeavyOutput<Job>>;
  close(): Promise<void>;
}

/** With the heap of the process these fit into the memory that k8s/base gives it. */
const THREADS = 2;
const HEAP_MB = 128;
/** Wall clock of one job: longer than the largest legal flow takes on a busy machine. */
const DEADLINE_MS = 10_000;
/** Of one organisation, beside the one that runs. */
const WAITING_OF_ONE_MAX = 8;
const WAITING_MAX = 64;
const RETRY_AFTER_SECONDS = '2';

interface Waiting {
  readonly organizationId: string;
  readonly job: HeavyJob;
  readonly input: string;
  readonly answers: Answers | undefined;
  resolve(output: string): void;
  reject(error: unknown): void;
}

export function createHeavyWork(): HeavyWork {
  /** By organisation, in the order in which they take turns. */
  const queues = new Map<string, Waiting[]>();
  const running = new Set<string>();
  const idle: Thread[] = [];
  const all = new Set<Thread>();
  let waiting = 0;
  let closed = false;

  function next(): Waiting | undefined {
    for (const [organizationId, queue] of queues) {
      // One at a time: the other threads are for the others.
      if (running.has(organizationId)) continue;
      const first = queue.shift()!;
      queues.delete(organizationId);
      if (queue.length > 0) queues.set(organizationId, queue);
      waiting -= 1;
      return first;
    }
    return undefined;
  }

  function pump(): void {
    while (!closed && (idle.length > 0 || all.size < THREADS)) {
      const order = next();
      if (order === undefined) return;
      const thread = idle.pop() ?? startThread();
      all.add(thread);
      running.add(order.organizationId);
      void thread
        .work(order)
        .then(order.resolve, order.reject)
        .finally(() => {
          running.delete(order.organizationId);
          if (thread.dead) all.delete(thread);
          else idle.push(thread);
          pump();
        });
    }
  }

  return {
    run: async (organizationId, job, input, answers) => {
      const queue = queues.get(organizationId) ?? [];
      const retry = { headers: { 'retry-after': RETRY_AFTER_SECONDS } };
      if (queue.length >= WAITING_OF_ONE_MAX)
        throw new AppError('concurrency_limited', 'too many costly requests of the organisation wait', retry);
      if (waiting >= WAITING_MAX) throw new AppError('unavailable', 'too many costly requests wait', retry);
      const output = await new Promise<string>((resolve, reject) => {
        queue.push({ organizationId, job, input: JSON.stringify(input), answers, resolve, reject });
        queues.set(organizationId, queue);
        waiting += 1;
        pump();
      });
      return JSON.parse(output) as HeavyOutput<typeof job>;
    },
    close: async () => {
      closed = true;
      await Promise.all([...all].map((thread) => thread.close()));
    },
  };
}

interface Thread {
  readonly dead: boolean;
  work(order: Waiting): Promise<string>;
  close(): Promise<void>;
}

function startThread(): Thread {
  const options = {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
  };
  const worker = isSource
    ? new Worker(sourceThread(), { ...options, eval: true })
    : new Worker(bundledThread(), options);
  worker.unref(); // whoever waits for an answer keeps the process alive, an idle thread does not
  let dead = false;
  let settle: ((end: { output: string } | { error: unknown }) => void) | undefined;
  const die = (error: unknown): void => {
    dead = true;
    settle?.({ error });
  };
  worker.on('error', (error: Error & { code?: string }) =>
    die(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooCostly('memory') : error),
  );
  worker.on('exit', () => die(new Error('a thread for heavy work ended')));

  async function work({ job, input, answers }: Waiting): Promise<string> {
    worker.ref();
    const deadline = setTimeout(() => {
      die(tooCostly('time'));
      void worker.terminate();
    }, DEADLINE_MS);
    const heard = (message: FromThread): void => {
      if (message.kind === 'done') settle?.({ output: message.output });
      else if (message.kind === 'failed') settle?.({ error: message.error });
      else if (message.kind === 'refused') {
        const { code, message: text, fields, details } = message;
        settle?.({ error: new AppError(code, text, { fields, details }) });
      } else if (answers) {
        const put = answers[message.to] as (question: unknown) => Promise<unknown>;
        void put(message.question).then(
          (answer) => worker.postMessage({ kind: 'answer', answer } satisfies ToThread),
          (error: unknown) => settle?.({ error }),
        );
      }
    };
    worker.on('message', heard);
    try {
      const ended = await new Promise<{ output: string } | { error: unknown }>((resolve) => {
        settle = resolve;
        worker.postMessage({ kind: 'job', job, input } satisfies ToThread);
      });
      if ('error' in ended) throw ended.error;
      return ended.output;
    } finally {
      settle = undefined;
      clearTimeout(deadline);
      worker.off('message', heard);
      worker.unref();
    }
  }

  return {
    get dead() {
      return dead;
    },
    work,
    close: async () => void (await worker.terminate()),
  };
}

function tooCostly(what: 'time' | 'memory'): AppError {
  const bound = what === 'time' ? `${DEADLINE_MS / 1000} seconds` : `${HEAP_MB} MB of memory`;
  return new AppError('request_too_costly', `the request takes more than ${bound}`, {
    details: { cost: what },
  });
}

const isSource = import.meta.url.endsWith('.ts');

/** From source (development, tests) the thread is TypeScript: a program that teaches its thread to read it, and loads it. */
function sourceThread(): string {
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api');
  const thread = fileURLToPath(new URL('./heavy-thread.ts', import.meta.url));
  return `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(thread)});`;
}

/** Beside the bundle's entry in an image, wherever in the bundle this file came to lie. */
function bundledThread(): URL {
  const places = ['./heavy-thread.mjs', '../heavy-thread.mjs'].map((path) => new URL(path, import.meta.url));
  const found = places.find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new Error('heavy-thread.mjs is not where the bundle should have it');
  return found;
}
