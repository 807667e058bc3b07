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
import { readWnsWord } from './wns.rules.ts';

/** The answer to a request, or why there is none. */
export type PostResult =
  | {
      readonly ok: true;
      readonly status: number;
      /** The beginning of an error answer. */
      readonly body: string;
      readonly retryAfter: string | undefined;
    }
  | {
      readonly ok: false;
      readonly errorClass: string;
      /** The service did not process the request (RFC 9113 §8.7): it may be sent again at once. */
      readonly untouched: boolean;
    };

export interface H2Connection {
  /** False when the connection is closing or closed, or the server sent GOAWAY. */
  readonly usable: boolean;
  /** Concurrent requests that the service allows. */
  readonly streamsMax: number;
  /** Never rejects. */
  post(path: string, headers: OutgoingHttpHeaders, body: Buffer, timeoutMs: number): Promise<PostResult>;
  /** Refuses new requests. Those in flight end by themselves or with `destroy`. */
  close(): void;
  destroy(): void;
}

/** Idle connections close after this time, slightly before the services close them. */
const IDLE_MS = 55_000;
/** Bytes read of an answer; the reason is short. */
const ANSWER_BYTES_MAX = 4 * 1024;

export function openH2(origin: string, socket: Socket): H2Connection {
  const session = connect(origin, {
    createConnection: () => socket,
    settings: { enablePush: false },
  });
  session.on('error', () => undefined); // every stream reports its own end
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
    let statusWord = '';
    let error: Error | undefined;

    let stream: ClientHttp2Stream;
    try {
      // a member after a spread costs 2 us
      const own = { ':method': 'POST', ':path': path, 'content-length': body.length };
      stream = session.request({ ...own, ...headers });
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
      resolve(result); // only the first call has an effect
    }

    stream.on('response', (answer) => {
      status = Number(answer[':status']);
      retryAfter = answer['retry-after'];
      statusWord = readWnsWord(answer);
      // The status decides success. The rest of the answer is discarded.
      if (status >= 200 && status < 300) settle({ ok: true, status, body: '', retryAfter });
    });
    stream.on('data', (chunk: Buffer) => {
      if (text.length < ANSWER_BYTES_MAX) text += chunk.toString('latin1', 0, ANSWER_BYTES_MAX - text.length);
      else stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on('error', (cause: Error) => (error = cause));
    stream.on('close', () => {
      if (status > 0) settle({ ok: true, status, body: text || statusWord, retryAfter });
      else settle(toBrokenResult(error, stream.rstCode));
    });
    stream.end(body);
  });
}

/** The connection closed between the check and the request. */
const CLOSED_BEFORE: PostResult = { ok: false, errorClass: 'connection_lost', untouched: true };

function toBrokenResult(error: Error | undefined, rstCode: number | undefined): PostResult {
  const untouched = rstCode === constants.NGHTTP2_REFUSED_STREAM;
  return { ok: false, errorClass: untouched ? 'connection_lost' : classify(error), untouched };
}

/** `toFailure` rethrows what it takes for a failure of ours, which an ended stream never is. */
function classify(error: Error | undefined): string {
  try {
    return error === undefined ? 'connection_lost' : toFailure(error).errorClass;
  } catch {
    return 'connection_lost';
  }
}
