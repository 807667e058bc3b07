// What a service passes to the hub: its events, in the order of `readSnapshot`, and their readers.
import type { StreamEvent } from './frames.rules.ts';

/** An event at a position in the order of `readSnapshot`. */
export interface HubEvent {
  /** Identifies an event that is read again. */
  readonly key: string;
  readonly position: bigint;
  readonly createdAtMs: number;
  readonly organizationId: string;
  /** Null: not sent itself, only its effects are (`after`). */
  readonly event: StreamEvent | null;
}

/**
 * The events of the streams. Both reads return events in order, or undefined where there are too
 * many.
 */
export interface HubSource<Reader, Event extends HubEvent> {
  /** NOTIFY channel of its bell. */
  readonly channel: string;
  /** Events for any of these readers, from a position on. */
  read(readers: readonly Reader[], from: bigint, nowMs: number): Promise<Event[] | undefined>;
  /** What a reconnecting reader has missed. */
  readMissed(reader: Reader, from: bigint, nowMs: number): Promise<Event[] | undefined>;
  isFor(reader: Reader, event: Event): boolean;
  /** Equal for readers that get the same events. */
  getKey(reader: Reader): string;
  /** What follows the events that a reader got, by `getKey`. */
  after?(readers: readonly Reader[], nowMs: number): Promise<ReadonlyMap<string, StreamEvent>>;
  /** The first event of a stream that does not resume; only without `after`. */
  readonly opening?: StreamEvent;
}
