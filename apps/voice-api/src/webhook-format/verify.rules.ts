// Explains why a signature does not match (docs/voice-api.md#signatures, POST
// /webhooks/{id}/verify). Pure.
import { timingSafeEqual } from 'node:crypto';
import { signStandardWebhook } from '@parley/outbound/standard-webhooks';
import { computeHexSignature, splitSignature, appendSignature, type SigningKeys } from './payload.rules.ts';

export const VERIFY_REASONS = [
  'missing_header',
  'malformed_header',
  'stale_timestamp',
  'reserialized_body',
  'body_altered',
  'signature_member_missing',
  'old_secret',
  'id_mismatch',
  'unmatched_signature',
  'wrong_secret',
] as const;
export type VerifyReason = (typeof VERIFY_REASONS)[number];

export type Scheme = 'signature' | 'x-signature-256' | 'webhook-signature';
export type WhichSecret = 'current' | 'previous';

/** Receivers of Standard Webhooks reject older requests, and those from the future. */
export const TOLERANCE_MS = 5 * 60_000;

export interface VerificationInput {
  readonly body: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly { readonly which: WhichSecret; readonly keys: SigningKeys }[];
  /** The old secret, after the grace period of the last rotation. */
  readonly ended: SigningKeys | null;
  /** The signed text of the event that the request names, if it is of this webhook. */
  readonly stored: string | null;
  readonly nowMs: number;
}

export interface Verification {
  readonly verified: boolean;
  readonly matches: readonly { readonly scheme: Scheme; readonly secret: WhichSecret }[];
  readonly reason: VerifyReason | null;
  readonly message: string;
  readonly first_difference: number | null;
}

const HEX_HEADER = /^sha256=[0-9a-f]{64}$/;
const STANDARD_HEADER =
  /^(v1,[A-Za-z0-9+/]{43}=|v1a,[A-Za-z0-9+/]{86}==)( (v1,[A-Za-z0-9+/]{43}=|v1a,[A-Za-z0-9+/]{86}==))*$/;
const STANDARD_NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** `verified`: at least one signature matches, and the timestamp, if there is one, is not stale. */
export function verify(input: VerificationInput): Verification {
  const matches = findMatches(input);
  const stale = isStale(input);
  if (matches.length > 0) {
    if (stale) return toVerification(matches, 'stale_timestamp', false);
    const warning = findWarning(input, matches);
    return warning === null
      ? { ...toVerification(matches, null, true), message: 'All signatures match.' }
      : toVerification(matches, warning, true);
  }
  return explainMismatch(input);
}

function toVerification(
  matches: Verification['matches'],
  reason: VerifyReason | null,
  verified: boolean,
): Verification {
  return {
    verified,
    matches,
    reason,
    message: reason === null ? '' : MESSAGES[reason],
    first_difference: null,
  };
}

/** What is wrong although a signature matches. */
function findWarning(input: VerificationInput, matches: Verification['matches']): VerifyReason | null {
  const { headers, body } = input;
  const schemes = new Set(matches.map(({ scheme }) => scheme));
  const given = STANDARD_NAMES.filter((name) => headers[name] !== undefined);
  if (!schemes.has('webhook-signature') && given.length > 0) {
    if (parseEventId(body) !== headers['webhook-id']) return 'id_mismatch';
    if (given.length < STANDARD_NAMES.length) return 'malformed_header';
  }
  const { 'webhook-signature': list, 'x-signature-256': raw } = headers;
  if (list !== undefined && !STANDARD_HEADER.test(list)) return 'malformed_header';
  if (raw !== undefined && !HEX_HEADER.test(raw.trim())) return 'malformed_header';
  const isUnmatched =
    (raw !== undefined && !schemes.has('x-signature-256')) ||
    (splitSignature(body) !== null && !schemes.has('signature')) ||
    (list !== undefined && hasUnmatchedEntry(input, list));
  return isUnmatched ? 'unmatched_signature' : null;
}

/** One matching signature is enough for a receiver; a person should see that others fail. */
function hasUnmatchedEntry({ headers, body, secrets }: VerificationInput, list: string): boolean {
  const expected = secrets.flatMap(({ keys }) => signList(keys, headers, body));
  return list.split(' ').some((one) => !expected.some((other) => equal(one, other)));
}

/** The entries of `webhook-signature` that these keys make; empty without the other two headers. */
function signList(keys: SigningKeys, headers: VerificationInput['headers'], body: string): string[] {
  const { 'webhook-id': id, 'webhook-timestamp': seconds } = headers;
  if (id === undefined || seconds === undefined) return [];
  const both = keys.asymmetric === null ? [keys.standard] : [keys.standard, keys.asymmetric];
  const signed = { id, timestampSeconds: seconds, body, keys: both };
  return signStandardWebhook(signed)['webhook-signature'].split(' ');
}

function findMatches({
  body,
  headers,
  secrets,
}: Pick<VerificationInput, 'body' | 'headers' | 'secrets'>): Verification['matches'] {
  const split = splitSignature(body);
  const list = headers['webhook-signature'];
  const matches: { scheme: Scheme; secret: WhichSecret }[] = [];
  for (const { which, keys } of secrets) {
    if (split && equal(split.signature, computeHexSignature(keys.plain, split.body)))
      matches.push({ scheme: 'signature', secret: which });
    const raw = headers['x-signature-256'];
    if (raw !== undefined && equal(raw.trim(), computeHexSignature(keys.plain, body)))
      matches.push({ scheme: 'x-signature-256', secret: which });
    if (list !== undefined) {
      const expected = signList(keys, headers, body);
      if (list.split(' ').some((one) => expected.some((other) => equal(one, other))))
        matches.push({ scheme: 'webhook-signature', secret: which });
    }
  }
  return matches;
}

