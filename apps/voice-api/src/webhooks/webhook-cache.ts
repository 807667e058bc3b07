// Caches webhooks with unsealed secrets for the sender: a warm delivery reads no row and unseals
// nothing. Transactions that change a webhook call `notifyWebhookChanged`.
import {
  createNoticedCache,
  notifyChanged,
  type Listener,
  type NoticedCache,
  type Sql,
} from '@parley/server/postgres';
import type { Clock, Sealer } from '@parley/server/runtime';
import { webhookContext } from '@parley/server/sealed-columns';
import { createSigningKeys, type SigningKeys } from '../webhook-format/payload.rules.ts';

/** The members that sending needs. */
export interface SendableWebhook {
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly active: boolean;
  readonly keys: SigningKeys;
  /** The old secret, until the grace period ends. */
  readonly previous: { readonly keys: SigningKeys; readonly untilMs: number } | null;
  /** The webhook's own headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** Null: DELIVERY_TIMEOUT_MS. */
  readonly timeoutMs: number | null;
  readonly ratePerSecond: number | null;
}

/** By id; null: no such webhook. */
export type WebhookCache = NoticedCache<SendableWebhook | null>;

const CHANNEL = 'parley_webhooks';
/** About 2 KB each, including keys. */
const WEBHOOKS_KEPT_MAX = 10_000;

export function createWebhookCache(options: {
  readonly listener: Listener;
  readonly clock: Clock;
  readonly sql: Sql;
  readonly dataSealer: Sealer;
}): WebhookCache {
  const { listener, clock, sql, dataSealer } = options;
  return createNoticedCache({
    listener,
    channel: CHANNEL,
    clock,
    entriesMax: WEBHOOKS_KEPT_MAX,
    load: async (id) => {
      const [row] = await sql<
        WebhookSecrets & Pick<SendableWebhook, 'url' | 'timeoutMs' | 'ratePerSecond'> & { status: string }
      >(
        `SELECT id, organization_id AS "organizationId", url, status, secret, headers, signing_key AS "signingKey",
                previous_secret AS "previousSecret", previous_secret_until AS "previousSecretUntil",
                previous_signing_key AS "previousSigningKey", timeout_ms AS "timeoutMs", rate_per_second AS "ratePerSecond"
         FROM webhooks WHERE id = $1`,
        [id],
      );
      if (!row) return null;
      const { organizationId, url, status, timeoutMs, ratePerSecond } = row;
      return {
        id,
        organizationId,
        url,
        active: status === 'active',
        timeoutMs,
        ratePerSecond,
        ...(await openSecrets(dataSealer, row)),
      };
    },
  });
}

/** Call in the changing transaction, and `drop` the webhook on this replica after the commit. */
export function notifyWebhookChanged(sql: Sql, id: string): Promise<void> {
  return notifyChanged(sql, CHANNEL, id);
}

/** Columns with secrets of a webhook. */
export interface WebhookSecrets {
  readonly id: string;
  readonly organizationId: string;
  readonly secret: string;
  readonly signingKey: string | null;
  readonly previousSecret: string | null;
  readonly previousSigningKey: string | null;
  readonly previousSecretUntil: Date | null;
  readonly headers: string | null;
}

async function openSecrets(
  sealer: Sealer,
  row: WebhookSecrets,
): Promise<Pick<SendableWebhook, 'keys' | 'previous' | 'headers'>> {
  const open = async (sealed: string | null) =>
    sealed === null ? null : await sealer.unseal(sealed, webhookContext(row));
  const headers = await open(row.headers);
  const opened = {
    keys: createSigningKeys((await open(row.secret))!, await open(row.signingKey)),
    headers: headers === null ? null : (JSON.parse(headers) as Record<string, string>),
  };
  const previous = await open(row.previousSecret);
  if (previous === null || row.previousSecretUntil === null) return { ...opened, previous: null };
  const keys = createSigningKeys(previous, await open(row.previousSigningKey));
  return { ...opened, previous: { keys, untilMs: row.previousSecretUntil.getTime() } };
}
