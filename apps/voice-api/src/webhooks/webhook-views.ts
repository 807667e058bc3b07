// Webhooks as rows, and as the API returns them.
import { voiceApiDialect } from '@parley/envelopes';
import type { DisableMode } from './disable.rules.ts';
import type { WebhookFilter } from './webhook-selections.ts';
import type { WebhookSecrets } from './webhook-cache.ts';

const time = (date: Date) => voiceApiDialect.time(date) as string;
const timeOrNull = (date: Date | null) => (date === null ? null : time(date));

/** A row of webhooks. */
export interface WebhookRow extends WebhookSecrets {
  readonly externalId: string | null;
  readonly applicationId: string | null;
  readonly url: string;
  readonly events: readonly string[];
  readonly filter: WebhookFilter | null;
  readonly description: string | null;
  readonly status: 'active' | 'disabled';
  readonly secretHint: string;
  readonly disabledAt: Date | null;
  readonly disabledReason: string | null;
  readonly headersShown: Readonly<Record<string, string | null>> | null;
  readonly botIds: readonly string[];
  readonly timeoutMs: number | null;
  readonly ratePerSecond: number | null;
  readonly ordered: boolean;
  readonly disable: DisableMode;
  readonly publicKey: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const WEBHOOK_COLUMNS = `id, organization_id AS "organizationId", external_id AS "externalId", application_id AS "applicationId", url, events, filter, description, status, secret,
  secret_hint AS "secretHint", previous_secret AS "previousSecret", previous_secret_until AS "previousSecretUntil",
  signing_key AS "signingKey", public_key AS "publicKey", previous_signing_key AS "previousSigningKey",
  headers, headers_shown AS "headersShown", bot_ids AS "botIds", timeout_ms AS "timeoutMs", rate_per_second AS "ratePerSecond", ordered, disable,
  disabled_at AS "disabledAt", disabled_reason AS "disabledReason", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Omits a grace period that has ended at `nowMs`. */
export function toWebhookView(row: WebhookRow, nowMs: number) {
  const until = row.previousSecretUntil;
  return {
    id: row.id,
    external_id: row.externalId,
    application_id: row.applicationId,
    url: row.url,
    events: row.events,
    filter: row.filter,
    description: row.description,
    status: row.status,
    disabled_at: timeOrNull(row.disabledAt),
    disabled_reason: row.disabledReason,
    headers: row.headersShown,
    bot_ids: row.botIds,
    timeout_ms: row.timeoutMs,
    rate_per_second: row.ratePerSecond,
    ordered: row.ordered,
    disable: row.disable,
    public_key: row.publicKey,
    secret_hint: row.secretHint,
    previous_secret_until: until !== null && until.getTime() > nowMs ? time(until) : null,
    created_at: time(row.createdAt),
    updated_at: time(row.updatedAt),
  };
}
