// Writes the given settings of a webhook and seals those that may contain secrets.
import type { Sql } from '@parley/server/postgres';
import { isSecretReference } from '@parley/outbound';
import { webhookContext } from '@parley/server/sealed-columns';
import type { Deps } from './deps.ts';
import { createKeyPair } from '../webhook-format/payload.rules.ts';
import type { WebhookSettings } from './settings.schemas.ts';
import { WEBHOOK_COLUMNS, type WebhookRow } from './webhook-views.ts';

/** Runs in the transaction that holds the webhook's lock. Returns the updated row. */
export async function saveSettings(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  sql: Sql,
  row: WebhookRow,
  settings: WebhookSettings,
): Promise<WebhookRow> {
  const seal = (text: string) => dataSealer.seal(text, webhookContext(row));
  const columns: [column: string, value: unknown][] = [];
  const { headers, asymmetric } = settings;
  if (headers !== undefined) {
    const some = headers !== null && Object.keys(headers).length > 0 ? headers : null;
    columns.push(['headers', some && (await seal(JSON.stringify(toLowerCaseNames(some))))]);
    columns.push(['headers_shown', some && JSON.stringify(maskHeaders(some))]);
  }
  for (const column of ['bot_ids', 'timeout_ms', 'rate_per_second', 'ordered', 'disable'] as const)
    if (settings[column] !== undefined) columns.push([column, settings[column]]);
  if (asymmetric !== undefined && asymmetric !== (row.publicKey !== null)) {
    const key = asymmetric ? createKeyPair() : null;
    columns.push(['signing_key', key && (await seal(key.secret))], ['public_key', key && key.public]);
    columns.push(['previous_signing_key', null], ['previous_public_key', null]);
  }
  if (columns.length === 0) return row;
  const [after] = await sql<WebhookRow>(
    `UPDATE webhooks SET ${columns.map(([column], at) => `${column} = $${at + 3}`).join(', ')}
     WHERE organization_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
    [row.organizationId, row.id, ...columns.map(([, value]) => value)],
  );
  return after as WebhookRow;
}

/** Header names are case-insensitive. */
export function toLowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Headers for answers and the audit log: only references to secrets have a value. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretReference(value) ? value : null]),
  );
}
