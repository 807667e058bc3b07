// Serves one request from its first byte to its log line: the control flow of every endpoint.
// credential -> limit -> end user, bots of the key, portal link, scope -> body -> organisation ->
// schemas -> use case -> answer.
import type { Request, Response } from 'express';
import { AppError } from '@parley/envelopes';
import { markServed } from '@parley/server/runtime';
import { hasScope, type Caller } from './caller.ts';
import { verifyOwn } from './credential.ts';
import type { Endpoint, Face } from './endpoint.ts';
import { holdAdmission, type Limit } from './limit.ts';
import { parseRequest, removeOrganization } from './parse-request.ts';
import type { LargeBodies } from './body/large-bodies.ts';
import { parseJsonBody, LARGE_BODY_BYTES, readJsonBytes } from './body/read-body.ts';
import { refuse } from './refusal.ts';
import { begin, checkRead, send, createToText, type ReplyOptions, type ServedRequest } from './reply.ts';
import { readHeader } from './request-context.ts';
import { openStream, StreamReply, type Streams } from './stream.ts';
import { runInTransaction, type TransactionOptions } from './transaction.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Finds the caller by the Bearer credential of a request. */
export interface Authenticator {
  /** The caller of a valid credential that is cached in memory, synchronously. */
  peek(request: Request, face: Face): Caller | undefined;
  /** @throws AppError unauthorized, rate_limited or unavailable. */
  authenticate(request: Request, face: Face): Promise<Caller>;
}

export interface PipelineOptions extends ReplyOptions, TransactionOptions {
  readonly authenticator: Authenticator;
  /** Admits every request with a valid credential. Default: no limits. */
  readonly limit?: Limit | undefined;
  /** Only tests set it. */
  readonly bodyWithinMs?: number;
  /** Open streams. */
  readonly streams: Streams;
  readonly largeBodies: LargeBodies;
}

/** Path parameters and query of a request, percent-decoded. */
export interface MatchedRoute {
  readonly params: Readonly<Record<string, unknown>>;
  /** A repeated parameter is an array. */
  readonly query: Record<string, unknown>;
}

/** Serves the requests of one endpoint. Awaits only what is not in memory. */
export function serveEndpoint(options: PipelineOptions, endpoint: Endpoint, face: Face, route: string) {
  const { authenticator, limit } = options;
  const toText = createToText(options, endpoint);

  /** The steps after the body has arrived. */
  async function answer(
    served: ServedRequest,
    bytes: Buffer | undefined,
    matched: MatchedRoute,
    isOwn: boolean,
  ): Promise<void> {
    const { request } = served;
    const caller = served.caller!;
    const doubts = { mayBeRefused: false, lost: [] };
    const headers = endpoint.acceptsText ? JSON_HEADERS : request.headers;
    const body = bytes && parseJsonBody(bytes, headers, endpoint.judgesBody && doubts);
    removeOrganization(caller, body, 'body');
    const values = parseRequest(endpoint, { ...matched, body });
    const input = {
      params: values.params as never,
      query: values.query as never,
      body: values.body as never,
      doubts,
      caller,
      charge: async (count: number) => {
        const { admission } = served;
        if (!limit || !admission) return;
        served.admission = { ...admission, headers: await limit.charge(caller, count, admission.headers) };
      },
      face,
      request: served.context,
      isHead: request.method === 'HEAD',
      header: (name: string) => {
        if (options.checkReplies) checkRead(endpoint, name);
        return readHeader(request.headers, name);
      },
      transaction: undefined as never,
      prepared: undefined as never,
    };
    if (endpoint.creates)
      return send(options, served, await runInTransaction(options, endpoint, input, request, toText));
    const result = await endpoint.run(input);
    if (result instanceof StreamReply) {
      const recheck = isOwn ? undefined : () => authenticator.authenticate(request, face);
      return await openStream(options, served, result, recheck);
    }
    send(options, served, toText(result, served.context));
  }

  return async (request: Request, response: Response, matched: MatchedRoute): Promise<void> => {
    const { params, query } = matched;
    const served = begin(request, response, route);
    try {
      const own = endpoint.credential
        ? await verifyOwn(endpoint, endpoint.credential, request, { params, query })
        : null;
      const caller =
        own?.caller ?? authenticator.peek(request, face) ?? (await authenticator.authenticate(request, face));
      served.caller = caller;
      markServed(caller.organizationId);
      if (limit)
        served.admission = holdAdmission(
          limit.peek(caller, endpoint) ?? (await limit.admit(caller, endpoint)),
          response,
        );
      if (caller.endUser !== undefined && !endpoint.endUsers)
        throw new AppError(
          'not_for_end_users',
          'the identity token of an end user cannot call this: use an API key or a token with "admin"',
        );
      if (caller.botIds !== undefined && !endpoint.boundKeys)
        throw new AppError(
          'not_for_bound_keys',
          'a key that is bound to bots cannot call this: use a key without bots',
        );
      if (caller.applicationId !== undefined && !endpoint.portal)
        throw new AppError('insufficient_scope', 'a portal link cannot call this: use an API key');
      if (endpoint.scope !== 'any' && !hasScope(caller, endpoint.scope))
        throw new AppError('insufficient_scope', `this needs the scope "${endpoint.scope}"`);
      if (endpoint.alsoScope !== undefined && !hasScope(caller, endpoint.alsoScope))
        throw new AppError('insufficient_scope', `this needs the scope "${endpoint.alsoScope}" as well`);
      const bytes =
        endpoint.body &&
        (own?.bytes ?? (await readJsonBytes(request, endpoint.bodyBytesMax, options.bodyWithinMs)));
      if (endpoint.stores) await limit?.store?.(caller, bytes?.length ?? 0);
      removeOrganization(caller, query, 'query');
      if (bytes && endpoint.runLarge && bytes.length > LARGE_BODY_BYTES) {
        parseRequest({ ...endpoint, body: undefined }, { params, query, body: undefined });
        const { 'content-type': type, 'content-encoding': encoding } = request.headers;
        const headers = { 'content-type': type, 'content-encoding': encoding };
        const given = { caller, body: { bytes, headers }, request: served.context };
        return send(options, served, toText(await endpoint.runLarge(given), served.context));
      }
      const answered = () => answer(served, bytes, matched, own !== null);
      if (bytes && bytes.length > LARGE_BODY_BYTES)
        await options.largeBodies(caller.organizationId, answered);
      else await answered();
    } catch (error) {
      refuse(options, served, error);
    }
  };
}
