// Server-sent events (HTML standard §9.2) that resume after a cut (docs/sdk.md#streams).
import { ConnectionError } from './errors.ts';
import type { CallOptions, Input, Operation, Sender } from './options.ts';
import { pause, computePauseMs } from './send.ts';

/** One event. */
export interface StreamEvent<Name extends string = string, Data = unknown> {
  readonly event: Name;
  readonly data: Data;
  /** The position after the event, for `Last-Event-ID`. Empty before the service sent one. */
  readonly id: string;
}

/** Services send a heartbeat every 15 s by default, and at least once a minute. */
const SILENCE_MS_MAX = 90_000;
/** No event of Parley is half as large. */
const FRAME_CHARS_MAX = 2 ** 21;

/**
 * Opens when the loop starts. Ends with `break`, or with the signal of its call, whose reason it
 * throws.
 */
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
      // The caller's position has passed by now.
      const asked = lastId ? { ...input, last_event_id: undefined } : input;
      return sender(operation, asked, { ...options, headers, signal });
    };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    const place = { id: '', retryMs: 1_000 };
    for (let failures = 0; ;) {
      // One for each connection: what listens to it goes with it.
      const connection = new AbortController();
      const onAbort = () => connection.abort(this.#signal!.reason);
      this.#signal?.throwIfAborted();
      this.#signal?.addEventListener('abort', onAbort, { once: true });
      try {
        const response = await this.#open(place.id, connection.signal);
        failures = 0;
        yield* readEvents(response.body!, place) as AsyncGenerator<Event>;
        if (place.id === '') return; // no position to resume from
      } catch (error) {
        this.#signal?.throwIfAborted();
        // A permanent refusal, or a cut before the first position: events may be missing.
        if (place.id === '' || computePauseMs(error, failures, this.#operation) === null) throw error;
      } finally {
        this.#signal?.removeEventListener('abort', onAbort);
        connection.abort();
      }
      const pauseMs = computePauseMs(new ConnectionError(), failures, this.#operation)!;
      await pause(Math.max(failures === 0 ? place.retryMs : 0, pauseMs), this.#signal);
      failures += 1;
    }
  }
}

/**
 * Reads events. `place` follows the stream's position. @throws ConnectionError when the stream is
 * cut
 */
async function* readEvents(
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
      const { done, value } = await failOnSilence(reader.read());
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
          place.id = id; // only after a whole event, so that a cut event comes again
          if (data.length > 0) yield { event: event || 'message', data: parseData(data.join('\n')), id };
          event = '';
          data = [];
        } else if (name === 'data') data.push(text);
        else if (name === 'event') event = text;
        else if (name === 'id') id = text;
        else if (name === 'retry' && /^\d+$/.test(text)) place.retryMs = Number(text);
      }
    }
  } finally {
    reader.cancel().catch(() => undefined); // it may be closed
  }
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A silent connection is dead. */
async function failOnSilence<T>(reading: Promise<T>): Promise<T> {
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
