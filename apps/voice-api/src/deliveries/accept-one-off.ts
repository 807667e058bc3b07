// `webhook.deliver`: one delivery to the address of a webhook node of a finished flow, or of the callback of a notification.
//
// It has no webhook: signed is what brings secrets of its own (of a node, its headers are the customer's proof of origin); nothing that five
// failures could disable, and nobody who could re-enable, so the retry after 24 h is made unconditionally. It appears in no delivery
// log of the API, which is by webhook; its attempts are in the service's log and metrics.
import { AppError } from '@parley/envelopes';
import { headerProblem } from '@parley/outbound';
import type { Sql } from '@parley/postgres';
import type { MessageContext, WebhookDelivery } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { insertPlan } from './insert-deliveries.ts';
import { sealTarget } from './one-off-target.ts';
import { batchesOf, type DeliveryRow } from './plan-deliveries.rules.ts';

/**
 * Writes the delivery in the transaction that remembers the message, so a message that comes twice is delivered once.
 * @throws AppError unprocessable: the address or a header is not one that requests may be sent with; the message is done.
 */
export async function acceptOneOff(
  deps: Pick<Deps, 'ids' | 'clock' | 'outbound' | 'dataSealer' | 'deliveryBell'>,
  sql: Sql,
  request: WebhookDelivery,
  context: Pick<MessageContext, 'organizationId' | 'requestId' | 'traceparent' | 'afterCommit'>,
): Promise<void> {
  const { organizationId, requestId = null, traceparent = null } = context;
  const address = deps.outbound.checkUrl(request.url);
  if (!address.ok)
    throw new AppError('unprocessable', `the address of a one-off delivery ${address.problem}`);
  // One name, one value, however it is spelt: so it can stand in for a header of ours.
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const problem = headerProblem(headers);
  if (problem !== undefined) throw new AppError('unprocessable', problem);

  const event = {
    id: deps.ids('evt'),
    organizationId,
    conversationId: '',
    botId: null,
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
    batches: batchesOf([delivery], deps.ids, () => Buffer.byteLength(event.body)),
  };
  const batches = await insertPlan(sql, plan, new Date(deps.clock()));
  context.afterCommit(() => deps.deliveryBell.ring(batches));
}
