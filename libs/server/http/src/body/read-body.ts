// Reads a JSON body within its limits. Refuses the same as express.json(), with our codes, at a
// third of the cost (docs/performance.md#http).
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { printParseErrorCode, visit, type JSONVisitor } from 'jsonc-parser';
import { AppError, type FieldProblem } from '@parley/envelopes';
import type { UnreadBody } from '../endpoint.ts';
import { mayBeRefused, PROBLEMS_MAX, findRefusedJson } from './refused-json.ts';
import { analyzeShape } from './text-shape.ts';
import { findLostJson, mayHaveLost } from './lost-json.ts';

/** Enough for any request but a flow. Bounds the memory of one request. */
export const BODY_BYTES_MAX = 1024 * 1024;
/**
 * Larger bodies take some milliseconds to read, and others should not wait for them
 * (docs/performance.md#what-one-request-may-take).
 */
export const LARGE_BODY_BYTES = 256 * 1024;
/**
 * How much of a too large body is read and discarded. Most clients read the answer only after
 * sending the whole body, so closing the connection earlier loses them the 413.
 */
const DISCARDED_BYTES_MAX = 16 * 1024 * 1024;
/** A slower body occupies a connection and memory (docs/platform.md#limits). */
export const BODY_WITHIN_MS = 30_000;
/**
 * How long the client of a slow body may still send while it reads its 408. Closing at once, with
 * bytes unread, resets the connection, and the client loses the answer.
 */
const LINGER_MS = 2_000;

/**
 * What a use case that checks item by item accepts or refuses itself, instead of the whole body
 * being refused.
 */
export interface BodyDoubts {
  /** `refusedIn` may find something. */
  mayBeRefused: boolean;
  /** What was lost in parsing. */
  lost: readonly FieldProblem[];
}

/**
 * The parsed body. An absent body is `{}` and needs no content type
 * (docs/platform.md#wire-conventions). `doubts` receives what must not refuse the whole body.
 * @throws AppError payload_too_large, request_timeout, unsupported_media_type, or invalid_request
 * with the place of every problem.
 */
export async function readJsonBody(
  request: IncomingMessage,
  bytesMax: number = BODY_BYTES_MAX,
  withinMs: number = BODY_WITHIN_MS,
  doubts?: BodyDoubts,
): Promise<unknown> {
  return parseJsonBody(await readJsonBytes(request, bytesMax, withinMs), request.headers, doubts);
}

/**
 * The body as bytes. @throws AppError payload_too_large, request_timeout, unsupported_media_type
 */
export async function readJsonBytes(
  request: IncomingMessage,
  bytesMax?: number,
  withinMs?: number,
): Promise<Buffer> {
  const { headers } = request;
  if (Number(headers['content-length'] ?? 0) > 0) requireJson(headers);
  return readRawBody(request, bytesMax, withinMs);
}

/**
 * The exact bytes of a body, for a credential that signs them. @throws AppError payload_too_large,
 * request_timeout
 */
export function readRawBody(
  request: IncomingMessage,
  bytesMax: number = BODY_BYTES_MAX,
  withinMs: number = BODY_WITHIN_MS,
): Promise<Buffer> {
  if (request.headers['transfer-encoding'] === undefined) {
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared === 0) return Promise.resolve(Buffer.alloc(0));
    if (declared > bytesMax) {
      discardRest(request);
      throw tooLarge(bytesMax);
    }
  }
  return readBytes(request, bytesMax, withinMs);
}

