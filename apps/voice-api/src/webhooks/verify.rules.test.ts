import { describe, expect, test } from '@jest/globals';
import { eventBody, secretsInForce, signedRequest, signingKeys } from './payload.rules.ts';
import { TOLERANCE_MS, verify, type ToVerify, type VerifyReason } from './verify.rules.ts';

const NOW_MS = Date.parse('2026-11-20T18:00:00Z');
const current = signingKeys('the-current-secret');
const previous = signingKeys('the-previous-one');
const stored = eventBody({
  id: 'evt_1',
  event: 'bot.message',
  timestamp: new Date(0),
  data: { text: 'ü', metadata: { b: 1, a: 2 } },
});

function sent(keys = current, body = stored) {
  const event = { id: 'evt_1', body: Buffer.from(body) };
  const request = signedRequest(event, secretsInForce(keys, null, NOW_MS), 1, NOW_MS);
  return { body: request.body.toString(), headers: request.headers };
}

const check = (over: Partial<ToVerify>) =>
  verify({
    ...sent(),
    secrets: [
      { which: 'current', keys: current },
      { which: 'previous', keys: previous },
    ],
    ended: null,
    stored,
    nowMs: NOW_MS,
    ...over,
  });

const headersWith = (over: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries({ ...sent().headers, ...over }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
const unsigned = { 'webhook-signature': undefined, 'x-signature-256': undefined };
const pretty = JSON.stringify(JSON.parse(sent().body), null, 2);
const parsed = JSON.parse(sent().body) as { signature: string };

describe('what fits', () => {
  test('everything, with the current secret', () => {
    const result = check({});
    expect(result).toMatchObject({ verified: true, reason: null });
    expect(result.matches.map(({ scheme }) => scheme)).toEqual([
      'signature',
      'x-signature-256',
      'webhook-signature',
    ]);
  });
  test('everything, with the previous secret', () =>
    expect(check(sent(previous)).matches).toContainEqual({ scheme: 'signature', secret: 'previous' }));
  test('the body alone', () =>
    expect(check({ headers: {} })).toMatchObject({ verified: true, matches: [{ scheme: 'signature' }] }));
  test('the body, beside headers of another delivery', () =>
    expect(check({ headers: headersWith({ 'webhook-id': 'evt_2' }) })).toMatchObject({
      verified: true,
      reason: 'id_mismatch',
    }));
});

describe('the first likely reason', () => {
  test.each<[string, Partial<ToVerify>, VerifyReason]>([
    ['no signature at all', { body: stored, headers: {} }, 'missing_header'],
    [
      'a proxy dropped two headers and something dropped the member',
      { body: stored, headers: headersWith({ ...unsigned }) },
      'missing_header',
    ],
    [
      'a header cut short',
      { body: pretty, headers: headersWith({ 'x-signature-256': 'sha256=12' }) },
      'malformed_header',
    ],
    [
      'a list that is no list',
      { body: pretty, headers: headersWith({ 'webhook-signature': 'v1=x' }) },
      'malformed_header',
    ],
    ['an old request', { nowMs: NOW_MS + TOLERANCE_MS + 1 }, 'stale_timestamp'],
    ['a request from the future', { nowMs: NOW_MS - TOLERANCE_MS - 1 }, 'stale_timestamp'],
    ['pretty-printed', { body: pretty }, 'reserialized_body'],
    [
      'members in another order',
      { body: JSON.stringify({ signature: parsed.signature, ...JSON.parse(stored) }) },
      'reserialized_body',
    ],
    [
      'of an event that is not kept any more',
      { body: pretty, headers: {}, stored: null },
      'reserialized_body',
    ],
    ['without its signature member', { body: stored }, 'signature_member_missing'],
    ['another content', { body: sent().body.replace('ü', 'u') }, 'body_altered'],
    ['cut short', { body: sent().body.slice(0, 30) }, 'body_altered'],
    ['another secret', sent(signingKeys('somebody-elses')), 'wrong_secret'],
    [
      'another secret, of an event that is not kept',
      { ...sent(signingKeys('somebody-elses')), stored: null },
      'wrong_secret',
    ],
    [
      'a secret whose grace has ended',
      { ...sent(previous), secrets: [{ which: 'current', keys: current }], ended: previous },
      'old_secret',
    ],
  ])('%s', (_what, over, reason) => {
    const result = check(over);
    expect(result).toMatchObject({ verified: false, reason });
    expect(result.message).not.toBe('');
  });

  test('names the first byte that differs', () =>
    expect(check({ body: sent().body.replace('ü', 'u') }).first_difference).toBe(
      Buffer.from(sent().body.slice(0, sent().body.indexOf('ü'))).length,
    ));

  test.each(['"}', '"} '])('never tells how much of a signature is right, before %j', (end) => {
    const before = sent().body.slice(0, sent().body.indexOf(parsed.signature));
    const told = Array.from({ length: parsed.signature.length }, (_, right) => {
      const guess = parsed.signature.slice(0, right).padEnd(parsed.signature.length, 'x');
      return check({ body: before + guess + end });
    });
    for (const answer of told) expect(answer).toEqual(told[0]);
    expect(told[0]).toMatchObject({ verified: false, first_difference: null });
  });
});
