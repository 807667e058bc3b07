// Runs a creating POST: its effect, its stored answer and its outbox rows commit together or not at
// all.
import type { Request } from 'express';
import { AppError } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { Clock, Log, Sealer } from '@parley/server/runtime';
import type { Caller } from './caller.ts';
import { Reply, type Endpoint, type EndpointTransaction } from './endpoint.ts';
import { claimIdempotencyKey, toIdempotentRequest, storeIdempotentReply } from './idempotency.ts';
import type { TextReply, ToText } from './reply.ts';

export interface TransactionOptions {
  /** Runs work in one database transaction of the service. */
  readonly transact: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
}

type Input = Parameters<Endpoint['run']>[0];

export async function runInTransaction(
  { transact, sealer, clock, log }: TransactionOptions,
  endpoint: Endpoint,
  input: Input,
  request: Request,
  toText: ToText,
): Promise<TextReply> {
  const { caller, query, body, request: context } = input;
  const key = input.header('idempotency-key');
  const idempotent =
    key === undefined
      ? undefined
      : toIdempotentRequest(caller.organizationId, buildRoute(caller, request), key, [query, body]);
  if (endpoint.commitsAlone && !idempotent) return toText(await endpoint.run(input), context);

  const preparing = endpoint.prepare?.(input);
  // Its error counts below, unless a stored reply comes first.
  await Promise.allSettled([preparing]);
  const after: (() => void)[] = [];
  const reply = await transact(async (sql) => {
    if (idempotent) {
      const stored = await claimIdempotencyKey(sql, sealer, idempotent, clock());
      if (stored) {
        await refuseGoneSecret(endpoint, sql, caller, stored.shown);
        const { status, text, headers } = stored;
        return { status, text, headers: { ...headers, 'idempotent-replayed': 'true' } };
      }
    }
    const transaction: EndpointTransaction = { sql, afterCommit: (work) => void after.push(work) };
    const prepared = (await preparing) as never;
    const result = await endpoint.run({ ...input, transaction: transaction as never, prepared });
    const fresh = toText(result, context);
    if (idempotent) {
      const shown = endpoint.secretInForce && (result instanceof Reply ? result.data : result);
      await storeIdempotentReply(sql, sealer, idempotent, { ...fresh, shown }, clock());
    }
    return fresh;
  });
  // The effect is committed, so a failure from now on leaves the answer. Sweepers find rows that
  // were not enqueued.
  for (const work of after) {
    try {
      work();
    } catch (error) {
      log.error({ err: error, request_id: context.requestId }, 'request.after_commit_failed');
    }
  }
  return reply;
}

async function refuseGoneSecret(
  { secretInForce }: Endpoint,
  sql: Sql,
  caller: Caller,
  shown: unknown,
): Promise<void> {
  if (!secretInForce || (await secretInForce(sql, caller, shown as never))) return;
  throw new AppError(
    'idempotency_secret_gone',
    'the secret in the answer to this Idempotency-Key was revoked or replaced; it is not shown again',
  );
}

/**
 * Method and full path, because the faces of a service share their paths; and the caller, because a
 * stored answer belongs to the caller who got it first.
 */
function buildRoute({ kind, principal }: Caller, { method, url }: Request): string {
  return `${method} ${url.replace(/[?#].*$/s, '')} ${kind}:${principal}`;
}
