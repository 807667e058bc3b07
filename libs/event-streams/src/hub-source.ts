// What a service hands in: what happened, in the order of `readSnapshot`, and for whom it is.
import type { StreamEvent } from './frames.rules.ts';

/** Something that happened, at a place in the order of `readSnapshot`. */
export interface HubEvent {
  /** Tells the same event when it is read again. */
  readonly key: string;
  readonly position: bigint;
  readonly createdAtMs: number;
  readonly organizationId: string;
  /** Null: it is not told itself, only what comes of it (`after`). */
  readonly event: StreamEvent | null;
}

/** What the streams are of. Both reads give events in order; undefined where there are more than may be told at once. */
export interface HubSource<Reader, Event extends HubEvent> {
  /** NOTIFY channel of its bell. */
  readonly channel: string;
  /** Whatever concerns any of these readers, from a place on. */
  read(readers: readonly Reader[], from: bigint, nowMs: number): Promise<Event[] | undefined>;
  /** What one that reconnects has missed. */
  readMissed(reader: Reader, from: bigint, nowMs: number): Promise<Event[] | undefined>;
  isFor(reader: Reader, event: Event): boolean;
  /** Equal for readers that are told the same. */
  keyOf(reader: Reader): string;
  /** What follows the events that a reader was told, by `keyOf`. */
  after?(readers: readonly Reader[], nowMs: number): Promise<ReadonlyMap<string, StreamEvent>>;
  /** The first event of a stream that resumes nowhere; where there is no `after`. */
  readonly opening?: StreamEvent;
}
