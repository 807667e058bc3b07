// One request and what becomes of it: deadline, limits and outcome, the same for every client that carries it. A client tells
// what it sees (`started`, `data`, `ended`, `failed`); the first thing that decides the outcome settles it.
import type { Clock } from '@parley/runtime';
import type { Call } from './call.ts';
import { failureOf, type Failure } from './failure.ts';
import { retryAfterMs } from './retry-after.ts';

/** What is read of an answer (docs/platform.md#outgoing-requests). The rest is cut off and the connection closed. */
export const ANSWER_BYTES_MAX = 64 * 1024;
/** Headers of an answer, names and values; Node's and undici's own default. */
export const ANSWER_HEADER_BYTES_MAX = 16 * 1024;

/** Headers that outcomes keep. The rest is of no use to a caller, and a receiver may send 16 KiB of it. */
const KEPT_HEADERS = ['content-type', 'content-encoding', 'location', 'retry-after'] as const;
export type KeptHeaders = { readonly [name in (typeof KEPT_HEADERS)[number]]?: string };

/** Headers of an answer that a trace keeps, names and values: what is beyond is left out. */
const TRACED_HEADER_CHARS_MAX = 4_096;

/** How long the parts of a call took; null: there was no such part, as on a connection that was open already. */
export interface Timings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly tlsMs: number | null;
  /** From the beginning of the call to the headers of the answer. */
  readonly firstByteMs: number | null;
}

/** The part of the timings that a connection has. */
export type Opening = Omit<Timings, 'firstByteMs'>;

/** What a call that asks for it (`Call.trace`) tells of itself beside its outcome. */
export interface Trace {
  /** All of the answer, by their lower-case names. Null: none had begun. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly timings: Timings;
}

/** A complete or cut-off answer. */
export interface Answer {
  readonly status: number;
  readonly headers: KeptHeaders;
  /**
   * At most 64 KiB, read as UTF-8, NUL replaced (Postgres cannot store it). Empty for a compressed answer, which was not
   * asked for and is not unpacked. What a customer's server says may stand in the customer's own log, and nowhere else.
   */
  readonly body: string;
  /** In place of `body`, where the call has a `bytesMax`; absent for a compressed answer. */
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
      /** How long the receiver asked to be left alone (Retry-After), from now. */
      readonly retryAfterMs?: number;
    } & Failure &
      Partial<Answer>);

/** A failed outcome. Its `internal` is read on purpose or not at all: neither JSON nor a spread takes it along. */
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

/** A base class, not a member: thousands a second are made, and each object more is felt (see bench.ts). */
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
  #headers: KeptHeaders | undefined;
  #bytes = 0;
  #pieces: Buffer[] = [];
  readonly #traced: boolean;
  #answered: IncomingHeaders | undefined;
  #firstByteMs: number | null = null;
  /** Of the connection, where it was opened for this call. */
  protected opening: Opening | null = null;

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
  /** Called instead of `settle` for an error that says nothing of the receiver (see `failureOf`). */
  protected abstract bug(error: Error): void;
  /** Ends the work of the client and closes its connection; called at most once, after `settle`. */
  protected abstract abort(): void;

  /** After that nothing the client sees matters any more. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The status line and headers of the final answer have arrived. */
  started(status: number, headers: IncomingHeaders): void {
    this.#status = status;
    this.#headers = keptHeaders(headers);
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

  /** Stops the clocks while the caller prepares for the body. */
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
    keep(this.#pieces, chunk);
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
      this.#fail(failureOf(error));
    } catch {
      this.#finish();
      this.bug(error);
    }
  }

  /** Called when the deadline has passed, or nothing came for so long. */
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
    const waitMs = asked === undefined ? undefined : retryAfterMs(asked, this.#clock());
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
    this.#pieces = []; // nothing is read any more, and the client may hold on to the exchange for a while
    if (this.#bytesMax !== undefined)
      return {
        status: this.#status,
        headers,
        body: '',
        truncated: false,
        ...(readable ? { bytes: Buffer.concat(pieces) } : {}),
      };
    return { status: this.#status, headers, body: textOf(pieces), truncated: this.#bytes > ANSWER_BYTES_MAX };
  }

  #trace(): Trace {
    const { dnsMs = null, connectMs = null, tlsMs = null } = this.opening ?? {};
    return {
      headers: this.#answered ? tracedHeaders(this.#answered) : null,
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
 * A receiver may send each byte as a chunk of its own, and the object around it, or the 64 KiB it was read with, would weigh more than
 * the body: so a piece is joined with those before it that are no larger. There are never many, and each byte is copied a few times.
 */
function keep(pieces: Buffer[], chunk: Buffer): void {
  let last = chunk;
  while (pieces.length > 0 && pieces.at(-1)!.length <= last.length)
    last = Buffer.concat([pieces.pop()!, last]);
  pieces.push(last);
}

function textOf(pieces: readonly Buffer[]): string {
  const [first] = pieces;
  if (first === undefined) return '';
  const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
  const text = bytes.toString('utf8', 0, Math.min(bytes.length, ANSWER_BYTES_MAX));
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

function keptHeaders(headers: IncomingHeaders): KeptHeaders {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers[name];
    if (value !== undefined) kept[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

function tracedHeaders(headers: IncomingHeaders): Record<string, string> {
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
