// An event stream on the wire: frames of server-sent events (HTML standard §9.2) and the ids that a client resumes from. Pure.

/** `reset`, from the hub: more was missed than is kept, or the id is not one of ours: read the list again. */
export interface StreamEvent {
  readonly name: string;
  readonly data: unknown;
}

/**
 * One event. JSON holds no line break, so that its data is one line. With a position everything up to it has been told: it stands on
 * an event with data, because not every client takes an id from a frame that has none.
 */
export function eventFrame({ name, data }: StreamEvent, position?: bigint): string {
  const id = position === undefined ? '' : `id: ${position}\n`;
  return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** `eventFrame` of events that many clients are told: their JSON, which is most of the work, is made once. */
export function createFrames(): typeof eventFrame {
  const withoutPosition = new WeakMap<StreamEvent, string>();
  return (event, position) => {
    const frame = withoutPosition.get(event) ?? eventFrame(event);
    withoutPosition.set(event, frame);
    return position === undefined ? frame : `id: ${position}\n${frame}`;
  };
}

/** Everything up to `position` has been told. Alone it is no event, and also what keeps a quiet connection alive. */
export function positionFrame(position: bigint): string {
  return `id: ${position}\n\n`;
}

/** First words of a stream: how long a client waits before it reconnects, not all of them at the same moment. */
export function openingFrame(random: number): string {
  return `retry: ${Math.round(1_000 + 4_000 * random)}\n\n`;
}

/** A transaction id of Postgres is 64 bits wide; whatever else stands there is no position of ours. */
const POSITION = /^[1-9]\d{0,18}$/;
const POSITION_MAX = 2n ** 63n - 1n;

/** The position in a `Last-Event-ID`; null when it is none. */
export function positionOf(lastEventId: string): bigint | null {
  if (!POSITION.test(lastEventId)) return null;
  const position = BigInt(lastEventId);
  return position <= POSITION_MAX ? position : null;
}
