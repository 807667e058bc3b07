// One request, from its first byte to its log line: the one function that holds the control flow of every endpoint.
// credential -> limit -> end user, bots of the key, scope -> body -> organisation -> schemas -> use case -> answer.
import type { Request, Response } from 'express';
import { AppError } from '@parley/envelopes';
import { markServed } from '@parley/runtime';
import { hasScope, type Caller } from './caller.ts';
import { verifyOwn } from './credential.ts';
import type { Endpoint, Face } from './endpoint.ts';
import { held, type Limit } from './limit.ts';
import { parseRequest, takeOrganization } from './parse-request.ts';
import type { LargeBodies } from './body/large-bodies.ts';
import { jsonOf, LARGE_BODY_BYTES, readJsonBytes } from './body/read-body.ts';
import { refuse } from './refusal.ts';
import { begin, checkRead, send, textOf, type ReplyOptions, type Served } from './reply.ts';
import { headerOf } from './request-context.ts';
import { openStream, StreamReply, type Streams } from './stream.ts';
import { runInTransaction, type TransactionOptions } from './transaction.ts';

/** Who sent a request, by its Bearer credential. */
export interface Authenticator {
  /** The caller of a credential that is in memory and still good: nothing is waited for. */
  peek(request: Request, face: Face): Caller | undefined;
  /** @throws AppError unauthorized, rate_limited or unavailable. */
  authenticate(request: Request, face: Face): Promise<Caller>;
}

export interface PipelineOptions extends ReplyOptions, TransactionOptions {
  readonly authenticator: Authenticator;
  /** Admits every request whose credential is valid; without it nothing is limited. */
  readonly limit?: Limit | undefined;
  /** A test makes it short; nothing else does. */
  readonly bodyWithinMs?: number;
  /** Answers that go on. */
  readonly streams: Streams;
  readonly largeBodies: LargeBodies;
}

/** What the path and the query of a request hold, percent-decoded. */
export interface Matched {
  readonly params: Readonly<Record<string, unknown>>;
  /** A parameter that was given several times is an array. */
  readonly query: Record<string, unknown>;
}

/** Serves the requests of one endpoint. What is in memory is looked at, and only what is not there is awaited. */
export function serveEndpoint(options: PipelineOptions, endpoint: Endpoint, face: Face, route: string) {
  const { authenticator, limit } = options;
  const toText = textOf(options, endpoint);

  /** What is left to do when the body is there. */
  async function answer(
    served: Served,
    bytes: Buffer | undefined,
    matched: Matched,
    isOwn: boolean,
  ): Promise<void> {
    const { request } = served;
    const caller = served.caller!;
    const doubts = { mayBeRefused: false, lost: [] };
    const body = bytes && jsonOf(bytes, request.headers, endpoint.judgesBody && doubts);
    takeOrganization(caller, body, 'body');
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
        return headerOf(request.headers, name);
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

  return async (request: Request, response: Response, matched: Matched): Promise<void> => {
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
        served.admission = held(
          limit.peek(caller, endpoint) ?? (await limit.admit(caller, endpoint)),
          response,
        );
      if (caller.endUser !== undefined && !endpoint.endUsers)
        throw new AppError('not_for_end_users', 'the identity token of an end user does not open this');
      if (caller.botIds !== undefined && !endpoint.boundKeys)
        throw new AppError('not_for_bound_keys', 'a key that is bound to bots does not open this');
      if (endpoint.scope !== 'any' && !hasScope(caller, endpoint.scope))
        throw new AppError('insufficient_scope', `this needs the scope "${endpoint.scope}"`);
      if (endpoint.alsoScope !== undefined && !hasScope(caller, endpoint.alsoScope))
        throw new AppError('insufficient_scope', `this needs the scope "${endpoint.alsoScope}" as well`);
      const bytes =
        endpoint.body &&
        (own?.bytes ?? (await readJsonBytes(request, endpoint.bodyBytesMax, options.bodyWithinMs)));
      if (endpoint.stores) await limit?.store?.(caller, bytes?.length ?? 0);
      takeOrganization(caller, query, 'query');
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
