// The headers that endpoints read and send. /openapi.json describes them, and browsers of other
// origins may use them (app.ts). Tests fail when a use case reads or sends another one.

interface HeaderDescription {
  readonly description: string;
  readonly type?: 'integer';
}

/** Request headers that rows may declare. `Idempotency-Key` belongs to endpoints that create. */
export const REQUEST_HEADERS = {
  'If-Match': {
    description:
      'The `ETag` that the change is meant for: where there is another one by now, it is refused with 412',
  },
  'If-None-Match': {
    description: 'An `ETag`: where it is still the present one, the answer is a 304 without a body',
  },
  'Last-Event-ID': { description: 'The id of the last event that was read: the stream goes on behind it' },
  'Sec-Purpose': { description: '`prefetch`: a program looks ahead of its reader' },
  Purpose: { description: 'As `Sec-Purpose`, of older programs' },
  'Idempotency-Key': {
    description: 'Repeats of a request with the same key and body get the same answer for 24 hours',
  },
} as const satisfies Record<string, HeaderDescription>;
export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** The limit for all headers of a request. */
const HEADER_CHARACTERS_MAX = 16_384;
/** An Idempotency-Key has its own limit (idempotency.ts). */
export const getMaxHeaderLength = (name: RequestHeader): number =>
  name === 'Idempotency-Key' ? 255 : HEADER_CHARACTERS_MAX;

/** Response headers. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'Finds the request in the log; that of the request, or made' },
  ETag: { description: 'The version of what is answered' },
  Location: { description: 'Where what was made is' },
  'Content-Disposition': { description: '`attachment`: it is saved, and never shown as a page' },
  'Content-Security-Policy': { description: 'What the page may load: nothing' },
  'Referrer-Policy': { description: '`no-referrer`: the address stays between the two' },
  Link: { description: 'The next part: `<address>; rel="next"`; absent on the last one' },
  'Idempotent-Replayed': { description: '`true`: it was answered before, to the same Idempotency-Key' },
  'Retry-After': { description: 'Seconds after which it may be asked again', type: 'integer' },
  Allow: { description: 'The methods that there are' },
  'WWW-Authenticate': { description: '`Bearer`' },
  'RateLimit-Policy': { description: 'The limits of the plan (draft-ietf-httpapi-ratelimit-headers)' },
  RateLimit: { description: 'What is left of them, and when there will be more' },
  'X-RateLimit-Limit': { description: 'Requests of a minute', type: 'integer' },
  'X-RateLimit-Remaining': { description: 'Requests that are left', type: 'integer' },
  'X-RateLimit-Reset': { description: 'When there will be more: epoch seconds', type: 'integer' },
  'X-RateLimit-Mode': { description: '`degraded`: each process counts by itself for the time being' },
} as const satisfies Record<string, HeaderDescription>;
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** On every answer of a service with limits. */
export const LIMIT_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Mode',
] as const satisfies readonly ResponseHeader[];
