// Which deliveries a handful of events makes, and in which batches they go. Pure.
import { eventBody } from '../webhooks/payload.rules.ts';
import type { DeliveryKind, DeliveryStatus } from './delivery.rules.ts';
import type { OutgoingEvent } from './outgoing-events.ts';

/**
 * Deliveries that are rung, claimed and leased together. One BullMQ job a delivery costs more than sending it; with 50 in a job
 * its share is two microseconds (docs/performance.md#group-commit), and a killed worker repeats at most so many.
 */
export const BATCH_DELIVERIES_MAX = 50;
/** Bodies of one batch together, unless a single one is larger: they are loaded together too (docs/platform.md#byte-budgets). */
const BATCH_BYTES_MAX = 1024 * 1024;

/** What of a webhook decides whether it is told. */
export interface WebhookSelection {
  readonly id: string;
  readonly organizationId: string;
  readonly events: readonly string[];
  /** Told of these bots only; empty: of all. */
  readonly botIds: readonly string[];
  /** Whether its filter lets it be told this `data`. */
  passes(data: OutgoingEvent['data']): boolean;
  readonly ordered: boolean;
  readonly status: string;
}

/** A row of webhook_events. */
export interface WebhookEventRow {
  readonly id: string;
  readonly organizationId: string;
  readonly conversationId: string;
  readonly botId: string | null;
  readonly body: string;
  /** Sealed target of a one-off delivery. */
  readonly target: string | null;
  readonly interimTurn: number | null;
  readonly superseded: boolean;
  /** Of what caused it; null where nobody asked: time did. */
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

/** A row of webhook_deliveries. */
export interface DeliveryRow {
  readonly id: string;
  readonly webhookId: string | null;
  readonly eventId: string;
  readonly event: string;
  readonly kind: DeliveryKind;
  readonly status: DeliveryStatus;
  readonly replayOf: string | null;
  /** Of a webhook that is told in order: its place; it goes into a batch when its turn comes (ordered-deliveries.ts). */
  readonly place?: Place | null;
}

/** A place in the queue of a conversation at a webhook. */
export interface Place {
  readonly organizationId: string;
  readonly webhookId: string;
  readonly conversationId: string;
  readonly sequence: number;
}

export interface Plan {
  readonly events: readonly WebhookEventRow[];
  readonly deliveries: readonly DeliveryRow[];
  /** The deliveries that are to be attempted now, by batch. */
  readonly batches: readonly PlannedBatch[];
}

export interface PlannedBatch {
  readonly id: string;
  readonly deliveryIds: readonly string[];
  /** Of their bodies. */
  readonly bytes: number;
}

export const ANY_EVENT = '*';

function selects(webhook: WebhookSelection, type: string): boolean {
  return webhook.events.includes(type) || webhook.events.includes(ANY_EVENT);
}

function tells(webhook: WebhookSelection, { type, botId, data }: OutgoingEvent): boolean {
  if (!selects(webhook, type)) return false;
  if (webhook.botIds.length > 0 && (botId === null || !webhook.botIds.includes(botId))) return false;
  return webhook.passes(data);
}

export function planDeliveries(
  events: readonly OutgoingEvent[],
  webhooks: readonly WebhookSelection[],
  ids: (prefix: string) => string,
): Plan {
  const byOrganization = new Map<string, WebhookSelection[]>();
  for (const webhook of webhooks) {
    const known = byOrganization.get(webhook.organizationId);
    if (known) known.push(webhook);
    else byOrganization.set(webhook.organizationId, [webhook]);
  }
  const overtaken = overtakenInterims(events);
  const eventRows: WebhookEventRow[] = [];
  const deliveries: DeliveryRow[] = [];
  for (const event of events) {
    const told = (byOrganization.get(event.organizationId) ?? []).filter((webhook) => tells(webhook, event));
    const id = ids('evt');
    const superseded = overtaken.has(event);
    eventRows.push({
      id,
      organizationId: event.organizationId,
      conversationId: event.conversationId,
      botId: event.botId,
      body: eventBody({ id, event: event.type, timestamp: event.occurredAt, data: event.data }),
      target: null,
      interimTurn: event.type === 'speech.interim' ? event.turnIndex : null,
      superseded,
      requestId: event.trace?.requestId ?? null,
      traceparent: event.trace?.traceparent ?? null,
    });
    for (const webhook of told) {
      const status = superseded ? 'superseded' : webhook.status === 'active' ? 'pending' : 'skipped';
      deliveries.push({
        id: ids('dlv'),
        webhookId: webhook.id,
        eventId: id,
        event: event.type,
        kind: 'event',
        status,
        replayOf: null,
        place: webhook.ordered && status === 'pending' ? placeOf(event, webhook.id) : null,
      });
    }
  }
  const bytes = new Map(eventRows.map(({ id, body }) => [id, utf8Bytes(body)]));
  return { events: eventRows, deliveries, batches: batchesOf(deliveries, ids, (event) => bytes.get(event)!) };
}

function placeOf({ organizationId, conversationId, sequence }: OutgoingEvent, webhookId: string): Place {
  return { organizationId, webhookId, conversationId, sequence };
}

/** At most: three bytes a character, where counting them would cost more than it is worth. */
export function utf8Bytes(text: string): number {
  return text.length < SHORT_CHARACTERS ? text.length * 3 : Buffer.byteLength(text);
}
const SHORT_CHARACTERS = 1_000;

/** The pending ones that wait for no other, at most BATCH_DELIVERIES_MAX and BATCH_BYTES_MAX together. */
export function batchesOf(
  deliveries: readonly Pick<DeliveryRow, 'id' | 'status' | 'eventId' | 'place'>[],
  ids: (prefix: string) => string,
  bytesOf: (eventId: string) => number,
): readonly PlannedBatch[] {
  const batches: OpenBatch[] = [];
  for (const { id, status, eventId, place } of deliveries) {
    if (status !== 'pending' || place) continue;
    const bytes = bytesOf(eventId);
    let batch = batches.at(-1);
    if (!batch || !hasRoom(batch, bytes))
      batches.push((batch = { id: ids('dlb'), deliveryIds: [], bytes: 0 }));
    batch.deliveryIds.push(id);
    batch.bytes += bytes;
  }
  return batches;
}

export interface OpenBatch extends PlannedBatch {
  readonly deliveryIds: string[];
  bytes: number;
}

export function hasRoom({ deliveryIds, bytes }: PlannedBatch, more: number): boolean {
  return deliveryIds.length < BATCH_DELIVERIES_MAX && bytes + more <= BATCH_BYTES_MAX;
}

/** A turn of a conversation. */
export interface SpokenTurn {
  readonly organizationId: string;
  readonly conversationId: string;
  readonly turnIndex: number;
}

const turnKey = (event: OutgoingEvent) =>
  JSON.stringify([event.organizationId, event.conversationId, event.turnIndex]);

const isSpeech = (event: OutgoingEvent) =>
  (event.type === 'speech.interim' || event.type === 'speech.final') && event.turnIndex !== null;

/** Interims after which the same call speaks of the same turn again. */
function overtakenInterims(events: readonly OutgoingEvent[]): ReadonlySet<OutgoingEvent> {
  const latest = new Map<string, number>();
  const speech = events.filter(isSpeech);
  for (const event of speech) {
    const key = turnKey(event);
    latest.set(key, Math.max(latest.get(key) ?? -Infinity, event.sequence));
  }
  return new Set(
    speech.filter(
      (event) => event.type === 'speech.interim' && event.sequence < (latest.get(turnKey(event)) ?? 0),
    ),
  );
}

/** The turns whose earlier interims are overtaken, each once; only of organisations that have a webhook for interims. */
export function spokenTurns(
  events: readonly OutgoingEvent[],
  webhooks: readonly WebhookSelection[],
): SpokenTurn[] {
  const listening = new Set(
    webhooks.filter((one) => selects(one, 'speech.interim')).map((one) => one.organizationId),
  );
  if (listening.size === 0) return [];
  const turns = new Map<string, SpokenTurn>();
  for (const event of events) {
    if (!isSpeech(event) || !listening.has(event.organizationId)) continue;
    const { organizationId, conversationId, turnIndex } = event;
    turns.set(turnKey(event), { organizationId, conversationId, turnIndex: turnIndex as number });
  }
  return [...turns.values()];
}
