// One request and its outcome: deadline and limits, the same for every client. A client reports
// what it sees (`started`, `data`, `ended`, `failed`). The first report that decides the outcome
// settles it.
import type { Clock } from '@parley/server/runtime';
import type { Call } from './call.ts';
import { toFailure, type Failure } from './failure.ts';
import { parseRetryAfterMs } from './retry-after.ts';

/**
 * How much of an answer is read (docs/platform.md#outgoing-requests). Then the connection is
 * closed.
 */
export const ANSWER_BYTES_MAX = 64 * 1024;
/** Headers of an answer, names and values; the default of Node and undici. */
export const ANSWER_HEADER_BYTES_MAX = 16 * 1024;

/** Headers in an outcome. Callers need no others, and a receiver may send 16 KiB. */
const STORED_HEADERS = ['content-type', 'content-encoding', 'location', 'retry-after'] as const;
export type StoredHeaders = { readonly [name in (typeof STORED_HEADERS)[number]]?: string };

/** Size of the headers in a trace, names and values. Further headers are omitted. */
const TRACED_HEADER_CHARS_MAX = 4_096;

/** Durations of the parts of a call; null: no such part, for example on an open connection. */
export interface Timings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  /** From the beginning of the call to the headers of the answer. */
  readonly firstByteMs: number | null;
}

/** The timings of opening a connection. */
export type ConnectionTimings = Omit<Timings, 'firstByteMs'>;

/** Extra facts for calls with `Call.trace`. */
export interface Trace {
  /** All headers of the answer, by lower-case name. Null: no answer began. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly timings: Timings;
}

/** A complete or cut-off answer. */
export interface Answer {
  readonly status: number;
  readonly headers: StoredHeaders;
  /**
   * At most 64 KiB, read as UTF-8, NUL replaced (Postgres cannot store it). Empty for a compressed
   * answer, which was not requested. Show it only in the customer's own log.
   */
  readonly body: string;
  /** Replaces `body` when the call has `bytesMax`; absent for a compressed answer. */
  readonly bytes?: Buffer;
  /** The answer was longer than 64 KiB, and the rest was not read. */
  readonly truncated: boolean;
}

export type Outcome =
  | ({ readonly ok: true; readonly ms: number; readonly trace?: Trace } & Answer)
  | ({
      readonly ok: false;
      readonly ms: number;
      readonly trace?: Trace;
      /** How long the receiver asks to be left alone (Retry-After), from now. */
      readonly retryAfterMs?: number;
    } & Failure &
      Partial<Answer>);

/** A failed outcome. `internal` is not enumerable: neither JSON nor a spread includes it. */
export function failed(
  failure: Failure,
  ms: number,
  facts: Partial<Answer> & { retryAfterMs?: number; trace?: Trace } = {},
): Outcome {
  const { errorClass, message, internal } = failure;
  const shown = { ok: false as const, errorClass, message, ...facts, ms };
  return Object.defineProperty(shown, 'internal', { value: internal, enumerable: false }) as typeof shown &
    Failure;
}

type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * A base class for speed: thousands a second are created, and each further object costs (see
 * bench.ts).
 */
export abstract class Exchange {
  readonly #timeoutMs: number;
  readonly #needBody: boolean;
  readonly #bytesMax: number | undefined;
  readonly #clock: Clock;
  readonly #startedMs = performance.now();
  readonly #silentMs: number | undefined;
  #deadline: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;
  #settled = false;
  #status = 0;
  #headers: StoredHeaders | undefined;
  #bytes = 0;
  #pieces: Buffer[] = [];
  readonly #traced: boolean;
  #answered: IncomingHeaders | undefined;
  #firstByteMs: number | null = null;
  /** Timings of the connection, if it was opened for this call. */
  protected opening: ConnectionTimings | null = null;

  constructor(call: Call, clock: Clock) {
    const { timeoutMs, silentMs, bytesMax, needBody = bytesMax !== undefined, trace = false } = call;
    this.#timeoutMs = timeoutMs;
    this.#silentMs = silentMs;
    this.#needBody = needBody;
    this.#bytesMax = bytesMax;
    this.#traced = trace;
    this.#clock = clock;
    this.#deadline = setTimeout(expire, timeoutMs, this, timeoutMs);
  }

  /** Called once, with the outcome. */
  protected abstract settle(outcome: Outcome): void;
  /**
   * Called instead of `settle` for an error that says nothing about the receiver (see `toFailure`).
   */
  protected abstract bug(error: Error): void;
  /** Ends the work of the client and closes its connection; called at most once, after `settle`. */
  protected abstract abort(): void;

