// Checks how each vendor proves that a report is its own (docs/voice-api.md#import-tokens).
import { createHash, createHmac } from 'node:crypto';
import { jwtVerify } from 'jose';
import { isSameText } from '@parley/server/runtime';

export interface SignedReport {
  readonly body: Buffer;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  readonly secret: string;
  readonly nowMs: number;
}

/** Whether the vendor that has the secret sent this report. */
export type VerifyReport = (report: SignedReport) => boolean | Promise<boolean>;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** `verify` of the SDK refuses signatures that differ more from its clock. */
const RETELL_TOLERANCE_MS = 5 * MINUTE_MS;
/** `constructEvent` of the SDK refuses older signatures. */
const ELEVENLABS_TOLERANCE_MS = 30 * MINUTE_MS;
/** Clocks may differ: the SDK's default for tokens. */
const LIVEKIT_TOLERANCE_SECONDS = 10;

const hexHmac = (secret: string, ...parts: readonly (string | Buffer)[]) => {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};
const isNear = (ms: number, { nowMs }: SignedReport, toleranceMs: number) =>
  Number.isSafeInteger(ms) && Math.abs(nowMs - ms) <= toleranceMs;

/**
 * `x-vapi-secret`, or an HMAC credential with Vapi's default headers, format and encoding, and
 * SHA-256. The unit of its time stamp is not documented, and a repeated report has no effect.
 * @see https://docs.vapi.ai/server-url/server-authentication
 * @see `HmacAuthenticationPlan` of github.com/VapiAI/server-sdk-typescript
 */
const vapi: VerifyReport = ({ body, header, secret }) => {
  const [given, signature, timestamp] = ['x-vapi-secret', 'x-signature', 'x-timestamp'].map(header);
  if (given !== undefined) return isSameText(given, secret);
  if (signature === undefined || timestamp === undefined) return false;
  return isSameText(signature.toLowerCase(), hexHmac(secret, `${timestamp}.`, body));
};

/**
 * `v=<ms>,d=<hex>`: HMAC-SHA256 of the body and the time stamp under the API key.
 * @see `src/lib/webhook_auth.ts` of github.com/RetellAI/retell-typescript-sdk
 */
const retell: VerifyReport = (report) => {
  const signature = /^v=(\d{1,16}),d=([0-9a-f]{64})$/i.exec(report.header('x-retell-signature') ?? '');
  if (!signature) return false;
  const [, timestamp = '', digest = ''] = signature;
  return (
    isNear(Number(timestamp), report, RETELL_TOLERANCE_MS) &&
    isSameText(digest.toLowerCase(), hexHmac(report.secret, report.body, timestamp))
  );
};

/**
 * `t=<seconds>,v0=<hex>`: HMAC-SHA256 of `<seconds>.<body>`.
 * @see `src/wrapper/webhooks.ts` of github.com/elevenlabs/elevenlabs-js
 */
const elevenlabs: VerifyReport = (report) => {
  const parts = (report.header('elevenlabs-signature') ?? '').split(',');
  const find = (prefix: string) => parts.find((part) => part.startsWith(prefix))?.slice(prefix.length) ?? '';
  const [timestamp, digest] = [find('t='), find('v0=')];
  return (
    /^\d{1,12}$/.test(timestamp) &&
    isNear(Number(timestamp) * SECOND_MS, report, ELEVENLABS_TOLERANCE_MS) &&
    isSameText(digest, hexHmac(report.secret, `${timestamp}.`, report.body))
  );
};

/**
 * A JWT in `Authorization`, without "Bearer", under the API secret. Its claim `sha256` is that of
 * the body in base64.
 * @see `WebhookReceiver.ts` of github.com/livekit/node-sdks
 */
const livekit: VerifyReport = async ({ body, header, secret, nowMs }) => {
  const token = (header('authorization') ?? '').replace(/^Bearer +/i, '');
  try {
    const { payload } = await jwtVerify(token, Buffer.from(secret), {
      algorithms: ['HS256'],
      clockTolerance: LIVEKIT_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs),
    });
    const claimed = payload['sha256'];
    return (
      typeof claimed === 'string' && isSameText(claimed, createHash('sha256').update(body).digest('base64'))
    );
  } catch {
    return false; // no token, or not one of this secret
  }
};

export const VERIFIERS = { vapi, retell, elevenlabs, livekit } as const satisfies Record<
  string,
  VerifyReport
>;
