// An endpoint is a row of data: method, path, scope, schemas, use case. The router runs it, OpenAPI
// describes it.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Code } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { BodyDoubts } from './body/read-body.ts';
import type { Caller, Scope } from './caller.ts';
import type { OwnCredential } from './credential.ts';
import type { RequestHeader, ResponseHeader } from './known-headers.ts';
import type { Charge } from './limit.ts';
import type { RequestContext } from './request-context.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The face that an endpoint was called on. `/v1` takes every credential, others take product API
 * keys only. `openai` serves clients of another API.
 */
export type Face = 'v1' | 'product' | 'openai';

/** The transaction that a creating endpoint runs in. */
export interface EndpointTransaction {
  readonly sql: Sql;
  /** Runs only after the commit, for example to enqueue jobs. Must not throw. */
  afterCommit(work: () => void): void;
}

/**
 * The input of a use case. Members without a schema are `undefined`. `Transaction` is that of
 * endpoints that create, `Prepared` the result of their `prepare`.
 */
export interface EndpointInput<Params, Query, Body, Transaction = undefined, Prepared = undefined> {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly doubts: BodyDoubts;
  /**
   * Counts what the plan limits besides requests. Call it before the effect, when nothing else can
   * refuse. @throws AppError
   */
  readonly charge: Charge;
  readonly face: Face;
  readonly request: RequestContext;
  /**
   * A HEAD request: the client only looks whether something is there, so nothing counts as seen.
   */
  readonly isHead: boolean;
  /** A request header by its lower-case name: one that the row `reads`. */
  header(name: string): string | undefined;
  readonly transaction: Transaction;
  readonly prepared: Prepared;
}

/** A body as it arrived, unchecked. */
export interface UnreadBody {
  readonly bytes: Uint8Array;
  readonly headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>;
}

export interface LargeInput {
  readonly caller: Caller;
  readonly body: UnreadBody;
  readonly request: RequestContext;
}

/** For answers without headers of their own. */
export const NO_HEADERS: Readonly<Record<string, string>> = {};

/** An answer with another status or headers of its own. */
export class Reply {
  readonly data: unknown;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(data: unknown, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.data = data;
    this.status = options.status;
    this.headers = options.headers ?? NO_HEADERS;
  }
}

export interface Endpoint {
  readonly method: Method;
  /** In OpenAPI form, relative to the face: `/flows/{flow_id}`. */
  readonly path: string;
  /** Paths that clients build from a wrong base address. They are served, and not described. */
  readonly alsoAt?: readonly string[];
  readonly operationId: string;
  readonly summary: string;
  /** `any`: no scope is needed. */
  readonly scope: Scope | 'any';
  /** A second scope that the credential needs, because the written data decide what is read. */
  readonly alsoScope?: Scope;
  /**
   * Whether an end user may call it: only where it concerns the end user's own data
   * (docs/platform.md#tenants).
   */
  readonly endUsers?: true;
  /**
   * Whether a key that is bound to bots may call it: only where the use case respects
   * `caller.botIds` (docs/platform.md#bound-keys).
   */
  readonly boundKeys?: boolean;
  /**
   * Whether a portal link may call it, from any page: only where the use case respects
   * `caller.applicationId` (docs/portal.md).
   */
  readonly portal?: true;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Body limit in bytes. Default: BODY_BYTES_MAX. */
  readonly bodyBytesMax?: number;
  /** For senders that send JSON as text/plain, such as Amazon SNS. */
  readonly acceptsText?: true;
  /** The use case checks the body item by item and refuses only single items. */
  readonly judgesBody?: true;
  /**
   * Replaces `run` for bodies above LARGE_BODY_BYTES, because parsing blocks other requests of this
   * process. `judgeBody` parses elsewhere.
   */
  readonly runLarge?: (input: LargeInput) => Promise<unknown>;
  /**
   * The content is stored: refused when the organisation's storage is full
   * (docs/platform.md#storage).
   */
  readonly stores?: true;
  /** The class that the service's `Limit` counts it under. Default: that of all other endpoints. */
  readonly limitClass?: string;
  /**
   * Success statuses with the schema of their data; null: no content. The lowest one is the
   * default.
   */
  readonly replies: Readonly<Record<number, z.ZodType | null>>;
  /**
   * Content types of an answer that is a document: the use case returns a text and its
   * `content-type` header.
   */
  readonly produces?: readonly string[];
  /**
   * Content types of documents that clients may request instead of JSON: then the use case returns
   * a text and its `content-type`.
   */
  readonly alternatives?: readonly string[];
  /** Request headers that it reads, and response headers besides the usual ones. */
  readonly reads?: readonly RequestHeader[];
  readonly sends?: readonly ResponseHeader[];
  /** A credential other than Bearer: a signature, a ticket. */
  readonly credential?: OwnCredential;
  /** Error codes beyond those of every endpoint. */
  readonly refusals: readonly Code[];
  /** Runs in one transaction, and honours Idempotency-Key. */
  readonly creates: boolean;
  /**
   * For an endpoint whose answer shows a secret: whether that secret is still in force. If not, the
   * answer is not repeated (docs/platform.md#idempotency).
   */
  readonly secretInForce?: (sql: Sql, caller: Caller, shown: never) => Promise<boolean>;
  /**
   * Commits by itself unless an Idempotency-Key must be stored with the effect: see `createsAlone`.
   */
  readonly commitsAlone?: boolean;
  /** Prepares data before the transaction opens, so that no connection or lock waits for it. */
  readonly prepare?: (input: EndpointInput<never, never, never>) => Promise<unknown>;
  readonly run: (input: EndpointInput<never, never, never, never, never>) => unknown;
}

