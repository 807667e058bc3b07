// Reads a push message like a push service and the device together: checks RFC 8030, 8188, 8291 and
// 8292 with http_ece and jose, which our services do not use for sending.
import type { ECDH } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import ece from 'http_ece';
import { importJWK, jwtVerify } from 'jose';

/** One message, as the device would see it. */
export type PushMessage = {
  /** Decrypted. */
  text: string;
  ttl: number;
  urgency: string | undefined;
  topic: string | undefined;
  /** The key in the Authorization header, base64url. */
  vapidKey: string;
  /** The `sub` of the token. */
  vapidSubject: string;
};

/** RFC 8030 §7.2: a service may refuse more. */
const BODY_BYTES_MAX = 4096;
const URGENCIES = ['very-low', 'low', 'normal', 'high'];
/** RFC 8292 §2. */
const TOKEN_SECONDS_MAX = 24 * 60 * 60;
/** RFC 8188 §2.1: salt, record size, key id length. */
const FIXED_HEADER_BYTES = 21;

/** A rule that the message breaks; the answer would be a 400, 401 or 403. */
export class BrokenRule extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'BrokenRule';
    this.status = status;
  }
}

/** Facts of a verified token. Services cache them: senders should reuse tokens (RFC 8292 §5). */
export type VerifiedToken = { vapidKey: string; vapidSubject: string };

/** @throws BrokenRule */
export async function readPushMessage(
  request: { headers: IncomingHttpHeaders; body: Buffer; origin: string },
  device: { pair: ECDH; authSecret: string },
  verified: Map<string, VerifiedToken>,
): Promise<PushMessage> {
  const { headers, body, origin } = request;
  const authorization = headers.authorization ?? '';
  const known = verified.get(authorization) ?? (await verifyVapid(authorization, origin));
  verified.set(authorization, known);
  const { vapidKey, vapidSubject } = known;
  const ttl = headers['ttl'];
  if (typeof ttl !== 'string' || !/^\d+$/.test(ttl)) throw new BrokenRule(400, 'TTL is missing or no number');
  const urgency = headers['urgency'] as string | undefined;
  if (urgency !== undefined && !URGENCIES.includes(urgency)) throw new BrokenRule(400, `Urgency: ${urgency}`);
  const topic = headers['topic'] as string | undefined;
  if (topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(topic))
    throw new BrokenRule(400, `Topic: ${topic}`);
  return { text: decrypt(headers, body, device), ttl: Number(ttl), urgency, topic, vapidKey, vapidSubject };
}

function decrypt(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { pair, authSecret }: { pair: ECDH; authSecret: string },
): string {
  if (headers['content-encoding'] !== 'aes128gcm')
    throw new BrokenRule(415, 'Content-Encoding is not aes128gcm');
  if (body.length > BODY_BYTES_MAX) throw new BrokenRule(413, `${body.length} bytes`);
  const recordSize = body.readUInt32BE(16);
  const keyIdBytes = body[20]!;
  // RFC 8291 §4: the sender's point as key id, and one record.
  if (keyIdBytes !== 65) throw new BrokenRule(400, `a key id of ${keyIdBytes} bytes`);
  if (body.length - FIXED_HEADER_BYTES - keyIdBytes > recordSize)
    throw new BrokenRule(400, 'more than one record');
  try {
    return ece.decrypt(body, { version: 'aes128gcm', privateKey: pair, authSecret }).toString('utf8');
  } catch {
    throw new BrokenRule(400, 'the message cannot be decrypted');
  }
}

async function verifyVapid(header: string, origin: string): Promise<VerifiedToken> {
  const [, token = '', vapidKey = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header) ?? [];
  const point = Buffer.from(vapidKey, 'base64url');
  if (point.length !== 65) throw new BrokenRule(401, 'no VAPID token');
  const key = await importJWK(
    {
      kty: 'EC',
      crv: 'P-256',
      x: point.toString('base64url', 1, 33),
      y: point.toString('base64url', 33),
    },
    'ES256',
  );
  try {
    const { payload } = await jwtVerify(token, key, {
      audience: origin,
      algorithms: ['ES256'],
      requiredClaims: ['exp'],
    });
    const { exp = 0, sub = '' } = payload;
    if (exp > Date.now() / 1000 + TOKEN_SECONDS_MAX)
      throw new BrokenRule(403, 'exp is more than a day ahead');
    if (!/^(mailto:|https:)/.test(sub)) throw new BrokenRule(403, `sub: ${sub}`);
    return { vapidKey, vapidSubject: sub };
  } catch (error) {
    if (error instanceof BrokenRule) throw error;
    throw new BrokenRule(403, `the VAPID token does not verify: ${String(error)}`);
  }
}
