// Replaces a worker that no longer consumes its queue although it could
// (docs/platform.md#workers-that-work). A connection that never settles makes BullMQ wait forever
// without an error.
import { within, repeat, type Log } from '@parley/server/runtime';
import { COMMAND_TIMEOUT_MS, type Engine, type EngineWorker } from './engine.ts';
import type { QueueRecorder } from '../recorder.ts';

/** Looks are counted, not time: a process that was frozen itself has looked only once. */
const LOOK_EVERY_MS = 2_000;
/** A worker without an answer for this many looks is stuck. Several times BLOCK_SECONDS. */
const SILENT_LOOKS_MAX = 4;
/** An idle worker is silent for one look now and then. */
const SILENT_LOOKS_USUAL = 1;
const RESTARTS_MAX = 3;
const RESTARTS_COUNT_MS = 5 * 60_000;

export interface WatchOptions {
  readonly queue: string;
  readonly engine: Engine;
  readonly log: Log;
  readonly recorder: QueueRecorder;
  /** Starts a worker, initially and as a replacement of a stuck one. */
  readonly start: (isReplacement: boolean) => EngineWorker;
  /** Number of jobs that the worker has in flight. */
  readonly countInFlight: () => number;
}

export interface ConsumptionWatch {
  /** The current worker. */
  worker(): EngineWorker;
  /** False when a restart did not help: the process must be replaced. */
  isAlive(): boolean;
  stop(): Promise<void>;
}

export function watchConsumption(options: WatchOptions): ConsumptionWatch {
  const { queue, engine, log, recorder, start, countInFlight } = options;
  let worker = start(false);
  let silentLooks = 0;
  let lastFetchedAtMs = worker.fetchedAtMs();
  let restartedAtMs: number[] = [];
  let isAlive = true;

  async function look(): Promise<void> {
    const isAnswered = worker.fetchedAtMs() !== lastFetchedAtMs;
    lastFetchedAtMs = worker.fetchedAtMs();
    if (isAnswered || countInFlight() > 0) {
      silentLooks = 0;
      isAlive = true;
      return;
    }
    silentLooks += 1;
    if (silentLooks <= SILENT_LOOKS_USUAL) return;
    const due = await within(countDue(engine, queue), COMMAND_TIMEOUT_MS).catch(() => undefined);
    if (due === undefined)
      silentLooks = 0; // the engine is away: the worker gets its time when it is back
    else if (silentLooks >= SILENT_LOOKS_MAX && due > 0 && worker.fetchedAtMs() === lastFetchedAtMs)
      replace(due);
  }

  function replace(due: number): void {
    const nowMs = performance.now();
    restartedAtMs = restartedAtMs.filter((atMs) => nowMs - atMs < RESTARTS_COUNT_MS);
    if (restartedAtMs.length >= RESTARTS_MAX) {
      if (isAlive) log.error({ queue, due, restarts: restartedAtMs.length }, 'queue.worker_beyond_help');
      isAlive = false;
      return;
    }
    restartedAtMs.push(nowMs);
    log.error({ queue, due, restarts: restartedAtMs.length }, 'queue.worker_restarted');
    recorder.onRestart?.({ queue });
    worker.abandon();
    worker = start(true);
    lastFetchedAtMs = worker.fetchedAtMs();
    silentLooks = 0;
  }

  const looking = repeat({ everyMs: LOOK_EVERY_MS, name: 'queue.watch', log }, look);
  return { worker: () => worker, isAlive: () => isAlive, stop: () => looking.close() };
}

/**
 * Number of jobs that a worker could take now: at least 1 where there are any. Undefined while the
 * engine is away.
 */
async function countDue(engine: Engine, name: string): Promise<number | undefined> {
  const queue = await engine.queue(name);
  if (!queue) return undefined;
  const { waiting = 0 } = await queue.getJobCounts('waiting');
  if (waiting > 0) return waiting;
  const [delayed] = await queue.getJobs(['delayed'], 0, 0, true);
  return delayed && delayed.timestamp + (delayed.opts.delay ?? 0) < Date.now() ? 1 : 0;
}
