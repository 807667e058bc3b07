// Lets a route have a credential other than Bearer: a signature over the raw body, a ticket in the
// query. The endpoint's row verifies it; the rest of the request is handled as usual.
import type { Request } from 'express';
import { AppError } from '@parley/envelopes';
import type { Caller } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { readRawBody } from './body/read-body.ts';
import { readHeader } from './request-context.ts';

/** Where such a credential can be read from. Nothing here is validated yet. */
export interface CredentialSource {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** The client's address, for counting refusals. */
  readonly address: string;
  /**
   * The exact bytes of the body, within the endpoint's limit. @throws AppError payload_too_large.
   */
  rawBody(): Promise<Buffer>;
}

export interface OwnCredential {
  /**
   * For the reference: the parameter or header with the credential. Null: it is a part of the path,
   * which is no security scheme in OpenAPI.
   */
  readonly scheme: {
    readonly name: string;
    readonly in: 'header' | 'query';
    readonly parameter: string;
    readonly description: string;
  } | null;
  /** A Bearer credential works as well if the request lacks this one. */
  readonly orBearer: boolean;
  /**
   * The authenticated caller; null when the request has no such credential.
   * @throws AppError unauthorized when it is invalid, always with the same message.
   */
  verify(presented: CredentialSource): Promise<Caller | null>;
}

export interface VerifiedCredential {
  readonly caller: Caller;
  /** The body, if the credential was read from it. */
  readonly bytes: Buffer | undefined;
}

/** Null where a Bearer credential is needed. @throws AppError unauthorized */
export async function verifyOwn(
  endpoint: Pick<Endpoint, 'bodyBytesMax'>,
  own: OwnCredential,
  request: Request,
  matched: Pick<CredentialSource, 'params' | 'query'>,
): Promise<VerifiedCredential | null> {
  let bytes: Buffer | undefined;
  const caller = await own.verify({
    params: matched.params,
    query: matched.query,
    header: (name) => readHeader(request.headers, name),
    address: request.ip ?? '',
    rawBody: async () => (bytes ??= await readRawBody(request, endpoint.bodyBytesMax)),
  });
  if (caller) return { caller, bytes };
  if (own.orBearer) return null;
  throw new AppError('unauthorized', 'a valid credential is needed');
}
