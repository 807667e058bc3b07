// Where a request ends, and which headers go on: everything that belongs to one connection stays on
// it (RFC 9110 §7.6.1, RFC 9112 §6).
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Their meaning has no body. Programs disagree where such a request ends. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

const OF_ONE_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'http2-settings'],
];
const STAYS_HERE = new Set([
  ...OF_ONE_CONNECTION,
  ...['host', 'cookie', 'authorization', 'origin', 'referer', 'forwarded', 'via'],
]);
const STAYS_THERE = new Set([
  ...OF_ONE_CONNECTION,
  ...['set-cookie', 'content-security-policy', 'strict-transport-security', 'clear-site-data'],
]);

/** Node's parser has checked both: one number, or codings that end with `chunked`. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Why a request is not passed on; undefined: it may be. */
export function framingProblem(request: IncomingMessage): string | undefined {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return 'transfer-encoding is not supported: send the body with content-length, or chunked.';
  if (WITHOUT_BODY.has(request.method ?? '') && hasBody(request))
    return `${request.method} has no body: send the request without one.`;
  return undefined;
}

/** Without a body also without its length: undici says what there is to say. */
export function toService(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'content-length': length, ...rest } = without(headers, STAYS_HERE);
  return Number(length) > 0 ? { ...rest, 'content-length': length } : rest;
}

export const toBrowser = (headers: IncomingHttpHeaders): IncomingHttpHeaders => without(headers, STAYS_THERE);

/**
 * `Connection` names more of them, but never what a proxy says of the client: keys are bound to
 * that address.
 */
function without(headers: IncomingHttpHeaders, left: ReadonlySet<string>): IncomingHttpHeaders {
  const named = String(headers.connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !name.startsWith('x-forwarded-'));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !left.has(name) && !named.includes(name)),
  );
}
