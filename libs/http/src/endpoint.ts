// An endpoint is a row of data: method, path, scope, schemas, use case. The router runs it, the OpenAPI page shows it.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Code } from '@parley/envelopes';
import type { Sql } from '@parley/postgres';
import type { BodyDoubts } from './body/read-body.ts';
import type { Caller, Scope } from './caller.ts';
import type { OwnCredential } from './credential.ts';
import type { RequestHeader, ResponseHeader } from './known-headers.ts';
import type { Charge } from './limit.ts';
import type { RequestContext } from './request-context.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * Which face an endpoint was called on: `/v1` takes every credential, the others product API keys only. `openai` is the face of a
 * service that clients of another API call.
 */
export type Face = 'v1' | 'product' | 'openai';

/** The transaction that a creating endpoint runs in. */
export interface EndpointTransaction {
  readonly sql: Sql;
  /** Runs after the commit, and only then: ringing queues. It must not throw. */
  afterCommit(work: () => void): void;
}

/**
 * What a use case gets. Members whose schema is absent are `undefined`. `Transaction` is what endpoints that create run in, `Prepared`
 * what their `prepare` made.
 */
export interface EndpointInput<Params, Query, Body, Transaction = undefined, Prepared = undefined> {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly doubts: BodyDoubts;
  /** Counts what the plan limits beside requests; before it is done, and when nothing else can refuse it. @throws AppError */
  readonly charge: Charge;
  readonly face: Face;
  readonly request: RequestContext;
  /** Asked by HEAD: who asks so looks whether something is there, and nobody has seen it. */
  readonly isHead: boolean;
  /** A request header by its lower-case name: one that the row says it `reads`. */
  header(name: string): string | undefined;
  readonly transaction: Transaction;
  readonly prepared: Prepared;
}

/** A body as it came, which nothing has looked at. */
export interface UnreadBody {
  readonly bytes: Uint8Array;
  readonly headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>;
}

export interface LargeInput {
  readonly caller: Caller;
  readonly body: UnreadBody;
  readonly request: RequestContext;
}

/** The headers of an answer that adds none. */
export const NO_HEADERS: Readonly<Record<string, string>> = {};

/** An answer with more than data: another status, or headers of its own. */
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
  readonly operationId: string;
  readonly summary: string;
  /** `any`: whatever the scopes of the credential are. */
  readonly scope: Scope | 'any';
  /** A second scope that the credential needs: what is written decides what is read. */
  readonly alsoScope?: Scope;
  /** Whether an end user may call it: only where it is about what is their own (docs/platform.md#tenants). */
  readonly endUsers?: true;
  /** Whether a key that is bound to bots may call it: only where the use case keeps to `caller.botIds` (docs/platform.md#bound-keys). */
  readonly boundKeys?: boolean;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Body limit in bytes, where it is not BODY_BYTES_MAX. */
  readonly bodyBytesMax?: number;
  /** What valid JSON may hold although a body may not is left to the use case, which judges item by item. */
  readonly judgesBody?: true;
  /**
   * In place of `run` where the body has more than LARGE_BODY_BYTES: reading what it says holds up whoever else is answered here.
   * `judgeBody` reads it elsewhere.
   */
  readonly runLarge?: (input: LargeInput) => Promise<unknown>;
  /** What it says is kept: refused when the organisation's storage is full (docs/platform.md#storage). */
  readonly stores?: true;
  /** Which limit the service's `Limit` counts it under, where that is not the one of everything else. */
  readonly limitClass?: string;
  /** Statuses of success with the schema of their data; null: no content. The lowest one is the default. */
  readonly replies: Readonly<Record<number, z.ZodType | null>>;
  /** Content types, where the answer is a document and not JSON: the use case gives a text and its `content-type` header. */
  readonly produces?: readonly string[];
  /** Content types of documents that may be asked for beside JSON: then the use case gives a text and its `content-type`. */
  readonly alternatives?: readonly string[];
  /** Request headers that it goes by, and those of its answers beside the ones that all have. */
  readonly reads?: readonly RequestHeader[];
  readonly sends?: readonly ResponseHeader[];
  /** A credential that is not a Bearer one: a signature, a ticket. */
  readonly credential?: OwnCredential;
  /** Refusals beyond those that every endpoint can give. */
  readonly refusals: readonly Code[];
  /** Runs in one transaction, and honours Idempotency-Key. */
  readonly creates: boolean;
  /**
   * Of an endpoint whose answer shows a secret: whether the one that was shown still is the one in force. Where it is not, the
   * answer is not given again (docs/platform.md#idempotency).
   */
  readonly secretInForce?: (sql: Sql, caller: Caller, shown: never) => Promise<boolean>;
  /** Commits for itself unless an Idempotency-Key has to be stored with the effect: see `createsAlone`. */
  readonly commitsAlone?: boolean;
  /** What an endpoint that creates works out before its transaction opens: no connection and no lock waits for it. */
  readonly prepare?: (input: EndpointInput<never, never, never>) => Promise<unknown>;
  readonly run: (input: EndpointInput<never, never, never, never, never>) => unknown;
}

/** What a row says of itself, its schemas with their types. */
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

/** An endpoint without parameters takes none: a misspelt one is refused, not ignored. */
const noQuery = z.strictObject({});

/**
 * One row of an endpoint table. Schemas type what `run` gets; `run` returns the data, or a `Reply`.
 * `get('/flows/{flow_id}', { operationId, summary, scope, params, replies }, ({ caller, params }) => …)`
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
 * A POST that creates: it runs in the service's transaction, given to it as `transaction`, and honours Idempotency-Key
 * in that same transaction (docs/platform.md#idempotency).
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
 * Like `creates`, for a hot path whose effect is one statement: without an Idempotency-Key there is no transaction around it
 * (`transaction` is undefined), which saves two round trips. The use case then commits by itself, all or nothing, and rings after it.
 */
export function createsAlone<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  path: string,
  spec: EndpointSpec<P, Q, B>,
  run: Run<P, Q, B, EndpointTransaction | undefined>,
): Endpoint {
  return { ...creates(path, spec, run), commitsAlone: true };
}
