// One HTTP/2 connection to a push service, on a socket that libs/outbound has checked.
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import { toFailure } from '@parley/outbound';

/** What came of one request: an answer, or why there is none. */
export type PostResult =
  | {
      readonly ok: true;
      readonly status: number;
      /** Of an answer that is not a success; its beginning. */
      readonly body: string;
      readonly retryAfter: string | undefined;
    }
  | {
      readonly ok: false;
      readonly errorClass: string;
      /** The service says that it has not looked at the request (RFC 9113 §8.7): it may be sent again at once. */
      readonly untouched: boolean;
    };

export interface H2Connection {
  /** False once it takes nothing new: closing, closed, or asked to go away. */
  readonly usable: boolean;
  /** Requests that may be open at once, as the service says. */
  readonly streamsMax: number;
  /** Never rejects. */
  post(path: string, headers: OutgoingHttpHeaders, body: Buffer, timeoutMs: number): Promise<PostResult>;
  /** Takes nothing new; what is in flight is answered, or `destroy` is called. */
  close(): void;
  destroy(): void;
}

/** A connection that nobody used for so long is closed: services close them after a minute or so anyway. */
const IDLE_MS = 55_000;
/** What is read of an answer: reasons are short, and nothing else in it matters. */
const ANSWER_BYTES_MAX = 4 * 1024;

export function openH2(origin: string, socket: Socket): H2Connection {
  const session = connect(origin, {
    createConnection: () => socket,
    settings: { enablePush: false },
  });
  session.on('error', () => undefined); // every stream gets its own end
  session.setTimeout(IDLE_MS, () => session.close());
  return {
    get usable() {
      return !session.closed && !session.destroyed;
    },
    get streamsMax() {
      return session.remoteSettings?.maxConcurrentStreams ?? Infinity;
    },
    post: (path, headers, body, timeoutMs) => post(session, path, headers, body, timeoutMs),
    close: () => session.close(),
    destroy: () => session.destroy(),
  };
}

function post(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders,
  body: Buffer,
  timeoutMs: number,
): Promise<PostResult> {
  return new Promise((resolve) => {
    let status = 0;
    let retryAfter: string | undefined;
    let text = '';
    let error: Error | undefined;

    let stream: ClientHttp2Stream;
    try {
      stream = session.request({ ':method': 'POST', ':path': path, ...headers }); // a member after a spread costs 2 us
    } catch {
      resolve(CLOSED_BEFORE);
      return;
    }
    const timer = setTimeout(() => {
      settle({ ok: false, errorClass: 'timeout', untouched: false });
      stream.close(constants.NGHTTP2_CANCEL);
    }, timeoutMs);
    function settle(result: PostResult): void {
      clearTimeout(timer);
      resolve(result); // the first call counts
    }

    stream.on('response', (answer) => {
      status = Number(answer[':status']);
      retryAfter = answer['retry-after'];
      // A success is in its status: whatever else follows is taken off the connection and not looked at.
      if (status >= 200 && status < 300) settle({ ok: true, status, body: '', retryAfter });
    });
    stream.on('data', (chunk: Buffer) => {
      if (text.length < ANSWER_BYTES_MAX) text += chunk.toString('latin1', 0, ANSWER_BYTES_MAX - text.length);
      else stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on('error', (cause: Error) => (error = cause));
    stream.on('close', () => {
      if (status > 0) settle({ ok: true, status, body: text, retryAfter });
      else settle(brokenOff(error, stream.rstCode));
    });
    stream.end(body);
  });
}

/** The connection closed between the look at it and the request. */
const CLOSED_BEFORE: PostResult = { ok: false, errorClass: 'connection_lost', untouched: true };

function brokenOff(error: Error | undefined, rstCode: number | undefined): PostResult {
  const untouched = rstCode === constants.NGHTTP2_REFUSED_STREAM;
  return { ok: false, errorClass: untouched ? 'connection_lost' : classOf(error), untouched };
}

/** `failureOf` throws what it takes for a failure of ours; a stream that ended is never that. */
function classOf(error: Error | undefined): string {
  try {
    return error === undefined ? 'connection_lost' : toFailure(error).errorClass;
  } catch {
    return 'connection_lost';
  }
}
