// Takes jobs from one queue and gives each to the route of its name.
import { UnrecoverableError, WaitingError, type Job } from 'bullmq';
import { isPostgresUnavailable } from '@parley/postgres';
import { ignoreFailure, type Log, within } from '@parley/runtime';
import type { z } from 'zod';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from './engine/engine.ts';
import { MALFORMED_KEPT, type JobKind } from './job-kind.ts';
import { watchConsumption } from './engine/watch-consumption.ts';
import { queueRegistry, type QueueName } from './queue-registry.ts';
import type { JobOutcome, QueueRecorder } from './recorder.ts';

/** What a job's work is told beside its payload. */
export interface JobContext {
  readonly jobId: string;
  /** BullMQ's counter, from 1: grows only when *our* side failed. */
  readonly attempt: number;
  /** How many workers died, or stood still for too long, with it in hand. */
  readonly deaths: number;
  /** Aborted when the time is up or the process stops: whatever can be broken off should be. */
  readonly signal: AbortSignal;
}

/** How jobs of one name are worked off. Made by `onJob`, and by an inbox for messages. */
export interface Route {
  readonly name: string;
  readonly queue: QueueName;
  readonly timeoutMs: number;
  /** @throws MalformedJob when the data will never be understood; anything else is our failure and comes again. */
  run(data: unknown, context: JobContext): Promise<JobOutcome>;
}

/** The data are not what the kind of job says. `problems` name places, never values. */
export class MalformedJob extends Error {
  /** What is counted and logged. */
  readonly outcome: 'malformed' | 'unauthenticated' = 'malformed';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`malformed: ${problems.join('; ')}`);
    this.name = 'MalformedJob';
    this.problems = problems;
  }
}

/** Enough to see what is wrong; the text is kept with the job. */
const PROBLEMS_MAX = 10;

/** @throws MalformedJob */
export function parseOrMalformed<Output>(schema: z.ZodType<Output>, data: unknown): Output {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, code }) => `${path.join('.') || '(payload)'} ${code}`);
  throw new MalformedJob(problems.slice(0, PROBLEMS_MAX));
}

/** The route of a service's own jobs: the payload is parsed, then worked on. */
export function onJob<Payload>(
  kind: JobKind<Payload>,
  work: (payload: Payload, context: JobContext) => Promise<void>,
): Route {
  return {
    name: kind.name,
    queue: kind.queue,
    timeoutMs: kind.timeoutMs,
    run: async (data, context) => {
      await work(parseOrMalformed(kind.payload, data), context);
      return 'done';
    },
  };
}

export interface WorkerOptions {
  /** Jobs at once in this process. Default: the queue's own (queue-registry.ts). */
  readonly concurrency?: number;
  /** A killed worker's job is free again after this long, and a check. Default 10 s (docs/platform.md#leases-and-rings). */
  readonly leaseMs?: number;
  /** When stopping, a job in hand may take so long to finish; then it is handed back. */
  readonly graceMs?: number;
}

export interface QueueWorker {
  /** Takes nothing more, finishes or hands back what is in hand. Bounded, also while the engine is away. */
  close(): Promise<void>;
  /** False when it is stuck and new connections did not help. */
  isAlive(): boolean;
}

const LEASE_MS = 10_000;
/** With the hand-back well within the 25 s that a process has to stop (docs/platform.md#life-of-a-process). */
const GRACE_MS = 10_000;
const HAND_BACK_MS = 2_000;
/** How long connections may take to close when nothing is in hand any more. */
const CLOSE_MS = 2_000;
/** While Postgres is away each job waits so long before it fails, or a backlog would use up its attempts at once. */
const OUTAGE_PAUSE_MS = 1_000;

export interface WorkerDeps {
  readonly engine: Engine;
  readonly log: Log;
  readonly recorder: QueueRecorder;
}