  /** Afterwards further reports are ignored. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The status line and headers of the final answer have arrived. */
  started(status: number, headers: IncomingHeaders): void {
    this.#status = status;
    this.#headers = pickHeaders(headers);
    if (!this.#traced) return;
    this.#answered = headers;
    this.#firstByteMs = this.#elapsedMs();
  }

  /** From now on the receiver has `silentMs` until it sends something. */
  listen(): void {
    if (this.#silentMs === undefined || this.#settled) return;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(expire, this.#silentMs, this, this.#silentMs);
  }

  /** Stops the timers while the caller prepares for the body. */
  async hold(prepare: () => Promise<void>): Promise<void> {
    const leftMs = this.#timeoutMs - (performance.now() - this.#startedMs);
    clearTimeout(this.#deadline);
    clearTimeout(this.#silence);
    try {
      await prepare();
    } catch (error) {
      if (this.#settled) return;
      this.#finish();
      this.bug(error as Error);
      this.abort();
    }
    if (this.#settled) return;
    this.#deadline = setTimeout(expire, Math.max(1, leftMs), this, this.#timeoutMs);
    this.listen();
  }

  data(chunk: Buffer): void {
    if (this.#settled) return;
    this.#silence?.refresh();
    appendPiece(this.#pieces, chunk);
    this.#bytes += chunk.length;
    const bytesMax = this.#bytesMax ?? ANSWER_BYTES_MAX;
    if (this.#bytes <= bytesMax) return;
    if (this.#needBody) {
      this.#fail({ errorClass: 'too_large', message: `The answer is larger than ${bytesMax / 1024} KiB.` });
    } else {
      this.#complete();
    }
    this.abort();
  }

  ended(): void {
    if (!this.#settled) this.#complete();
  }

  failed(error: Error): void {
    if (this.#settled) return;
    try {
      this.#fail(toFailure(error));
    } catch {
      this.#finish();
      this.bug(error);
    }
  }

  /** Called when the deadline has passed, or the receiver was silent too long. */
  expired(afterMs: number): void {
    const begun = afterMs === this.#silentMs ? 'Nothing arrived for' : 'No complete answer within';
    const what = this.#status === 0 ? 'No answer within' : begun;
    this.#fail({ errorClass: 'timeout', message: `${what} ${afterMs / 1000} s.` });
    this.abort();
  }

  #complete(): void {
    const status = this.#status;
    if (status >= 200 && status < 300) {
      this.#finish();
      const { headers, body, truncated, bytes } = this.#answer();
      const ms = this.#elapsedMs();
      const answer = { ok: true as const, status, headers, body, truncated, ms };
      const outcome = bytes ? { ...answer, bytes } : answer;
      this.settle(this.#traced ? { ...outcome, trace: this.#trace() } : outcome);
    } else {
      const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
      this.#fail({ errorClass: 'http_status', message: `The answer was ${status}${redirect}.` });
    }
  }

  #fail(failure: Omit<Failure, 'internal'> & Partial<Failure>): void {
    this.#finish();
    const asked = this.#headers?.['retry-after'];
    const waitMs = asked === undefined ? undefined : parseRetryAfterMs(asked, this.#clock());
    const facts = {
      ...(this.#status === 0 ? {} : this.#answer()),
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
      ...(this.#traced ? { trace: this.#trace() } : {}),
    };
    this.settle(failed({ internal: {}, ...failure }, this.#elapsedMs(), facts));
  }

  #finish(): void {
    this.#settled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#silence);
  }

  #answer(): Answer {
    const headers = this.#headers ?? {};
    const encoding = headers['content-encoding'];
    const readable = encoding === undefined || encoding.toLowerCase() === 'identity';
    const pieces = readable ? this.#pieces : [];
    this.#pieces = []; // the client may keep the exchange for a while
    if (this.#bytesMax !== undefined)
      return {
        status: this.#status,
        headers,
        body: '',
        truncated: false,
        ...(readable ? { bytes: Buffer.concat(pieces) } : {}),
      };
    return { status: this.#status, headers, body: toText(pieces), truncated: this.#bytes > ANSWER_BYTES_MAX };
  }

  #trace(): Trace {
    const { dnsMs = null, connectMs = null, tlsMs = null } = this.opening ?? {};
    return {
      headers: this.#answered ? toTraceHeaders(this.#answered) : null,
      timings: { dnsMs, connectMs, tlsMs, firstByteMs: this.#firstByteMs },
    };
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedMs);
  }
}

function expire(exchange: Exchange, afterMs: number): void {
  exchange.expired(afterMs);
}

/**
 * A receiver may send each byte as a chunk, whose overhead would exceed the body. So a piece is
 * joined with earlier ones that are no larger: there are few pieces, and each byte is copied a few
 * times.
 */
function appendPiece(pieces: Buffer[], chunk: Buffer): void {
  let last = chunk;
  while (pieces.length > 0 && pieces.at(-1)!.length <= last.length)
    last = Buffer.concat([pieces.pop()!, last]);
  pieces.push(last);
}

function toText(pieces: readonly Buffer[]): string {
  const [first] = pieces;
  if (first === undefined) return '';
  const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
  const text = bytes.toString('utf8', 0, Math.min(bytes.length, ANSWER_BYTES_MAX));
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

function pickHeaders(headers: IncomingHeaders): StoredHeaders {
  const kept: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
    const value = headers[name];
    if (value !== undefined) kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

function toTraceHeaders(headers: IncomingHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  let left = TRACED_HEADER_CHARS_MAX;
  for (const [name, given] of Object.entries(headers)) {
    if (given === undefined) continue;
    const value = (Array.isArray(given) ? given.join(', ') : given).replaceAll('\0', '\uFFFD');
    left -= name.length + value.length;
    if (left >= 0) kept[name] = value;
  }
  return kept;
}
