// Reads which events the webhooks of an organisation receive. `filter` of a webhook is a condition
// of the flow language on `data` (docs/voice-api.md#webhooks). The webhook does not receive events
// that do not match; it receives events that cannot be evaluated.
import { LRUCache } from 'lru-cache';
import { compileLoneCondition, type AuthoredCondition, type ConditionTest } from '@parley/flow-analysis';
import { TurnBudget } from '@parley/flow-engine';
import type { Sql } from '@parley/server/postgres';
import type { SelectableEvent, WebhookSelection } from './selection.rules.ts';

export type WebhookFilter = AuthoredCondition;

type SelectionRow = Omit<WebhookSelection, 'passes'> & { readonly filter: WebhookFilter | null };

const COLUMNS = `id, organization_id AS "organizationId", application_id AS "applicationId", events, filter, bot_ids AS "botIds",
  ordered, status`;

/** The webhooks of these organisations that belong to no application. */
export async function readSelections(
  sql: Sql,
  of: readonly { readonly organizationId: string }[],
): Promise<WebhookSelection[]> {
  const rows = await sql<SelectionRow>(
    `SELECT ${COLUMNS} FROM webhooks
     WHERE organization_id = ANY($1::text[]) AND application_id IS NULL ORDER BY id`,
    [[...new Set(of.map(({ organizationId }) => organizationId))]],
  );
  return rows.map(toSelection);
}

/** The webhooks of the applications of these events. */
export async function readApplicationSelections(
  sql: Sql,
  events: readonly Pick<SelectableEvent & WebhookSelection, 'organizationId' | 'applicationId'>[],
): Promise<WebhookSelection[]> {
  const keys = new Map(
    events.flatMap(({ organizationId, applicationId }) =>
      applicationId === null
        ? []
        : [[JSON.stringify([organizationId, applicationId]), [organizationId, applicationId]]],
    ),
  );
  if (keys.size === 0) return [];
  const rows = await sql<SelectionRow>(
    `SELECT ${COLUMNS} FROM webhooks
     WHERE (organization_id, application_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY id`,
    [[...keys.values()].map(([organization]) => organization), [...keys.values()].map(([, id]) => id)],
  );
  return rows.map(toSelection);
}

function toSelection(row: SelectionRow): WebhookSelection {
  return { ...row, passes: (data: SelectableEvent['data']) => matchesFilter(row.filter, data) };
}

const ALL: ConditionTest = () => true;
/** Compiled filters by their JSON. */
const compiled = new LRUCache<string, ConditionTest>({ max: 1_000 });

function matchesFilter(filter: WebhookFilter | null, data: Readonly<Record<string, unknown>>): boolean {
  if (filter === null) return true;
  const text = JSON.stringify(filter);
  let test = compiled.get(text);
  if (!test) {
    const condition = compileLoneCondition(filter);
    compiled.set(text, (test = condition.ok ? condition.test : ALL));
  }
  return test(data, new TurnBudget()) !== false;
}
