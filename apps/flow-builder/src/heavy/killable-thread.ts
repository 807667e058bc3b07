// A thread for heavy jobs, one at a time, that ends with the first job that takes too long or too much memory.
import { AppError } from '@parley/envelopes';
import { threadOf } from '@parley/runtime';
import type { HeavyJob } from './heavy-jobs.ts';
import type { FromThread, ToThread } from './heavy-thread.ts';

export interface Thread {
  /** Takes no more work. */
  readonly dead: boolean;
  readonly busy: boolean;
  /** What comes of a job, as JSON. @throws AppError what the job refuses; request_too_costly */
  work(job: ToThread): Promise<string>;
  close(): Promise<void>;
}

export interface ThreadBounds {
  readonly heapMb: number;
  readonly deadlineMs: number;
  /** Of jobs that search through a flow. */
  readonly searchDeadlineMs: number;
}

const searches: ReadonlySet<HeavyJob> = new Set(['generate', 'cover', 'reach', 'compare']);

type End = { readonly output: string } | { readonly error: unknown };

export function startThread({ heapMb, ...deadlines }: ThreadBounds): Thread {
  const worker = threadOf('heavy-thread', import.meta.url, {
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
  });
  worker.unref(); // whoever waits for an answer keeps the process alive, an idle thread does not
  let deadlineMs = deadlines.deadlineMs;
  const tooCostly = (cost: 'time' | 'memory') => {
    const bound = cost === 'time' ? `${deadlineMs / 1000} seconds` : `${heapMb} MB of memory`;
    const message = `the request takes more than ${bound}`;
    return new AppError('request_too_costly', message, { details: { cost } });
  };
  let dead = false;
  let busy = false;
  let settle: ((end: End) => void) | undefined;
  const die = (error: unknown): void => {
    dead = true;
    settle?.({ error });
  };
  worker.on('error', (error: Error & { code?: string }) =>
    die(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooCostly('memory') : error),
  );
  worker.on('exit', () => die(new Error('a thread for heavy work ended')));
  let deadline: NodeJS.Timeout | undefined;
  worker.on('message', (message: FromThread) => {
    if (message.kind !== 'begun') return settle?.(endOf(message));
    deadline = setTimeout(() => {
      die(tooCostly('time'));
      void worker.terminate();
    }, deadlineMs);
  });

  async function work({ job, input }: ToThread): Promise<string> {
    busy = true;
    deadlineMs = searches.has(job) ? deadlines.searchDeadlineMs : deadlines.deadlineMs;
    worker.ref();
    try {
      const end = await new Promise<End>((resolve) => {
        settle = resolve;
        worker.postMessage({ job, input } satisfies ToThread);
      });
      if ('error' in end) throw end.error;
      return end.output;
    } finally {
      clearTimeout(deadline);
      settle = undefined;
      busy = false;
      worker.unref();
    }
  }

  return {
    get dead() {
      return dead;
    },
    get busy() {
      return busy;
    },
    work,
    close: async () => void (await worker.terminate()),
  };
}

function endOf(message: Exclude<FromThread, { kind: 'begun' }>): End {
  if (message.kind === 'done') return { output: message.output };
  if (message.kind === 'failed') return { error: message.error };
  const { code, message: text, fields, details } = message;
  return { error: new AppError(code, text, { fields, details }) };
}
