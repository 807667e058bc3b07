// A thread for heavy jobs, one at a time, that ends with the first job that takes too long or too much memory.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { AppError } from '@parley/envelopes';
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
}

type End = { readonly output: string } | { readonly error: unknown };

export function startThread({ heapMb, deadlineMs }: ThreadBounds): Thread {
  const options = {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
  };
  const worker = isSource
    ? new Worker(sourceThread(), { ...options, eval: true })
    : new Worker(bundledThread(), options);
  worker.unref(); // whoever waits for an answer keeps the process alive, an idle thread does not
  const tooCostly = (cost: 'time' | 'memory') => {
    const bound = cost === 'time' ? `${deadlineMs / 1000} seconds` : `${heapMb} MB of memory`;
    const message = `the request takes more than ${bound}`;
    return new AppError('request_too_costly', message, { details: { cost } });
  };
  let dead = false;
  let settle: ((end: End) => void) | undefined;
  const die = (error: unknown): void => {
    dead = true;
    settle?.({ error });
  };
  worker.on('error', (error: Error & { code?: string }) =>
    die(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooCostly('memory') : error),
  );
  worker.on('exit', () => die(new Error('a thread for heavy work ended')));
  worker.on('message', (message: FromThread) => settle?.(endOf(message)));

  async function work({ job, input }: ToThread): Promise<string> {
    worker.ref();
    const deadline = setTimeout(() => {
      die(tooCostly('time'));
      void worker.terminate();
    }, deadlineMs);
    try {
      const end = await new Promise<End>((resolve) => {
        settle = resolve; // at once: it is busy from here on
        worker.postMessage({ job, input } satisfies ToThread);
      });
      if ('error' in end) throw end.error;
      return end.output;
    } finally {
      settle = undefined;
      clearTimeout(deadline);
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

function endOf(message: FromThread): End {
  if (message.kind === 'done') return { output: message.output };
  if (message.kind === 'failed') return { error: message.error };
  const { code, message: text, fields, details } = message;
  return { error: new AppError(code, text, { fields, details }) };
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