/** No signature matches: finds the most likely reason. */
function explainMismatch(input: VerificationInput): Verification {
  const { body, headers, secrets, stored } = input;
  const no = (reason: VerifyReason, difference: number | null = null): Verification => ({
    ...toVerification([], reason, false),
    first_difference: difference,
  });
  const parsed = parse(body);
  const problem = findHeaderProblem(headers, readSignature(parsed) !== null);
  if (problem) return no(problem);
  if (input.ended !== null) {
    const secrets = [{ which: 'previous' as const, keys: input.ended }];
    if (findMatches({ body, headers, secrets }).length > 0) return no('old_secret');
  }
  if (stored !== null) {
    // The text before the signature is what was sent, so the signature has another secret.
    if (splitSignature(body)?.body === stored) return no('wrong_secret');
    const difference = findDifference(body, stored);
    const unsigned = withoutSignature(parsed);
    if (unsigned === null || !sameJson(unsigned, JSON.parse(stored))) return no('body_altered', difference);
    return no(readSignature(parsed) === null ? 'signature_member_missing' : 'reserialized_body', difference);
  }
  // The event is unknown: checks whether the usual serialization of the same JSON matches.
  const unsigned = withoutSignature(parsed);
  const signature = readSignature(parsed);
  if (unsigned !== null && signature !== null) {
    const text = JSON.stringify(unsigned);
    if (secrets.some(({ keys }) => equal(signature, computeHexSignature(keys.plain, text))))
      return no('reserialized_body');
  }
  return no('wrong_secret');
}

function findHeaderProblem(
  headers: VerificationInput['headers'],
  hasMember: boolean,
): 'missing_header' | 'malformed_header' | undefined {
  const standard = STANDARD_NAMES.filter((name) => headers[name] !== undefined);
  const [raw, list] = [headers['x-signature-256'], headers['webhook-signature']];
  if (raw === undefined && standard.length < STANDARD_NAMES.length && (!hasMember || standard.length > 0))
    return 'missing_header';
  if (raw !== undefined && !HEX_HEADER.test(raw.trim())) return 'malformed_header';
  return list !== undefined && !STANDARD_HEADER.test(list) ? 'malformed_header' : undefined;
}

function isStale({ headers, nowMs }: VerificationInput): boolean {
  const seconds = headers['webhook-timestamp'];
  if (seconds === undefined) return false;
  return !/^\d{1,12}$/.test(seconds) || Math.abs(nowMs - Number(seconds) * 1000) > TOLERANCE_MS;
}

/** The id in a JSON body. */
export function parseEventId(body: string): string | null {
  const parsed = parse(body);
  return isObject(parsed) && typeof parsed['id'] === 'string' ? parsed['id'] : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON, so there is nothing to compare
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readSignature(parsed: unknown): string | null {
  return isObject(parsed) && typeof parsed['signature'] === 'string' ? parsed['signature'] : null;
}

function withoutSignature(parsed: unknown): Record<string, unknown> | null {
  if (!isObject(parsed)) return null;
  const { signature: _signature, ...rest } = parsed;
  return rest;
}

/** Ignores the order of members. */
function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted(value[key])]);
}

/**
 * The first byte before the signature in which a body differs from the sent one; null: none. The
 * signature is only compared as a whole: the position of a difference would reveal it digit by
 * digit.
 */
function findDifference(body: string, stored: string): number | null {
  const [one, sent] = [Buffer.from(body), appendSignature(Buffer.from(stored), '')];
  const signatureAt = sent.length - '"}'.length;
  let at = 0;
  while (at < one.length && at < signatureAt && one[at] === sent[at]) at += 1;
  return at < signatureAt ? at : null;
}

function equal(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const MESSAGES: Record<VerifyReason, string> = {
  missing_header:
    'The request has no complete signature: the body does not end with a "signature" member, and X-Signature-256 or one of webhook-id, webhook-timestamp and webhook-signature is missing. A proxy may have dropped them.',
  malformed_header:
    'A signature header was changed: X-Signature-256 must be "sha256=" and 64 hex digits, webhook-signature one or more "v1,<base64>" or "v1a,<base64>" separated by blanks.',
  stale_timestamp: `The signature matches, but webhook-timestamp is more than ${TOLERANCE_MS / 60_000} minutes from now. The request is old, or a clock is wrong.`,
  reserialized_body:
    'The body has the sent JSON but not the sent bytes: it was parsed and serialized again. Verify the raw body before any JSON middleware.',
  body_altered: 'The body differs from what was sent.',
  signature_member_missing:
    'The body has the sent JSON without its "signature" member. X-Signature-256 and webhook-signature cover the whole raw body, including the signature.',
  old_secret: 'The signature belongs to a secret whose grace period has ended.',
  id_mismatch: 'The body is genuine, but webhook-id or webhook-timestamp differ from what was sent.',
  unmatched_signature:
    'A signature matches, so receivers accept the request. Another one does not: it or its timestamp was changed, or it belongs to a secret whose grace period has ended.',
  wrong_secret:
    'The signature belongs to another secret. Check whether it is the secret of another webhook, or one from before a rotation.',
};
