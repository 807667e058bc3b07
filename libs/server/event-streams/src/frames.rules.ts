// The wire format of an event stream: server-sent events (HTML standard §9.2) and their ids. Pure.

/**
 * `reset`, from the hub: too much was missed, or the id is not ours. The client must read the list
 * again.
 */
export interface StreamEvent {
  readonly name: string;
  readonly data: unknown;
}

/**
 * One event. JSON has no line breaks, so its data is one line. With a position, everything up to it
 * has been sent. Positions need an event with data, because some clients ignore the id of a frame
 * without data.
 */
export function eventFrame({ name, data }: StreamEvent, position?: string): string {
  const id = position === undefined ? '' : `id: ${position}\n`;
  return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** `eventFrame` for events with many clients: their JSON, most of the work, is built once. */
export function createFrames(): typeof eventFrame {
  const withoutPosition = new WeakMap<StreamEvent, string>();
  return (event, position) => {
    const frame = withoutPosition.get(event) ?? eventFrame(event);
    withoutPosition.set(event, frame);
    return position === undefined ? frame : `id: ${position}\n${frame}`;
  };
}

/**
 * Everything up to `position` has been sent. Without data it is no event, and it keeps a quiet
 * connection alive.
 */
export function positionFrame(position: string): string {
  return `id: ${position}\n\n`;
}

/** Start of a stream: when a client reconnects, with jitter. */
export function openingFrame(random: number): string {
  return `retry: ${Math.round(1_000 + 4_000 * random)}\n\n`;
}
