// Answers that go on: server-sent events. A use case returns a `StreamReply`, the pipeline opens it here, and `listen` ends all of
// them when the service stops: a stream never ends by itself, and would hold the stop up.
import type { Express, Response } from 'express';
import { AppError } from '@parley/envelopes';
import { factsOf, headersOf, type ReplyOptions, type Served } from './reply.ts';

/** What a client may leave unread. One that is further behind is cut off, and resumes when it can. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** How often the credential of an open stream is verified again: a revoked key must not go on reading. */
const RECHECK_EVERY_MS = 15_000;

/** One open answer. */
export interface OpenStream {
  /** Sends a piece of the body. False when it is over, or was just cut off because the client does not keep up. */
  write(text: string): boolean;
  end(): void;
  /** Aborted when it is over, by whomever: client, service, or `end()`. */
  readonly signal: AbortSignal;
}

/** An answer that is written to as things happen. Its endpoint names the content type in `produces`. */
export class StreamReply {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called once the headers are sent. What it throws ends the stream. */
  readonly open: (stream: OpenStream) => void | Promise<void>;

  constructor(
    contentType: string,
    open: (stream: OpenStream) => void | Promise<void>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.contentType = contentType;
    this.headers = headers;
    this.open = open;
  }
}

/** Every open stream of an app. */
export interface Streams {
  /** Takes over an answer whose headers are written; `onEnd` is called once. */
  open(response: Response, onEnd: () => void): OpenStream;
  /** Ends them all, and whatever is opened from now on. */
  endAll(): void;
}

export function createStreams(): Streams {
  const open = new Set<OpenStream>();
  let ended = false;
  return {
    open: (response, onEnd) => {
      const controller = new AbortController();
      const over = () => {
        if (controller.signal.aborted) return;
        controller.abort();
        open.delete(stream);
        onEnd();
      };
      const stream: OpenStream = {
        signal: controller.signal,
        write: (text) => {
          if (controller.signal.aborted) return false;
          response.write(text);
          if (response.writableLength <= UNREAD_BYTES_MAX) return true;
          response.destroy();
          over();
          return false;
        },
        end: () => {
          if (!controller.signal.aborted) response.end();
          over();
        },
      };
      open.add(stream);
      // The client may have gone while the headers were made: its `close` is not emitted again.
      if (response.destroyed || response.socket?.destroyed) over();
      else response.once('close', over);
      if (ended) stream.end();
      return stream;
    },
    endAll: () => {
      ended = true;
      for (const stream of [...open]) stream.end();
    },
  };
}

/**
 * Opens an answer that goes on. It is counted when it opens, since its length says nothing of how fast we answer; its log line
 * comes when it ends. `recheck` verifies its Bearer credential again.
 */
export async function openStream(
  { log, metrics, streams }: Pick<ReplyOptions, 'log' | 'metrics'> & { readonly streams: Streams },
  served: Served,
  { contentType, headers, open }: StreamReply,
  recheck: (() => Promise<unknown>) | undefined,
): Promise<void> {
  const { request, response, context, startedAt } = served;
  // An open stream is no request in flight: how many may be open is for its endpoint to say.
  served.admission?.release?.();
  response.writeHead(200, { ...headersOf(served, headers), 'content-type': contentType });
  metrics.observeRequest(request.method, served.route, 200, (performance.now() - startedAt) / 1000);
  let timer: NodeJS.Timeout | undefined;
  const stream = streams.open(response, () => {
    clearInterval(timer);
    const ms = Math.round(performance.now() - startedAt);
    log.info({ ...factsOf(served), status: 200, ms, streamed: true }, 'request.served');
  });
  if (request.method === 'HEAD') return stream.end();
  if (recheck && !stream.signal.aborted) {
    timer = setInterval(() => {
      recheck().catch((error: unknown) => {
        // Not being able to tell (database or identity provider away) ends nothing.
        if (error instanceof AppError && error.code === 'unauthorized') stream.end();
      });
    }, RECHECK_EVERY_MS).unref();
  }
  try {
    response.flushHeaders();
    await open(stream);
  } catch (error) {
    log.error({ err: error, request_id: context.requestId }, 'stream.failed');
    stream.end();
  }
}

/** The streams of an app, for whoever opens and for whoever stops. */
export function streamsOf(app: Pick<Express, 'locals'>): Streams {
  return (app.locals['streams'] ??= createStreams()) as Streams;
}
