// Payloads for autopush, the push service of Firefox (docs/notifications.md#push-services).
// Its addresses do not tell Firefox on Android, which accepts less, from Firefox on a desktop.
import { z } from 'zod';
import { encryptedBytes } from '../../push-engine/encrypt.ts';
import { truncateToFit } from '../truncate.rules.ts';
import { payloadBytes } from './payload.rules.ts';

/**
 * Largest encrypted message for Firefox on Android. The documented limit is 3,070 bytes. Autopush
 * counts JSON of 4,096 bytes that holds the message in base64 and 75 bytes more
 * (github.com/mozilla-services/autopush-rs, routers/common.rs).
 */
export const CONSTRAINED_BYTES_MAX = 3_015;

/** Mozilla's or self-hosted: `/wpush/{version}/{token}` (autopush-rs, docs/src/http.md). */
export function isAutopush(endpoint: string): boolean {
  return AUTOPUSH.test(endpoint);
}

const AUTOPUSH = /^https?:\/\/[^/?#]+\/wpush\/v\d+\//;

const text = z.looseObject({ body: z.string() });

/**
 * Without the declarative form, which repeats title and body and which Firefox does not read. Of a
 * message that is still too long the body is cut; other members stay, as workers read them.
 */
export function toAutopushPayload(payload: string): string {
  const { web_push: _, notification: __, mutable: ___, ...rest } = JSON.parse(payload) as Members;
  const plain = JSON.stringify(rest);
  const { success, data } = text.safeParse(rest);
  if (fits(plain) || !success) return plain;
  const cut = (body: string) => JSON.stringify({ ...data, body });
  const shortest = cut(truncateToFit(data.body, (body) => fits(cut(body))));
  return fits(shortest) ? shortest : plain;
}

type Members = Readonly<Record<string, unknown>>;

const fits = (payload: string) => encryptedBytes(payloadBytes(payload)) <= CONSTRAINED_BYTES_MAX;
