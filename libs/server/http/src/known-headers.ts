// The headers that endpoints read and send. /openapi.json describes them, and browsers of other
// origins may use them (app.ts). Tests fail when a use case reads or sends another one.

export interface HeaderDescription {
  readonly description: string;
  /** It is an integer from 0 to this. */
  readonly maximum?: number;
}

/** Counts and seconds: columns `integer` of Postgres. */
const INTEGER_MAX = 2_147_483_647;
/** The end of the year 9999. */
const EPOCH_SECONDS_MAX = 253_402_300_799;

/** Request headers that rows may declare. `Idempotency-Key` belongs to endpoints that create. */
export const REQUEST_HEADERS = {
  'If-Match': {
    description: 'The `ETag` of the version that you change. If it is not the current one, the answer is 412',
  },
  'If-None-Match': {
    description: 'An `ETag`. If it is still the current one, the answer is 304 without a body',
  },
  'Last-Event-ID': { description: 'The id of the last event that you read. The stream continues after it' },
  'Sec-Purpose': { description: '`prefetch`: the client loads ahead of its reader' },
  Purpose: { description: 'Like `Sec-Purpose`, of older clients' },
  'X-Session-Id': { description: 'Names the conversation of the call' },
  'Idempotency-Key': {
    description: 'Repeated requests with the same key and body get the same answer for 24 hours',
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
  'X-Request-Id': { description: 'Finds the request in the log. Your value, or a generated one' },
  ETag: { description: 'The version of the returned resource' },
  Location: { description: 'The URL of the created resource' },
  'Content-Disposition': { description: '`attachment`: browsers save it and never show it as a page' },
  'Content-Security-Policy': { description: 'What the page may load: nothing' },
  'Referrer-Policy': { description: '`no-referrer`: browsers do not pass the address on' },
  Link: { description: 'The next page: `<address>; rel="next"`. Absent on the last page' },
  'Idempotent-Replayed': { description: '`true`: a repeated answer for the same Idempotency-Key' },
  'X-Parley-Session': {
    description: '`anonymous`: the request names no conversation, so nothing is stored, shared or reported',
  },
  'Retry-After': {
    description: 'Seconds to wait before you try again',
    maximum: INTEGER_MAX,
  },
  Allow: { description: 'The allowed methods' },
  'WWW-Authenticate': { description: '`Bearer`' },
  'RateLimit-Policy': { description: 'The limits of the plan (draft-ietf-httpapi-ratelimit-headers)' },
  RateLimit: { description: 'What is left of the limits, and when they reset' },
  'X-RateLimit-Limit': { description: 'Requests a minute', maximum: INTEGER_MAX },
  'X-RateLimit-Remaining': { description: 'Requests that are left', maximum: INTEGER_MAX },
  'X-RateLimit-Reset': {
    description: 'When the limit resets: epoch seconds',
    maximum: EPOCH_SECONDS_MAX,
  },
  'X-RateLimit-Mode': { description: '`degraded`: each process counts alone for the time being' },
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
