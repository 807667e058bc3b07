// POST /webhooks/{id}/verify: finds the signatures and secrets that match a received request, or
// explains why none does.
import { AppError } from '@parley/envelopes';
import type { Caller, Reach } from '@parley/server/http';
import type { Deps } from './deps.ts';
import { buildBotCondition } from '../lists.ts';
import { findWebhook } from './manage-webhooks.ts';
import type { VerifyRequest } from './schemas.ts';
import { parseEventId, verify, type Verification } from '../webhook-format/verify.rules.ts';

/** Read-only. @throws AppError not_found */
export async function verifyDelivery(
  deps: Pick<Deps, 'sql' | 'clock' | 'webhookCache'>,
  caller: Caller,
  webhookId: string,
  input: VerifyRequest,
): Promise<Verification> {
  const { id } = await findWebhook(deps.sql, caller, webhookId);
  const webhook = await deps.webhookCache.get(id);
  // Removed just now.
  if (webhook === null) throw new AppError('not_found', `There is no webhook "${webhookId}".`);
  const nowMs = deps.clock();
  const headers = Object.fromEntries(
    Object.entries(input.headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
  const { keys, previous } = webhook;
  const inGrace = previous !== null && previous.untilMs > nowMs;
  return verify({
    body: input.body,
    headers,
    secrets: [
      { which: 'current', keys },
      ...(inGrace ? [{ which: 'previous' as const, keys: previous.keys }] : []),
    ],
    ended: previous !== null && !inGrace ? previous.keys : null,
    stored: await readSignedText(deps, caller, parseEventId(input.body) ?? headers['webhook-id'] ?? ''),
    nowMs,
  });
}

/** The signed text of an event that the caller may access. */
async function readSignedText(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId, botIds }: Reach,
  eventId: string,
): Promise<string | null> {
  const [row] = await sql<{ body: string }>(
    `SELECT body FROM webhook_events WHERE organization_id = $1 AND id = $2 AND target IS NULL AND ${buildBotCondition('bot_id', '$3')}`,
    [organizationId, eventId, botIds ?? null],
  );
  return row?.body ?? null;
}
