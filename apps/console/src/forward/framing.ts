// Framing of forwarded requests, and the headers to forward. Hop-by-hop headers stay (RFC 9110
// §7.6.1, RFC 9112 §6).
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Methods without a body. Programs disagree on where such a request with a body ends. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

const OF_ONE_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'http2-settings'],
];
const STAYS_HERE = new Set([
  ...OF_ONE_CONNECTION,
  ...['host', 'cookie', 'authorization', 'x-organization-id', 'origin', 'referer', 'forwarded', 'via'],
]);
const STAYS_THERE = new Set([
  ...OF_ONE_CONNECTION,
  ...['set-cookie', 'content-security-policy', 'strict-transport-security', 'clear-site-data'],
]);

/** Node's parser has validated both headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Why a request must not be forwarded; undefined if it may. */
export function framingProblem(request: IncomingMessage): string | undefined {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return 'transfer-encoding is not supported: send the body with content-length, or chunked.';
  if (WITHOUT_BODY.has(request.method ?? '') && hasBody(request))
    return `${request.method} has no body: send the request without one.`;
  return undefined;
}

/** Drops a zero length, because undici sets the framing. */
export function toService(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'content-length': length, ...rest } = without(headers, STAYS_HERE);
  return Number(length) > 0 ? { ...rest, 'content-length': length } : rest;
}

export const toBrowser = (headers: IncomingHttpHeaders): IncomingHttpHeaders => without(headers, STAYS_THERE);

/**
 * `Connection` may name more headers, but never `X-Forwarded-*`: keys are bound to the client's
 * address.
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
