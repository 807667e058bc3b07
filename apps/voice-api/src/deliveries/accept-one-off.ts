// `webhook.deliver`: a one-off delivery to the address of a flow's webhook node, or to the callback
// of a notification.
//
// It has no webhook. It is signed only with secrets of its own, and nothing can be disabled or
// enabled again, so all retries are made. The API's delivery log does not list it; the service's
// log and metrics have its attempts.
import { AppError } from '@parley/envelopes';
import { findHeaderProblem } from '@parley/outbound';
import type { Sql } from '@parley/server/postgres';
import type { MessageContext, WebhookDelivery } from '@parley/jobs';
import { deriveId } from '@parley/server/runtime';
import type { Deps } from './deps.ts';
import { insertPlan } from './insert-deliveries.ts';
import { sealTarget } from './one-off-target.ts';
import { planBatches, type DeliveryRow } from './plan-deliveries.rules.ts';

/**
 * Writes the delivery in the transaction that stores the message id, so a repeated message is
 * delivered once.
 * @throws AppError unprocessable when the address or a header is not allowed; the message is then
 * done
 */
export async function acceptOneOff(
  deps: Pick<Deps, 'ids' | 'clock' | 'outbound' | 'dataSealer' | 'deliveryEnqueuer'>,
  sql: Sql,
  request: WebhookDelivery,
  context: Pick<MessageContext, 'organizationId' | 'requestId' | 'traceparent' | 'afterCommit'>,
): Promise<void> {
  const { organizationId, requestId = null, traceparent = null } = context;
  const address = deps.outbound.checkUrl(request.url);
  if (!address.ok)
    throw new AppError('unprocessable', `The address of a one-off delivery ${address.problem}.`);
  // Lower case, so that a header can replace one of ours.
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const problem = findHeaderProblem(headers);
  if (problem !== undefined) throw new AppError('unprocessable', problem);

  const event = {
    id: deriveId('evt', [organizationId], ['one_off', request.url, request.body.id]),
    organizationId,
    conversationId: '',
    botId: null,
    sequence: 0,
    body: JSON.stringify(request.body),
    interimTurn: null,
    superseded: false,
    requestId,
    traceparent,
  };
  const { url, signing_secrets: signingSecrets = [] } = request;
  const target = await sealTarget(deps.dataSealer, event, {
    id: request.body.id,
    url,
    headers,
    signingSecrets,
  });
  const delivery: DeliveryRow = {
    id: deps.ids('dlv'),
    webhookId: null,
    eventId: event.id,
    event: request.event,
    kind: 'one_off',
    status: 'pending',
    replayOf: null,
  };
  const plan = {
    events: [{ ...event, target }],
    deliveries: [delivery],
    batches: planBatches([delivery], deps.ids, () => Buffer.byteLength(event.body)),
  };
  const batches = await insertPlan(sql, plan, new Date(deps.clock()));
  context.afterCommit(() => deps.deliveryEnqueuer.enqueue(batches));
}
