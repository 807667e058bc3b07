// POST /v1/notify/bulk: validates up to a thousand sends one by one and writes the valid ones
// together.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, notificationsDialect, toErrorBody, type FieldProblem } from '@parley/envelopes';
import {
  parsePart,
  removeOrganization,
  type Caller,
  type Charge,
  type EndpointTransaction,
  type RequestContext,
} from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { toPlanResult, toSendResult, isTransient, openContext, planSend } from './accept-notification.ts';
import { notifyRequest, type NotifyRequest } from './request/notify-request.ts';
import type { NewNotification } from './send.ts';
import { announce, sealSend, writeAll } from './write-notification.ts';

/** Validate this many sends before other requests get the event loop. */
const SENDS_PER_TICK = 25;
/** Limits the answer: all thousand sends may be wrong in a hundred places. */
const PROBLEMS_MAX = 5;
const ERROR_CHARS_MAX = 500;

export type BulkItem = ReturnType<typeof toSendResult> | { readonly error: string };

/** `transaction` is present with an Idempotency-Key, which covers the whole call. */
export function createBulkAcceptor(deps: Deps) {
  const schema = notifyRequest(deps);
  return async (
    caller: Caller,
    sends: readonly unknown[],
    context: RequestContext,
    transaction: EndpointTransaction | undefined,
    charge: Charge,
  ) => {
    const nowMs = deps.clock();
    const items: BulkItem[] = [];
    const all: NewNotification[] = [];
    /** The valid sends in the order of `all`: their index in the request and their answer. */
    const valid: { readonly index: number; readonly answer: ReturnType<typeof toPlanResult> }[] = [];
    const parsed = await parseAll(caller, sends, context.requestId, nowMs);
    const requests = parsed.filter((one): one is NotifyRequest => !('error' in one));
    const sql = transaction?.sql ?? deps.sql;
    const shared = await openContext({ deps, sql, caller, request: context, nowMs }, requests);
    for (const [index, request] of parsed.entries()) {
      if (index % SENDS_PER_TICK === SENDS_PER_TICK - 1) await nextTurn();
      if ('error' in request) {
        items[index] = request;
        continue;
      }
      try {
        const send = await planSend(shared, request);
        all.push(await sealSend(deps, send, { source: 'api', createdBy: caller.principal }));
        valid.push({ index, answer: toPlanResult(send) });
      } catch (error) {
        items[index] = { error: toItemError(error, context.requestId, nowMs) };
      }
    }
    const counts = { accepted: all.length, refused: parsed.length - all.length };
    const done = (written: readonly NewNotification[]) => {
      announce(deps, written);
      const { organizationId: organization_id } = caller;
      deps.log.info(
        { organization_id, request_id: context.requestId, source: 'api', ...counts },
        'notifications.sent',
      );
    };
    if (all.length > 0) await charge(all.length);
    const admitted = all.length > 0 ? await writeAll(deps, all, transaction, done) : [];
    for (const [at, { index, answer }] of valid.entries()) items[index] = toSendResult(admitted[at]!, answer);
    return { ...counts, items };
  };

  /** Parses each send, or returns its error. */
  async function parseAll(caller: Caller, sends: readonly unknown[], requestId: string, nowMs: number) {
    const parsed: (NotifyRequest | { readonly error: string })[] = [];
    for (const [index, given] of sends.entries()) {
      if (index % SENDS_PER_TICK === SENDS_PER_TICK - 1) await nextTurn();
      try {
        parsed.push(parseSend(caller, given));
      } catch (error) {
        parsed.push({ error: toItemError(error, requestId, nowMs) });
      }
    }
    return parsed;
  }

  /** Applies the rules of a single send's body. @throws AppError */
  function parseSend(caller: Caller, given: unknown): NotifyRequest {
    removeOrganization(caller, given, 'body');
    const fields: FieldProblem[] = [];
    const request = parsePart(schema, given, 'body', fields) as NotifyRequest | undefined;
    if (request?.dry_run) fields.push({ path: '/dry_run', message: 'is not allowed in a bulk send' });
    if (request?.target.topic_id !== undefined)
      fields.push({ path: '/target/topic_id', message: 'is not allowed in a bulk send' });
    if (request === undefined || fields.length > 0)
      throw new AppError('invalid_request', 'the send is not valid', { fields });
    return request;
  }
}

/** @throws failures of ours: the client gets one error for the whole call and repeats it. */
function toItemError(error: unknown, requestId: string, nowMs: number): string {
  if (!(error instanceof AppError) || isTransient(error)) throw error;
  const refusal = toErrorBody(error);
  const shortened = { ...refusal, fields: refusal.fields.slice(0, PROBLEMS_MAX) };
  const { error: text } = notificationsDialect.error(shortened, { requestId, nowMs }) as { error: string };
  return text.length > ERROR_CHARS_MAX ? `${text.slice(0, ERROR_CHARS_MAX - 1)}…` : text;
}
