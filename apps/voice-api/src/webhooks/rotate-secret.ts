// POST /webhooks/{id}/rotate-secret: sets a new secret; the old one stays valid for a grace period.
import { audit } from '@parley/server/audit';
import { AppError } from '@parley/envelopes';
import type { Caller, EndpointTransaction } from '@parley/server/http';
import { webhookContext } from '@parley/server/sealed-columns';
import type { Deps } from './deps.ts';
import { notifyWebhookChanged } from './webhook-cache.ts';
import { findWebhook, toSecretHint, createSecret } from './manage-webhooks.ts';
import { createKeyPair } from '../webhook-format/payload.rules.ts';
import type { Rotation } from './schemas.ts';
import { WEBHOOK_COLUMNS, toWebhookView, type WebhookRow } from './webhook-views.ts';

/**
 * In the grace period the old secret still makes `signature` and X-Signature-256, and
 * webhook-signature lists both. A second rotation would break receivers with the oldest secret. It
 * is rejected unless it ends all old secrets immediately (`grace_seconds: 0`).
 * @throws AppError not_found, conflict
 */
export async function rotateSecret(
  deps: Pick<Deps, 'ids' | 'clock' | 'dataSealer' | 'webhookCache'>,
  caller: Caller,
  webhookId: string,
  input: Rotation,
  { sql, afterCommit }: EndpointTransaction,
) {
  const before = await findWebhook(sql, caller, webhookId, 'FOR UPDATE');
  const { id } = before;
  const nowMs = deps.clock();
  const graceEndsMs = before.previousSecretUntil?.getTime() ?? 0;
  if (graceEndsMs > nowMs && input.grace_seconds > 0) {
    throw new AppError(
      'conflict',
      'The grace period of the last rotation has not ended. Rotate with grace_seconds 0 to end all old secrets immediately.',
      { details: { previous_secret_until: new Date(graceEndsMs).toISOString() } },
    );
  }
  const secret = input.secret ?? createSecret();
  const context = webhookContext(before);
  const signing = before.publicKey === null ? null : createKeyPair();
  const [after] = await sql<WebhookRow>(
    `UPDATE webhooks
     SET secret = $3, secret_hint = $4, previous_secret = $5, previous_secret_until = $6::timestamptz, updated_at = $7::timestamptz,
       signing_key = $8, public_key = $9, previous_signing_key = $10, previous_public_key = $11
     WHERE organization_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
    [
      caller.organizationId,
      id,
      await deps.dataSealer.seal(secret, context),
      toSecretHint(secret),
      // Sealed for this webhook; stored after the grace period to explain late signatures.
      before.secret,
      new Date(nowMs + input.grace_seconds * 1_000),
      new Date(nowMs),
      signing && (await deps.dataSealer.seal(signing.secret, context)),
      signing && signing.public,
      before.signingKey,
      before.publicKey,
    ],
  );
  await notifyWebhookChanged(sql, id);
  const details = { grace_seconds: input.grace_seconds };
  await audit(sql, deps, caller, { action: 'webhook.secret_rotated', target: id, details });
  afterCommit(() => deps.webhookCache.drop(id));
  return { ...toWebhookView(after as WebhookRow, nowMs), secret };
}
