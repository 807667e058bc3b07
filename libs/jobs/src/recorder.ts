// What the queues report to a service's metrics. Every member is optional.

/**
 * - `done`: the work was done. `repeated`: the effect of the message was committed before.
 * - `refused`: the domain refused it. `failed`: our side failed; the same attempt is retried.
 * - `malformed`: it can never be parsed, and is stored.
 * - `unauthenticated`: its producer did not sign it; stored like a malformed job.
 * - `quarantined`: workers died with it, the last one while it was isolated.
 * - `split`: workers died with a job that messages share; each comes again alone.
 * - `handed_back`: the process is stopping; another one takes the job.
 */
export type JobOutcome =
  | 'done'
  | 'repeated'
  | 'refused'
  | 'failed'
  | 'malformed'
  | 'unauthenticated'
  | 'quarantined'
  | 'split'
  | 'handed_back';

export interface QueueRecorder {
  /** One attempt at one job ended after `ms`. */
  onJob?(event: { queue: string; job: string; outcome: JobOutcome; ms: number }): void;
  /**
   * `count` jobs were enqueued, or were not because the engine is away or refuses (the sweeper
   * re-enqueues). `refusal` is its answer, such as "OOM command not allowed".
   */
  onEnqueue?(event: {
    queue: string;
    job: string;
    outcome: 'rung' | 'away' | 'refused';
    refusal?: string;
    count: number;
  }): void;
  /** A stuck worker was replaced. */
  onRestart?(event: { queue: string }): void;
}
