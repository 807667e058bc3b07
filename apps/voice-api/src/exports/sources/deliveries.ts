// Exports deliveries, newest first, as in the log (docs/voice-api.md#delivery-log).
import { countFitting, boundBytesSql, type SizedRow } from '@parley/server/postgres';
import { firstIdAt } from '@parley/server/runtime';
import { readDeliveries, addAttempts } from '../../deliveries/log/read-deliveries.ts';
import { deliveryFilter } from '../../deliveries/schemas.ts';
import { DELIVERY_COLUMNS, type DetailedDelivery } from '../../deliveries/log/delivery-views.ts';
import { deliveryFormats } from '../formats.rules.ts';
import type { DeliveryFormat } from '../schemas.ts';
import { resolveRedaction } from '../../retention/redaction.ts';
import { readRules } from '../../retention/stored-rules.ts';
import { toReach, type Source } from './source.ts';

export const deliveries: Source = {
  head: ({ format }) => deliveryFormats[format as DeliveryFormat].head,

  async next(sql, row, max) {
    const before = row.behind_id ?? firstIdAt('dlv', row.created_at.getTime() + 1);
    const filter = deliveryFilter.parse(row.filter);
    const rows = await readDeliveries(sql, toReach(row), filter, before, max + 1);
    const events = await sql<{ id: string; conversation_id: string }>(
      'SELECT id, conversation_id FROM webhook_events WHERE organization_id = $1 AND id = ANY($2::text[])',
      [row.organization_id, rows.map(({ eventId }) => eventId)],
    );
    const conversationByEvent = new Map(events.map((event) => [event.id, event.conversation_id]));
    const items = rows.slice(0, max).map(({ id, createdAt: at, eventId }) => ({
      id,
      at,
      conversationId: conversationByEvent.get(eventId) ?? '',
    }));
    return { items, more: rows.length > max };
  },

  async *lines(sql, row, items) {
    const { line } = deliveryFormats[row.format as DeliveryFormat];
    const redaction = resolveRedaction(await readRules(sql, row.organization_id), !row.scrubbed);
    const byId = new Map(items.map((one) => [one.id, one]));
    for (let rest = items.map(({ id }) => id); rest.length > 0;) {
      const rows = await sql<DetailedDelivery & SizedRow>(DETAILED, [row.organization_id, rest]);
      const page = rows.slice(0, countFitting(rows, rows.length));
      for (const delivery of await addAttempts(sql, row.organization_id, page, redaction))
        yield { of: byId.get(delivery.id)!, line: line(delivery) };
      const last = page.at(-1);
      if (page.length === rows.length || !last) return;
      rest = rest.slice(rest.indexOf(last.id) + 1);
    }
  },
};

const DETAILED = boundBytesSql(
  `SELECT ${DELIVERY_COLUMNS}, delivery.exchange, event.body,
     COALESCE(octet_length(event.body), 0) + COALESCE(octet_length(delivery.exchange), 0) + (
       SELECT COALESCE(sum(COALESCE(octet_length(made.exchange), 0) + COALESCE(octet_length(made.answer), 0)), 0) FROM webhook_delivery_attempts AS made
       WHERE made.delivery_id = delivery.id) AS size
   FROM unnest($2::text[]) AS wanted (id)
   JOIN webhook_deliveries AS delivery ON delivery.id = wanted.id
   JOIN webhooks AS webhook ON webhook.id = delivery.webhook_id AND webhook.organization_id = $1
   LEFT JOIN webhook_events AS event ON event.id = delivery.event_id AND event.organization_id = $1`,
  'size',
  'id DESC',
);
