// A reader of server-sent events, as EventSource is one (HTML standard §9.2.6).
import { eventually } from '@parley/testkit';

export interface Told {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface EventStream {
  readonly status: number;
  /** Events so far, oldest first. */
  readonly told: Told[];
  /** Of one name. */
  of(event: string): Record<string, unknown>[];
  /** What a reconnecting client would send as Last-Event-ID. */
  lastEventId(): string;
  /** Every place that it was told, in order. */
  readonly places: bigint[];
  /** Lines that are no event: signs of life. */
  beats(): number;
  ended(): boolean;
  close(): void;
}

/** Opens `url` and waits until its counts have been told, which is when nothing is missed any more. */
export async function openEventStream(
  url: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const told: Told[] = [];
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
        else told.push({ event: fields.get('event')!, data: JSON.parse(data) as Record<string, unknown> });
      }
    }
  };
  void read()
    .catch(() => undefined) // closed by the test, or broken off
    .finally(() => (ended = true));
  const stream: EventStream = {
    status: response.status,
    told,
    of: (event) => told.filter((one) => one.event === event).map(({ data }) => data),
    lastEventId: () => lastEventId,
    places,
    beats: () => beats,
    ended: () => ended,
    close: () => controller.abort(),
  };
  if (response.status === 200) await eventually(() => lastEventId !== '' || ended);
  return stream;
}
