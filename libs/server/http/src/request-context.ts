// Identifies a request: its id and trace, taken from the caller or generated
// (docs/platform.md#request-ids), and carried through queues.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isTraceparent } from '@parley/server/tracing';

export interface RequestContext {
  /** `X-Request-Id`: echoed, logged, and carried to everything that the request causes. */
  readonly requestId: string;
  /** W3C trace context, version 00. */
  readonly traceparent: string;
}

const REQUEST_ID = /^[A-Za-z0-9_.-]{1,128}$/;

/** A header by its lower-case name; the first value of a repeated one. */
export function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function requestContext(headers: IncomingHttpHeaders): RequestContext {
  const givenId = headers['x-request-id'];
  const givenTrace = headers['traceparent'];
  const made = randomUUID();
  return {
    requestId: typeof givenId === 'string' && REQUEST_ID.test(givenId) ? givenId : made,
    traceparent: typeof givenTrace === 'string' && isTraceparent(givenTrace) ? givenTrace : newTrace(made),
  };
}

function newTrace(uuid: string): string {
  const hex = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24);
  // The span id reuses the same random bits: as unique as the trace id, and one random call less.
  return `00-${hex}-${hex.slice(16)}-01`;
}
