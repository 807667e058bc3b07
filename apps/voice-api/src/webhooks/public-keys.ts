// GET /.well-known/webhook-keys/{webhook_id}: public keys for `v1a` signatures as a JSON Web Key
// Set (docs/voice-api.md#signatures). Public, because receivers have no credential of ours.
import { LRUCache } from 'lru-cache';
import type { Deps } from './deps.ts';
import { toPublicJwk } from '../webhook-format/payload.rules.ts';

const ID = /^wh_[0-9A-Za-z]{1,60}$/;
/** Repeated requests within this time do not query Postgres. */
const KEPT_MS = 5_000;
const KEPT_MAX = 1_000;

/** By id alone, without an organisation. Null: no such webhook, or no key pair. */
export function createPublicKeyReader({
  sql,
  clock,
}: Pick<Deps, 'sql' | 'clock'>): (webhookId: string) => Promise<object | null> {
  const cached = new LRUCache<string, { readonly set: object | null }>({ max: KEPT_MAX, ttl: KEPT_MS });
  return async (webhookId) => {
    if (!ID.test(webhookId)) return null;
    const known = cached.get(webhookId);
    if (known) return known.set;
    const [row] = await sql<{ publicKey: string | null; previousKey: string | null }>(
      `SELECT public_key AS "publicKey", CASE WHEN previous_secret_until > $2 THEN previous_public_key END AS "previousKey"
       FROM webhooks WHERE id = $1`,
      [webhookId, new Date(clock())],
    );
    const keys = [row?.publicKey, row?.previousKey].flatMap((key) => (key ? [toPublicJwk(key)] : []));
    const set = keys.length > 0 ? { keys } : null;
    cached.set(webhookId, { set });
    return set;
  };
}
