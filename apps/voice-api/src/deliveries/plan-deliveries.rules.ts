// Plans the deliveries of events and their batches. Pure.
import type { Trace } from '@parley/jobs';
import type { EventType } from '../conversation-model/event-types.ts';
import { formatEventBody } from '../webhook-format/payload.rules.ts';
import type { DeliveryKind, DeliveryStatus } from './delivery.rules.ts';
import { isSelected, selects, type WebhookSelection } from '../webhooks/selection.rules.ts';

/** A conversation event as webhooks receive it. */
export interface OutgoingEvent {
  /** Derived (event-id.ts). */
  readonly id: string;
  readonly organizationId: string;
  readonly conversationId: string;
  readonly botId: string | null;
  /** The application of its conversation; null: of none. */
  readonly applicationId: string | null;
  readonly type: EventType;
  readonly occurredAt: Date;
  /** Grows by one with each event of the conversation. */
  readonly sequence: number;
  /** Set for speech.* and bot.message, null otherwise. */
  readonly turnIndex: number | null;
  /** The complete `data` in wire spelling. */
  readonly data: Readonly<Record<string, unknown>>;
  /**
   * The request or message that caused it; absent when time did. Its ids are sent with the
   * deliveries (docs/platform.md#request-ids).
   */
  readonly trace?: Trace | undefined;
}

/**
 * Deliveries that are enqueued, claimed and leased together. A BullMQ job costs more than sending a
 * delivery; shared by 50 it costs two microseconds each (docs/performance.md#group-commit). A
 * killed worker repeats at most this many.
 */
export const BATCH_DELIVERIES_MAX = 50;
/** Bytes of bodies in a batch, unless one is larger (docs/platform.md#byte-budgets). */
const BATCH_BYTES_MAX = 1024 * 1024;

/** A row of webhook_events. */
export interface WebhookEventRow {
  readonly id: string;
  readonly organizationId: string;
  readonly conversationId: string;
  readonly botId: string | null;
  /** In its conversation; orders the events of one transaction. */
  readonly sequence: number;
  readonly body: string;
  /** Sealed target of a one-off delivery. */
  readonly target: string | null;
  readonly interimTurn: number | null;
  readonly superseded: boolean;
  /** Of its cause; null when time caused it. */
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
  /** With ordered webhooks: its place in the queue (ordered-deliveries.ts). */
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
  /** Batches of the deliveries to attempt now. */
  readonly batches: readonly PlannedBatch[];
}

export interface PlannedBatch {
  readonly id: string;
  readonly deliveryIds: readonly string[];
  /** Bytes of their bodies. */
  readonly bytes: number;
}

/** @param ids of deliveries and batches, which are no facts */
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
  const supersededEvents = findSupersededInterims(events);
  const eventRows: WebhookEventRow[] = [];
  const deliveries: DeliveryRow[] = [];
  for (const event of events) {
    const selected = (byOrganization.get(event.organizationId) ?? []).filter((webhook) =>
      isSelected(webhook, event),
    );
    const { id } = event;
    const superseded = supersededEvents.has(event);
    eventRows.push({
      id,
      organizationId: event.organizationId,
      conversationId: event.conversationId,
      botId: event.botId,
      sequence: event.sequence,
      body: formatEventBody({ id, event: event.type, timestamp: event.occurredAt, data: event.data }),
      target: null,
      interimTurn: event.type === 'speech.interim' ? event.turnIndex : null,
      superseded,
      requestId: event.trace?.requestId ?? null,
      traceparent: event.trace?.traceparent ?? null,
    });
    for (const webhook of selected) {
      const status = superseded ? 'superseded' : webhook.status === 'active' ? 'pending' : 'skipped';
      deliveries.push({
        id: ids('dlv'),
        webhookId: webhook.id,
        eventId: id,
        event: event.type,
        kind: 'event',
        status,
        replayOf: null,
        place: webhook.ordered && status === 'pending' ? toPlace(event, webhook.id) : null,
      });
    }
  }
  const bytes = new Map(eventRows.map(({ id, body }) => [id, utf8Bytes(body)]));
  return {
    events: eventRows,
    deliveries,
    batches: planBatches(deliveries, ids, (event) => bytes.get(event)!),
  };
}

function toPlace({ organizationId, conversationId, sequence }: OutgoingEvent, webhookId: string): Place {
  return { organizationId, webhookId, conversationId, sequence };
}

/** Upper bound: three bytes a character for short texts, where counting is not worth its cost. */
export function utf8Bytes(text: string): number {
  return text.length < SHORT_CHARACTERS ? text.length * 3 : Buffer.byteLength(text);
}
const SHORT_CHARACTERS = 1_000;

/** Batches the pending deliveries that wait for no other. */
export function planBatches(
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

/** Interims followed by a later event of the same turn in this call. */
function findSupersededInterims(events: readonly OutgoingEvent[]): ReadonlySet<OutgoingEvent> {
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

/** Turns whose earlier interims are superseded, for organisations with a webhook for interims. */
export function listSpokenTurns(
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
