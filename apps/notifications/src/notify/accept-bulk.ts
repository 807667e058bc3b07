// POST /v1/notify/bulk: up to a thousand sends, each accepted or refused for itself; what is accepted is written together.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, notificationsDialect, toErrorBody, type FieldProblem } from '@parley/envelopes';
import {
  parsePart,
  removeOrganization,
  type Caller,
  type Charge,
  type EndpointTransaction,
  type RequestContext,
} from '@parley/http';
import type { Deps } from '../deps.ts';
import { peopleOf } from '../recipients/people.ts';
import { templateReader } from '../templates/use-template.ts';
import { answerOf, answerTo, isPassing, newNotification, planSend, writeAll } from './accept-notification.ts';
import { notifyRequest, type NotifyRequest } from './request/notify-request.ts';
import { announce, type NewNotification } from './write-notification.ts';

/** Sends that are judged without a pause: other requests are answered between them. */
const JUDGED_AT_ONCE = 25;
/** Places of one send that are told, and characters of them: a thousand sends may all be wrong in a hundred places. */
const PROBLEMS_MAX = 5;
const ERROR_CHARS_MAX = 500;

export type BulkItem = ReturnType<typeof answerTo> | { readonly error: string };

/** `transaction`: with an Idempotency-Key, which belongs to all of them. */
export function bulkAcceptor(deps: Deps) {
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
    /** Of those that are right, in the same order: where they stand, and what they are answered. */
    const right: { readonly index: number; readonly answer: ReturnType<typeof answerOf> }[] = [];
    const judged = await judgedAll(caller, sends, context.requestId, nowMs);
    const requests = judged.filter((one): one is NotifyRequest => !('error' in one));
    const sql = transaction?.sql ?? deps.sql;
    const people = await peopleOf(deps, sql, caller.organizationId, requests);
    const templates = templateReader(deps, sql, caller.organizationId);
    for (const [index, request] of judged.entries()) {
      if (index % JUDGED_AT_ONCE === JUDGED_AT_ONCE - 1) await nextTurn();
      if ('error' in request) {
        items[index] = request;
        continue;
      }
      try {
        const send = await planSend(deps, sql, caller, request, context, { people, templates }, nowMs);
        all.push(await newNotification(deps, caller, send));
        right.push({ index, answer: answerOf(send.planned, send.rejected) });
      } catch (error) {
        items[index] = { error: errorOf(error, context.requestId, nowMs) };
      }
    }
    const counts = { accepted: all.length, refused: judged.length - all.length };
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
    for (const [at, { index, answer }] of right.entries()) items[index] = answerTo(admitted[at]!, answer);
    return { ...counts, items };
  };

  /** Each as a request, or what is wrong with it. */
  async function judgedAll(caller: Caller, sends: readonly unknown[], requestId: string, nowMs: number) {
    const judged: (NotifyRequest | { readonly error: string })[] = [];
    for (const [index, given] of sends.entries()) {
      if (index % JUDGED_AT_ONCE === JUDGED_AT_ONCE - 1) await nextTurn();
      try {
        judged.push(requestOf(caller, given));
      } catch (error) {
        judged.push({ error: errorOf(error, requestId, nowMs) });
      }
    }
    return judged;
  }

  /** As the body of a single send is judged. @throws AppError */
  function requestOf(caller: Caller, given: unknown): NotifyRequest {
    removeOrganization(caller, given, 'body');
    const fields: FieldProblem[] = [];
    const request = parsePart(schema, given, 'body', fields) as NotifyRequest | undefined;
    if (request?.dry_run) fields.push({ path: '/dry_run', message: 'is for a single send' });
    if (request?.target.topic_id !== undefined)
      fields.push({ path: '/target/topic_id', message: 'is for a single send' });
    if (request === undefined || fields.length > 0)
      throw new AppError('invalid_request', 'the send is not valid', { fields });
    return request;
  }
}

/** @throws our own failures: the client gets one error for all sends, and repeats them. */
function errorOf(error: unknown, requestId: string, nowMs: number): string {
  if (!(error instanceof AppError) || isPassing(error)) throw error;
  const refusal = toErrorBody(error);
  const told = { ...refusal, fields: refusal.fields.slice(0, PROBLEMS_MAX) };
  const { error: text } = notificationsDialect.error(told, { requestId, nowMs }) as { error: string };
  return text.length > ERROR_CHARS_MAX ? `${text.slice(0, ERROR_CHARS_MAX - 1)}…` : text;
}
