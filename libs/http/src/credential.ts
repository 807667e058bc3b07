// The seam for a route whose credential is not a Bearer one: a signature over the raw body, a ticket in the query. The row of the
// endpoint brings its own way to verify it; everything after the credential stays as it is everywhere.
import type { Request } from 'express';
import { AppError } from '@parley/envelopes';
import type { Caller } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { readRawBody } from './body/read-body.ts';
import { headerOf } from './request-context.ts';

/** What a credential of its own can be read from. Nothing of it has been checked against a schema yet. */
export interface Presented {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** The client's address, for counting refusals. */
  readonly address: string;
  /** The exact bytes of the body, within the endpoint's limit. @throws AppError payload_too_large. */
  rawBody(): Promise<Buffer>;
}

export interface OwnCredential {
  /** How the reference describes it: a parameter or header that proves who calls. */
  readonly scheme: {
    readonly name: string;
    readonly in: 'header' | 'query';
    readonly parameter: string;
    readonly description: string;
  };
  /** A Bearer credential opens it as well, where the request has not this one. */
  readonly orBearer: boolean;
  /**
   * The caller that the credential proves; null when the request has none.
   * @throws AppError unauthorized when it is not valid: one message, whatever is wrong with it.
   */
  verify(presented: Presented): Promise<Caller | null>;
}

export interface Verified {
  readonly caller: Caller;
  /** The body, where the credential was read from it. */
  readonly bytes: Buffer | undefined;
}

/** Null where a Bearer credential has to do. @throws AppError unauthorized */
export async function verifyOwn(
  endpoint: Pick<Endpoint, 'bodyBytesMax'>,
  own: OwnCredential,
  request: Request,
  matched: Pick<Presented, 'params' | 'query'>,
): Promise<Verified | null> {
  let bytes: Buffer | undefined;
  const caller = await own.verify({
    params: matched.params,
    query: matched.query,
    header: (name) => headerOf(request.headers, name),
    address: request.ip ?? '',
    rawBody: async () => (bytes ??= await readRawBody(request, endpoint.bodyBytesMax)),
  });
  if (caller) return { caller, bytes };
  if (own.orBearer) return null;
  throw new AppError('unauthorized', 'a valid credential is needed');
}