/** The result of `readJsonBody` for a body that has been read. @throws as it does. */
export function parseJsonBody(bytes: Buffer, headers: UnreadBody['headers'], doubts?: BodyDoubts): unknown {
  if (bytes.length === 0) return {}; // absent, or sent without any chunk
  requireJson(headers);
  if (!isUtf8(bytes)) throw notJson('is not UTF-8');
  const text = bytes.toString('utf8');
  if (isBlank(text)) return {};
  const { tooMany, counted } = analyzeShape(text);
  if (tooMany !== null) refuse([{ path: '', message: tooMany, code: 'too_big' }]);
  const body = parse(text);
  const doubtful = mayBeRefused(text, counted?.depth);
  if (doubtful && !doubts) refuse(findRefusedJson(body));
  // The text of a possibly too deep body is read instead, which needs no stack.
  const lost = (doubtful && doubts) || mayHaveLost(text, body, counted?.members) ? findLostJson(text) : [];
  if (doubts && lost.length < PROBLEMS_MAX) Object.assign(doubts, { mayBeRefused: doubtful, lost });
  else refuse(lost);
  return body;
}

/** @throws AppError invalid_request if there are problems. */
function refuse(fields: FieldProblem[]): void {
  if (fields.length > 0) throw new AppError('invalid_request', 'the body cannot be accepted', { fields });
}

/** Avoids a copy of a text that begins without a blank, as all do. */
function isBlank(text: string): boolean {
  return text.charCodeAt(0) <= 0x20 && text.trim() === '';
}

function requireJson(headers: UnreadBody['headers']): void {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = headers;
  if (contentEncoding !== undefined && contentEncoding !== 'identity') {
    throw new AppError(
      'unsupported_media_type',
      'compressed bodies are not accepted: send it without Content-Encoding',
    );
  }
  // The usual case first; only other values are parsed.
  if (contentType === 'application/json') return;
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isJson = type === 'application/json' || /^application\/[a-z0-9.+-]+\+json$/.test(type);
  if (!isJson || (charset !== undefined && !/^"?utf-?8"?$/.test(charset))) {
    throw new AppError(
      'unsupported_media_type',
      'the body must be sent as Content-Type: application/json, in UTF-8',
    );
  }
}

function tooLarge(bytesMax: number): AppError {
  return new AppError('payload_too_large', `the body is larger than ${bytesMax} bytes`);
}

function readBytes(request: IncomingMessage, bytesMax: number, withinMs: number): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    timer = setTimeout(() => {
      request.removeAllListeners('data');
      closeSoon(request);
      reject(tooSlow(withinMs));
    }, withinMs).unref();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        request.removeAllListeners('data');
        discardRest(request);
        reject(tooLarge(bytesMax));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('aborted', () => reject(new AppError('invalid_request', 'the body ended early')));
  }).finally(() => clearTimeout(timer));
}

/** Without `Connection: close`, by which Node would close before the client has read the answer. */
function tooSlow(withinMs: number): AppError {
  return new AppError('request_timeout', `the body did not arrive within ${withinMs / 1000} s`);
}

/** Closes the connection after `LINGER_MS`, unless the rest of the body has arrived by then. */
function closeSoon(request: IncomingMessage): void {
  discardRest(request);
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.once('end', () => clearTimeout(timer));
}

/** Lets the client finish and read its answer. A body without end is cut off. */
function discardRest(request: IncomingMessage): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARDED_BYTES_MAX) request.socket.destroy();
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(findFirstFault(text));
  }
}

/**
 * The first fault and its place, counted from 1. Messages of JSON.parse differ between versions of
 * Node, often name no place, and quote the text, which must not reach the log.
 */
function findFirstFault(text: string): string {
  let first: string | undefined;
  const onError: JSONVisitor['onError'] = (error, _offset, length, line, column) => {
    if (first !== undefined) return;
    const name = printParseErrorCode(error); // `ColonExpected`
    // An unexpected end is reported where the string or number ends, everything else where it
    // begins.
    const at = name.startsWith('UnexpectedEnd') ? column + length : column;
    const words = name.replaceAll(/(?!^)[A-Z]/g, ' $&').toLowerCase();
    first = `${words} at line ${line + 1}, column ${at + 1}`;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the visitor is recursive
  }
  return first ?? 'nested too deeply to say where';
}

function notJson(why: string): AppError {
  return new AppError('invalid_request', 'the body is not valid JSON', {
    fields: [{ path: '', message: why, code: 'malformed_json' }],
  });
}
