// Server-sent events (HTML standard §9.2) that go on where they were cut (docs/sdk.md#streams).
import { ConnectionError } from './errors.ts';
import type { CallOptions, Input, Operation, Sender } from './options.ts';
import { pause, pauseBefore } from './send.ts';

/** One event. */
export interface StreamEvent<Name extends string = string, Data = unknown> {
  readonly event: Name;
  readonly data: Data;
  /** Where the stream was after it: what `Last-Event-ID` takes. Empty before the service named a place. */
  readonly id: string;
}

/** The services give a sign of life every 15 s, a minute at most. */
const SILENCE_MS_MAX = 90_000;
/** No event of ours is half as large. */
const FRAME_CHARS_MAX = 2 ** 21;

/** Opened when it is looped over. Ends with `break`, or by the signal of its call, whose reason it throws. */
export class EventStream<Event extends StreamEvent = StreamEvent> implements AsyncIterable<Event> {
  readonly #open: (lastId: string, signal: AbortSignal) => Promise<Response>;
  readonly #operation: Operation;
  readonly #signal: AbortSignal | undefined;

  constructor(sender: Sender, operation: Operation, input: Input, options: CallOptions) {
    this.#operation = operation;
    this.#signal = options.signal;
    this.#open = (lastId, signal) => {
      const headers = {
        ...options.headers,
        accept: 'text/event-stream',
        ...(lastId && { 'last-event-id': lastId }),
      };
      // The place that the caller named is passed by now.
      const asked = lastId ? { ...input, last_event_id: undefined } : input;
      return sender(operation, asked, { ...options, headers, signal });
    };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    const ended = new AbortController();
    const onAbort = () => ended.abort(this.#signal!.reason);
    this.#signal?.throwIfAborted();
    this.#signal?.addEventListener('abort', onAbort, { once: true });
    const place = { id: '', retryMs: 1_000 };
    try {
      for (let failures = 0; ;) {
        try {
          const response = await this.#open(place.id, ended.signal);
          failures = 0;
          yield* eventsIn(response.body!, place) as AsyncGenerator<Event>;
          if (place.id === '') return; // nowhere to go on from: it was all there is
        } catch (error) {
          ended.signal.throwIfAborted();
          // Refused for good, or cut before there was a place to go on from: nobody can tell what was missed.
          if (place.id === '' || pauseBefore(error, failures, this.#operation) === null) throw error;
        }
        const pauseMs = pauseBefore(new ConnectionError(), failures, this.#operation)!;
        await pause(Math.max(failures === 0 ? place.retryMs : 0, pauseMs), ended.signal);
        failures += 1;
      }
    } finally {
      this.#signal?.removeEventListener('abort', onAbort);
      ended.abort();
    }
  }
}

/** Events as they come. `place` follows what the stream says of itself. @throws ConnectionError when it is cut. */
async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  place: { id: string; retryMs: number },
): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let unread = '';
  let event = '';
  let { id } = place;
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await untilSilent(reader.read());
      if (done) return;
      unread += decoder.decode(value, { stream: true });
      if (unread.length > FRAME_CHARS_MAX)
        throw new ConnectionError('An event is larger than any that Parley sends.');
      // A carriage return at the end may be half of a line break.
      const lines = unread.split(/\r\n|\n|\r(?!$)/);
      unread = lines.pop()!;
      for (const line of lines) {
        const [, name = '', text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
        if (line === '') {
          place.id = id; // not before: an event that was cut in the middle is to come again
          if (data.length > 0) yield { event: event || 'message', data: parsed(data.join('\n')), id };
          event = '';
          data = [];
        } else if (name === 'data') data.push(text);
        else if (name === 'event') event = text;
        else if (name === 'id') id = text;
        else if (name === 'retry' && /^\d+$/.test(text)) place.retryMs = Number(text);
      }
    }
  } finally {
    reader.cancel().catch(() => undefined); // it may be cut already
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A connection that says nothing for so long is dead, though nobody told. */
async function untilSilent<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectionError('The stream fell silent.')), SILENCE_MS_MAX);
  });
  try {
    return await Promise.race([reading, silence]);
  } catch (cause) {
    throw cause instanceof ConnectionError ? cause : new ConnectionError('The stream was cut.', { cause });
  } finally {
    clearTimeout(timer);
  }
}
