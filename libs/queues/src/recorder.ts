// What the queues report to whoever counts it (the prom-client registry of a service). Every member is optional.

/**
 * - `done`: the work was done. `repeated`: a message whose effect was committed before. `refused`: the domain said no.
 * - `failed`: our side failed and the same attempt comes again. `malformed`: it will never be understood, and is kept.
 * - `unauthenticated`: a message that its producer did not sign, kept like a malformed job.
 * - `quarantined`: workers died with it, the last one while it was alone; it is set aside.
 * - `handed_back`: the process is stopping, another one takes the job.
 */
export type JobOutcome =
  | 'done'
  | 'repeated'
  | 'refused'
  | 'failed'
  | 'malformed'
  | 'unauthenticated'
  | 'quarantined'
  | 'handed_back';

export interface QueueRecorder {
  /** One attempt at one job ended after `ms`. */
  onJob?(event: { queue: string; job: string; outcome: JobOutcome; ms: number }): void;
  /** `count` jobs were put into the queue, or could not be because the engine is away (the sweeper will ring again). */
  onRing?(event: { queue: string; job: string; outcome: 'rung' | 'away'; count: number }): void;
  /** A worker was stuck and another one took its place. */
  onRestart?(event: { queue: string }): void;
}
