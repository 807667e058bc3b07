// Replaces a worker that no longer consumes its queue although it could (docs/platform.md#workers-that-work): a connection that is
// never settled leaves BullMQ waiting for ever, without an error.
import { within, type Log } from '@parley/runtime';
import { COMMAND_TIMEOUT_MS, type Engine, type EngineWorker } from './engine.ts';
import type { QueueRecorder } from '../recorder.ts';
import { repeat } from '../timing.ts';

/** Looks, and not time, are counted: a process that stood still itself has looked once. */
const LOOK_EVERY_MS = 2_000;
/** A worker that was not answered for so many looks is stuck: several times BLOCK_SECONDS. */
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
  /** Starts a worker, at first and in place of one that is stuck. */
  readonly start: (isReplacement: boolean) => EngineWorker;
  /** Jobs that the worker has in hand. */
  readonly inHand: () => number;
}

export interface WatchedConsumption {
  /** The worker that works at present. */
  worker(): EngineWorker;
  /** False when restarting did not help: the process is to be replaced. */
  isAlive(): boolean;
  /** Looks no more. */
  stop(): Promise<void>;
}

export function watchConsumption(options: WatchOptions): WatchedConsumption {
  const { queue, engine, log, recorder, start, inHand } = options;
  let worker = start(false);
  let silentLooks = 0;
  let lastFetchedAtMs = worker.fetchedAtMs();
  let restartedAtMs: number[] = [];
  let isAlive = true;

  async function look(): Promise<void> {
    const isAnswered = worker.fetchedAtMs() !== lastFetchedAtMs;
    lastFetchedAtMs = worker.fetchedAtMs();
    if (isAnswered || inHand() > 0) {
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

  const looking = repeat(
    { everyMs: LOOK_EVERY_MS, firstAfterMs: LOOK_EVERY_MS, name: 'queue.watch', log },
    look,
  );
  return { worker: () => worker, isAlive: () => isAlive, stop: () => looking.close() };
}

/** Jobs that a worker could take now; at least 1 where there are any. Undefined: the engine is away. */
async function countDue(engine: Engine, name: string): Promise<number | undefined> {
  const queue = await engine.queue(name);
  if (!queue) return undefined;
  const { waiting = 0 } = await queue.getJobCounts('waiting');
  if (waiting > 0) return waiting;
  const [delayed] = await queue.getJobs(['delayed'], 0, 0, true);
  return delayed && delayed.timestamp + (delayed.opts.delay ?? 0) < Date.now() ? 1 : 0;
}