export function startWorker(
  { engine, log, recorder }: WorkerDeps,
  queue: QueueName,
  routes: readonly Route[],
  { concurrency = queueRegistry[queue].concurrency, leaseMs = LEASE_MS, graceMs = GRACE_MS }: WorkerOptions,
): QueueWorker {
  const byName = new Map(routes.map((route) => [route.name, route]));
  const stray = routes.find((route) => route.queue !== queue);
  if (stray) throw new Error(`"${stray.name}" is a job of the queue "${stray.queue}", not of "${queue}"`);
  /** One a job in hand: breaks it off. */
  const inHand = new Set<() => void>();
  let handingBack = false;

  /** One attempt, as a value: what happened, and what went wrong. */
  async function attempt(job: Job): Promise<{ outcome: JobOutcome; error?: unknown }> {
    const route = byName.get(job.name);
    if (!route)
      return { outcome: 'malformed', error: new MalformedJob([`no job "${job.name}" on this queue`]) };
    const broken = new AbortController();
    let handBack: () => void = () => undefined;
    const handedBack = new Promise<JobOutcome>((resolve) => (handBack = () => resolve('handed_back')));
    const breakOff = () => (broken.abort(), handBack());
    inHand.add(breakOff);
    if (handingBack) breakOff();
    try {
      const context = {
        jobId: job.id ?? '',
        attempt: job.attemptsMade + 1,
        deaths: job.stalledCounter,
        signal: broken.signal,
      };
      const outcome = await within(Promise.race([route.run(job.data, context), handedBack]), route.timeoutMs);
      return { outcome };
    } catch (error) {
      broken.abort(); // it may be the time-out: the work is told
      if (error instanceof MalformedJob) return { outcome: error.outcome, error };
      if (isPostgresUnavailable(error)) await Promise.race([delay(OUTAGE_PAUSE_MS), handedBack]);
      return { outcome: 'failed', error };
    } finally {
      inHand.delete(breakOff);
    }
  }

  /** What BullMQ calls. It keeps the message of what is thrown, so nothing of an error but its kind is thrown on. */
  async function work(job: Job, token?: string): Promise<void> {
    const startedAtMs = performance.now();
    const { outcome, error } = await attempt(job);
    recorder.onJob?.({ queue, job: job.name, outcome, ms: performance.now() - startedAtMs });
    const facts = { queue, job: job.name, job_id: job.id, attempt: job.attemptsMade + 1 };
    if (outcome === 'handed_back') {
      log.info(facts, 'job.handed_back');
      await job.moveToWait(token);
      throw new WaitingError();
    }
    if (outcome === 'malformed' || outcome === 'unauthenticated') {
      log.error({ ...facts, err: error }, `job.${outcome}`);
      job.opts.removeOnFail = MALFORMED_KEPT;
      throw new UnrecoverableError(error instanceof MalformedJob ? error.message : 'malformed');
    }
    if (outcome === 'failed') {
      log.warn({ ...facts, err: error }, 'job.failed');
      throw new Error(error instanceof Error ? error.name : 'failed');
    }
  }

  const active = new Set<Promise<void>>();
  const take = (job: Job, token?: string): Promise<void> => {
    const one = work(job, token).finally(() => active.delete(one));
    active.add(one);
    return one;
  };
  const consumption = watchConsumption({
    ...{ queue, engine, log, recorder },
    start: (isReplacement) => engine.work(queue, take, { concurrency, leaseMs, isReplacement }),
    inHand: () => active.size,
  });

  async function idle(): Promise<void> {
    while (active.size > 0) await Promise.allSettled(active);
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    await consumption.stop();
    const running = consumption.worker();
    let isClosed = false;
    const closed = running.close().finally(() => (isClosed = true));
    /** Nothing is in hand, and connections that wait for ever got their time; a fetch under way may still bring a job. */
    async function settle(): Promise<void> {
      do {
        await idle();
        await Promise.race([closed, delay(CLOSE_MS)]);
      } while (active.size > 0);
    }
    try {
      await within(settle(), graceMs);
    } catch {
      handingBack = true;
      for (const breakOff of inHand) breakOff();
      await ignoreFailure(within(settle(), HAND_BACK_MS), 'the queue engine does not answer', log);
    }
    if (!isClosed) running.abandon();
  }
  return { close: () => (closing ??= close()), isAlive: () => consumption.isAlive() };
}
