// Streamed answers: server-sent events. A use case returns a `StreamReply`, the pipeline opens it,
// and `listen` ends all streams when the service stops.
import type { Express, Response } from 'express';
import { AppError } from '@parley/envelopes';
import { findRecordedTrace } from '@parley/server/tracing';
import { endSpan, toLogFacts, buildHeaders, type ReplyOptions, type ServedRequest } from './reply.ts';

/** How much a client may leave unread. A slower client is cut off and can resume. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/**
 * How often the credential of an open stream is verified again: a revoked key must stop reading.
 */
const RECHECK_EVERY_MS = 15_000;

/** One open answer. */
export interface OpenStream {
  /**
   * Sends a piece of the body. False when the stream is over, or was cut off because the client is
   * too slow.
   */
  write(text: string): boolean;
  end(): void;
  /** Aborts when the stream is over: ended by client, service, or `end()`. */
  readonly signal: AbortSignal;
}

/** A streamed answer. Its endpoint names the content type in `produces`. */
export class StreamReply {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called once the headers are sent. An error ends the stream. */
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

/** All open streams of an app. */
export interface Streams {
  /** Takes over an answer whose headers are written; `onEnd` is called once. */
  open(response: Response, onEnd: () => void): OpenStream;
  /** Ends them all, and every stream that opens later. */
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
      // The client may have gone while the headers were built: `close` is not emitted again.
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
 * Opens a stream. Metrics and its span count it now, since its length says nothing about our speed;
 * its log line follows at the end. `recheck` verifies its Bearer credential again.
 */
export async function openStream(
  { log, metrics, streams }: Pick<ReplyOptions, 'log' | 'metrics'> & { readonly streams: Streams },
  served: ServedRequest,
  { contentType, headers, open }: StreamReply,
  recheck: (() => Promise<unknown>) | undefined,
): Promise<void> {
  const { request, response, context, startedAt } = served;
  // An open stream is no request in flight: its endpoint limits their number.
  served.admission?.release?.();
  response.writeHead(200, { ...buildHeaders(served, headers), 'content-type': contentType });
  endSpan(served, 200);
  const traceId = findRecordedTrace(served.span?.traceparent);
  metrics.observeRequest(request.method, served.route, 200, (performance.now() - startedAt) / 1000, traceId);
  let timer: NodeJS.Timeout | undefined;
  const stream = streams.open(response, () => {
    clearInterval(timer);
    const ms = Math.round(performance.now() - startedAt);
    log.info({ ...toLogFacts(served), status: 200, ms, streamed: true }, 'request.served');
  });
  if (request.method === 'HEAD') return stream.end();
  if (recheck && !stream.signal.aborted) {
    timer = setInterval(() => {
      recheck().catch((error: unknown) => {
        // An unavailable database or identity provider ends nothing.
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

/** The streams of an app. */
export function getStreams(app: Pick<Express, 'locals'>): Streams {
  return (app.locals['streams'] ??= createStreams()) as Streams;
}
