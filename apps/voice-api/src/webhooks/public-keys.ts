// GET /.well-known/webhook-keys/{webhook_id}: the keys that verify `v1a` signatures, as a JSON Web Key Set (docs/voice-api.md#signatures).
// Anybody may read it: public keys tell nothing, and a receiver has no credential of ours.
import { LRUCache } from 'lru-cache';
import type { Deps } from '../deps.ts';
import { publicJwk } from './payload.rules.ts';

const ID = /^wh_[0-9A-Za-z]{1,60}$/;
/** Whoever asks for the same one again within this time is no work for Postgres. */
const KEPT_MS = 5_000;
const KEPT_MAX = 1_000;

/** By the id alone, as its one reader has it; null where a webhook has no key pair, or there is none. */
export function publicKeysOf({
  sql,
  clock,
}: Pick<Deps, 'sql' | 'clock'>): (webhookId: string) => Promise<object | null> {
  const kept = new LRUCache<string, { readonly set: object | null }>({ max: KEPT_MAX, ttl: KEPT_MS });
  return async (webhookId) => {
    if (!ID.test(webhookId)) return null;
    const known = kept.get(webhookId);
    if (known) return known.set;
    const [row] = await sql<{ publicKey: string | null; previousKey: string | null }>(
      `SELECT public_key AS "publicKey", CASE WHEN previous_secret_until > $2 THEN previous_public_key END AS "previousKey"
       FROM webhooks WHERE id = $1`,
      [webhookId, new Date(clock())],
    );
    const keys = [row?.publicKey, row?.previousKey].flatMap((key) => (key ? [publicJwk(key)] : []));
    const set = keys.length > 0 ? { keys } : null;
    kept.set(webhookId, { set });
    return set;
  };
}
