// A reader of server-sent events that behaves like EventSource (HTML standard §9.2.6).
import { eventually } from '@parley/testing';

export interface StreamedEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface EventStream {
  readonly status: number;
  /** Events so far, oldest first. */
  readonly events: StreamedEvent[];
  /** Events of one name. */
  of(event: string): Record<string, unknown>[];
  /** The Last-Event-ID of a reconnecting client. */
  lastEventId(): string;
  /** Every received position, in order. */
  readonly places: bigint[];
  /** Number of heartbeats. */
  beats(): number;
  ended(): boolean;
  close(): void;
}

/** Opens `url` and waits for its counts, after which no event is missed. */
export async function openEventStream(
  url: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const events: StreamedEvent[] = [];
  let lastEventId = '';
  const places: bigint[] = [];
  let beats = 0;
  let ended = false;
  const read = async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        const fields = new Map(
          frame
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
        );
        const id = fields.get('id');
        if (id !== undefined) places.push(BigInt((lastEventId = id)));
        const data = fields.get('data');
        if (data === undefined) beats += 1;
        else events.push({ event: fields.get('event')!, data: JSON.parse(data) as Record<string, unknown> });
      }
    }
  };
  void read()
    .catch(() => undefined) // closed by the test, or lost
    .finally(() => (ended = true));
  const stream: EventStream = {
    status: response.status,
    events,
    of: (event) => events.filter((one) => one.event === event).map(({ data }) => data),
    lastEventId: () => lastEventId,
    places,
    beats: () => beats,
    ended: () => ended,
    close: () => controller.abort(),
  };
  if (response.status === 200) await eventually(() => lastEventId !== '' || ended);
  return stream;
}
