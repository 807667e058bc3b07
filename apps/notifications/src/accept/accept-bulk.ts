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
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { createWorkflowReader } from './apply-workflow.ts';
import {
  toPlanResult,
  toSendResult,
  isTransient,
  openContext,
  planSend,
  type AcceptContext,
} from './accept-notification.ts';
import { notifyRequest, type GivenRequest, type NotifyRequest } from './request/notify-request.ts';
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
    request: RequestContext,
    transaction: EndpointTransaction | undefined,
    charge: Charge,
  ) => {
    const facts = { requestId: request.requestId, nowMs: deps.clock() };
    const sql = transaction?.sql ?? deps.sql;
    const applyWorkflow = createWorkflowReader(deps, sql, caller.organizationId);
    const parse = (given: unknown) => applyWorkflow(parseSend(schema, caller, given));
    const parsed = await parseAll(parse, sends, facts);
    const bodies = parsed.filter((one): one is NotifyRequest => !('error' in one));
    const context = await openContext({ deps, sql, caller, request, nowMs: facts.nowMs }, bodies);
    const { all, valid, items } = await planAll(context, parsed);
    const counts = { accepted: all.length, refused: parsed.length - all.length };
    const done = (written: readonly NewNotification[]) => {
      announce(deps, written);
      const { organizationId: organization_id } = caller;
      deps.log.info(
        { organization_id, request_id: request.requestId, source: 'api', ...counts },
        'notifications.sent',
      );
    };
    if (all.length > 0) await charge(all.length);
    const admitted = all.length > 0 ? await writeAll(deps, all, transaction, done) : [];
    for (const [at, { index, answer }] of valid.entries()) items[index] = toSendResult(admitted[at]!, answer);
    return { ...counts, items };
  };
}

interface Refused {
  readonly error: string;
}

/** Parses each send, or returns its error. */
async function parseAll(
  parse: (given: unknown) => Promise<NotifyRequest>,
  sends: readonly unknown[],
  facts: ErrorFacts,
): Promise<(NotifyRequest | Refused)[]> {
  const parsed: (NotifyRequest | Refused)[] = [];
  for (const [index, given] of sends.entries()) {
    if (index % SENDS_PER_TICK === SENDS_PER_TICK - 1) await nextTurn();
    try {
      parsed.push(await parse(given));
    } catch (error) {
      parsed.push({ error: toItemError(error, facts) });
    }
  }
  return parsed;
}

/** Applies the rules of a single send's body. @throws AppError */
function parseSend(schema: z.ZodType<GivenRequest>, caller: Caller, given: unknown): GivenRequest {
  removeOrganization(caller, given, 'body');
  const fields: FieldProblem[] = [];
  const body = parsePart(schema, given, 'body', fields) as GivenRequest | undefined;
  if (body?.dry_run) fields.push({ path: '/dry_run', message: 'is not allowed in a bulk send' });
  if (body?.target.topic_id !== undefined)
    fields.push({ path: '/target/topic_id', message: 'is not allowed in a bulk send' });
  if (body?.schedule) fields.push({ path: '/schedule', message: 'is not allowed in a bulk send' });
  if (body === undefined || fields.length > 0)
    throw new AppError('invalid_request', 'the send is not valid', { fields });
  return body;
}

/** The valid sends with their index in the request and their answer; `items` has the errors. */
async function planAll(context: AcceptContext, parsed: readonly (NotifyRequest | Refused)[]) {
  const { deps, caller, request, nowMs } = context;
  const items: BulkItem[] = [];
  const all: NewNotification[] = [];
  const valid: { readonly index: number; readonly answer: ReturnType<typeof toPlanResult> }[] = [];
  for (const [index, body] of parsed.entries()) {
    if (index % SENDS_PER_TICK === SENDS_PER_TICK - 1) await nextTurn();
    if ('error' in body) {
      items[index] = body;
      continue;
    }
    try {
      const send = await planSend(context, body);
      all.push(await sealSend(deps, send, { source: 'api', createdBy: caller.principal }));
      valid.push({ index, answer: toPlanResult(send) });
    } catch (error) {
      items[index] = { error: toItemError(error, { requestId: request.requestId, nowMs }) };
    }
  }
  return { items, all, valid };
}

interface ErrorFacts {
  readonly requestId: string;
  readonly nowMs: number;
}

/** @throws failures of ours: the client gets one error for the whole call and repeats it. */
function toItemError(error: unknown, facts: ErrorFacts): string {
  if (!(error instanceof AppError) || isTransient(error)) throw error;
  const refusal = toErrorBody(error);
  const shortened = { ...refusal, fields: refusal.fields.slice(0, PROBLEMS_MAX) };
  const { error: text } = notificationsDialect.error(shortened, facts) as { error: string };
  return text.length > ERROR_CHARS_MAX ? `${text.slice(0, ERROR_CHARS_MAX - 1)}…` : text;
}