/** What a row declares, with the types of its schemas. */
interface EndpointSpec<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends Omit<
  Endpoint,
  | 'method'
  | 'path'
  | 'params'
  | 'query'
  | 'body'
  | 'refusals'
  | 'creates'
  | 'commitsAlone'
  | 'prepare'
  | 'run'
> {
  params?: P;
  query?: Q;
  body?: B;
  refusals?: Code[];
}

type Run<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Transaction, Prepared = undefined> = (
  input: EndpointInput<z.output<P>, z.output<Q>, z.output<B>, Transaction, Prepared>,
) => unknown;

/** An endpoint without parameters refuses unknown ones, so that typos are reported. */
const noQuery = z.strictObject({});

/**
 * One row of an endpoint table. Schemas type what `run` gets; `run` returns the data, or a `Reply`.
 * `get('/flows/{flow_id}', { operationId, summary, scope, params, replies }, ({ caller, params })
 * => …)`
 */
function row(method: Method) {
  return <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
    path: string,
    spec: EndpointSpec<P, Q, B>,
    run: Run<P, Q, B, undefined>,
  ): Endpoint => ({
    method,
    path,
    query: noQuery,
    ...spec,
    refusals: [...(spec.refusals ?? []), ...storageRefusal(spec)],
    creates: false,
    run,
  });
}

const storageRefusal = ({ stores }: { readonly stores?: true }): Code[] => (stores ? ['storage_full'] : []);

export const get = row('get');
export const post = row('post');
export const put = row('put');
export const patch = row('patch');
export const del = row('delete');

/**
 * A POST that creates: runs in the service's transaction, passed as `transaction`, and stores an
 * Idempotency-Key in it (docs/platform.md#idempotency).
 */
export function creates<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Prepared = undefined>(
  path: string,
  spec: EndpointSpec<P, Q, B> & {
    prepare?: (input: EndpointInput<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Prepared>;
  },
  run: Run<P, Q, B, EndpointTransaction, Prepared>,
): Endpoint {
  return {
    method: 'post',
    path,
    query: noQuery,
    ...spec,
    reads: [...(spec.reads ?? []), 'Idempotency-Key'],
    sends: [...(spec.sends ?? []), 'Idempotent-Replayed'],
    refusals: [
      'idempotency_in_progress',
      'idempotency_mismatch',
      ...(spec.secretInForce ? (['idempotency_secret_gone'] as const) : []),
      ...(spec.refusals ?? []),
      ...storageRefusal(spec),
    ],
    creates: true,
    run,
  };
}

/**
 * Like `creates`, for a hot path whose effect is one statement. Without an Idempotency-Key there is
 * no transaction (`transaction` is undefined), which saves two round trips. The use case then
 * commits by itself and enqueues afterwards.
 */
export function createsAlone<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  path: string,
  spec: EndpointSpec<P, Q, B>,
  run: Run<P, Q, B, EndpointTransaction | undefined>,
): Endpoint {
  return { ...creates(path, spec, run), commitsAlone: true };
}
