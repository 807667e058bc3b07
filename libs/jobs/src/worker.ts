// Consumes one queue and passes each job to the route of its name.
import { UnrecoverableError, WaitingError, type Job } from 'bullmq';
import { isPostgresUnavailable } from '@parley/server/postgres';
import { ignoreFailure, type Log, within } from '@parley/server/runtime';
import type { z } from 'zod';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from './engine/engine.ts';
import { MALFORMED_RETENTION, type JobKind } from './job-kind.ts';
import { watchConsumption } from './engine/watch-consumption.ts';
import { queueRegistry, type QueueName } from './queue-registry.ts';
import type { JobOutcome, QueueRecorder } from './recorder.ts';

/** What a job's work gets besides its payload. */
export interface JobContext {
  readonly jobId: string;
  /** BullMQ's counter, from 1: grows only when *our* side fails. */
  readonly attempt: number;
  /** How many workers died, or were frozen for too long, with this job in flight. */
  readonly deaths: number;
  /** Aborts on timeout and when the process stops. Break off what you can. */
  readonly signal: AbortSignal;
}

/** How jobs of one name are processed. Created by `onJob`, and by an inbox for messages. */
export interface Route {
  readonly name: string;
  readonly queue: QueueName;
  readonly timeoutMs: number;
  /**
   * @throws MalformedJob when the data can never be parsed. Any other error is our failure, and the
   * job is retried.
   */
  run(data: unknown, context: JobContext): Promise<JobOutcome>;
}

/** The data do not match the kind of job. `problems` name places, never values. */
export class MalformedJob extends Error {
  /** For metrics and the log. */
  readonly outcome: 'malformed' | 'unauthenticated';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], outcome: MalformedJob['outcome'] = 'malformed') {
    super(`${outcome}: ${problems.join('; ')}`);
    this.name = 'MalformedJob';
    this.outcome = outcome;
    this.problems = problems;
  }
}

/** Enough to diagnose it; the text is stored with the job. */
const PROBLEMS_MAX = 10;

/** @throws MalformedJob */
export function parseOrMalformed<Output>(schema: z.ZodType<Output>, data: unknown): Output {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, code }) => `${path.join('.') || '(payload)'} ${code}`);
  throw new MalformedJob(problems.slice(0, PROBLEMS_MAX));
}

/** The route of a service's own jobs: parses the payload, then runs the work. */
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
  /** Concurrent jobs in this process. Default: that of the queue (queue-registry.ts). */
  readonly concurrency?: number;
  /**
   * A killed worker's job is free again after the lease and a check. Default: 10 s
   * (docs/platform.md#leases-and-rings).
   */
  readonly leaseMs?: number;
  /** When stopping, jobs in flight get this long to finish; then they are released. */
  readonly graceMs?: number;
}

export interface QueueWorker {
  /**
   * Fetches no more, then finishes or releases jobs in flight. Bounded, also while the engine is
   * away.
   */
  close(): Promise<void>;
  /** False when the worker is stuck and new connections did not help. */
  isAlive(): boolean;
}

const LEASE_MS = 10_000;
/**
 * With the release it fits the 25 s that a process has to stop
 * (docs/platform.md#life-of-a-process).
 */
const GRACE_MS = 10_000;
const RELEASE_MS = 2_000;
/** How long connections may take to close when no job is in flight. */
const CLOSE_MS = 2_000;
/**
 * While Postgres is away each job waits this long before it fails, or a backlog would use up its
 * attempts.
 */
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
  /** One for each job in flight: breaks it off. */
  const inFlight = new Set<() => void>();
  let isReleasing = false;

  /** One attempt as a value: its outcome, and its error. */
  async function attempt(job: Job): Promise<{ outcome: JobOutcome; error?: unknown }> {
    const route = byName.get(job.name);
    if (!route)
      return { outcome: 'malformed', error: new MalformedJob([`no job "${job.name}" on this queue`]) };
    const broken = new AbortController();
    let release: () => void = () => undefined;
    const released = new Promise<JobOutcome>((resolve) => (release = () => resolve('handed_back')));
    const breakOff = () => {
      broken.abort();
      release();
    };
    inFlight.add(breakOff);
    if (isReleasing) breakOff();
    try {
      const context = {
        jobId: job.id ?? '',
        attempt: job.attemptsMade + 1,
        deaths: job.stalledCounter,
        signal: broken.signal,
      };
      const outcome = await within(Promise.race([route.run(job.data, context), released]), route.timeoutMs);
      return { outcome };
    } catch (error) {
      broken.abort(); // may be the timeout: signal the work
      if (error instanceof MalformedJob) return { outcome: error.outcome, error };
      if (isPostgresUnavailable(error)) await Promise.race([delay(OUTAGE_PAUSE_MS), released]);
      return { outcome: 'failed', error };
    } finally {
      inFlight.delete(breakOff);
    }
  }

  /** Called by BullMQ, which stores the message of an error: rethrow only the kind of an error. */
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
      job.opts.removeOnFail = MALFORMED_RETENTION;
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
    queue,
    engine,
    log,
    recorder,
    start: (isReplacement) => engine.work(queue, take, { concurrency, leaseMs, isReplacement }),
    countInFlight: () => active.size,
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
    /**
     * No job is in flight, and hanging connections had their time. A running fetch may still bring
     * a job.
     */
    async function settle(): Promise<void> {
      do {
        await idle();
        await Promise.race([closed, delay(CLOSE_MS)]);
      } while (active.size > 0);
    }
    try {
      await within(settle(), graceMs);
    } catch {
      isReleasing = true;
      for (const breakOff of inFlight) breakOff();
      await ignoreFailure(within(settle(), RELEASE_MS), 'the queue engine does not answer', log);
    }
    if (!isClosed) running.abandon();
  }
  return { close: () => (closing ??= close()), isAlive: () => consumption.isAlive() };
}
