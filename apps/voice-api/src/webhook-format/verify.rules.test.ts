import { describe, expect, test } from '@jest/globals';
import { formatEventBody, selectActiveSecrets, signRequest, createSigningKeys } from './payload.rules.ts';
import { TOLERANCE_MS, verify, type VerificationInput, type VerifyReason } from './verify.rules.ts';

const NOW_MS = Date.parse('2026-11-20T18:00:00Z');
const current = createSigningKeys('the-current-secret');
const previous = createSigningKeys('the-previous-one');
const stored = formatEventBody({
  id: 'evt_1',
  event: 'bot.message',
  timestamp: new Date(0),
  data: { text: 'ü', metadata: { b: 1, a: 2 } },
});

function sent(keys = current, body = stored) {
  const event = { id: 'evt_1', body: Buffer.from(body) };
  const request = signRequest(event, selectActiveSecrets(keys, null, NOW_MS), 1, NOW_MS);
  return { body: request.body.toString(), headers: request.headers };
}

const check = (over: Partial<VerificationInput>) =>
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

describe('matching signatures', () => {
  test('all, with the current secret', () => {
    const result = check({});
    expect(result).toMatchObject({ verified: true, reason: null });
    expect(result.matches.map(({ scheme }) => scheme)).toEqual([
      'signature',
      'x-signature-256',
      'webhook-signature',
    ]);
  });
  test('all, with the previous secret', () =>
    expect(check(sent(previous)).matches).toContainEqual({ scheme: 'signature', secret: 'previous' }));
  test('that of the body alone', () =>
    expect(check({ headers: {} })).toMatchObject({ verified: true, matches: [{ scheme: 'signature' }] }));
  test('that of the body, with headers of another delivery', () =>
    expect(check({ headers: headersWith({ 'webhook-id': 'evt_2' }) })).toMatchObject({
      verified: true,
      reason: 'id_mismatch',
    }));

  const good = sent().headers['webhook-signature']!;
  const garbage = `v1a,${Buffer.alloc(64, 7).toString('base64')}`;
  test.each<[string, Record<string, string>, VerifyReason]>([
    [
      'a good v1 beside a v1a of nobody',
      { 'webhook-signature': `${good} ${garbage}` },
      'unmatched_signature',
    ],
    ['a good v1 beside what is no signature', { 'webhook-signature': `${good} v1a,x` }, 'malformed_header'],
    ['a v1a of nobody alone', { 'webhook-signature': garbage }, 'unmatched_signature'],
    [
      'a timestamp that was changed',
      { 'webhook-timestamp': String(NOW_MS / 1000 + 1) },
      'unmatched_signature',
    ],
    ['a header of another secret', { 'x-signature-256': `sha256=${'0'.repeat(64)}` }, 'unmatched_signature'],
  ])('%s is not called a match of all', (_what, over, reason) => {
    const result = check({ headers: headersWith(over) });
    expect(result).toMatchObject({ verified: true, reason });
    expect(result.message).not.toMatch(/All signatures/);
  });

  test('both entries of a grace period', () => {
    const secrets = selectActiveSecrets(current, { keys: previous, untilMs: NOW_MS + 1 }, NOW_MS);
    const { body, headers } = signRequest({ id: 'evt_1', body: Buffer.from(stored) }, secrets, 1, NOW_MS);
    expect(headers['webhook-signature']).toMatch(/^\S+ \S+$/);
    expect(check({ body: body.toString(), headers })).toMatchObject({ verified: true, reason: null });
  });
});

describe('the most likely reason', () => {
  test.each<[string, Partial<VerificationInput>, VerifyReason]>([
    ['no signature', { body: stored, headers: {} }, 'missing_header'],
    [
      'two headers and the member are missing',
      { body: stored, headers: headersWith({ ...unsigned }) },
      'missing_header',
    ],
    [
      'a truncated header',
      { body: pretty, headers: headersWith({ 'x-signature-256': 'sha256=12' }) },
      'malformed_header',
    ],
    [
      'a malformed list',
      { body: pretty, headers: headersWith({ 'webhook-signature': 'v1=x' }) },
      'malformed_header',
    ],
    ['an old request', { nowMs: NOW_MS + TOLERANCE_MS + 1 }, 'stale_timestamp'],
    ['a request from the future', { nowMs: NOW_MS - TOLERANCE_MS - 1 }, 'stale_timestamp'],
    ['a pretty-printed body', { body: pretty }, 'reserialized_body'],
    [
      'members in another order',
      { body: JSON.stringify({ signature: parsed.signature, ...JSON.parse(stored) }) },
      'reserialized_body',
    ],
    [
      'a pretty-printed body of an event that is no longer stored',
      { body: pretty, headers: {}, stored: null },
      'reserialized_body',
    ],
    ['a body without its signature member', { body: stored }, 'signature_member_missing'],
    ['another body', { body: sent().body.replace('ü', 'u') }, 'body_altered'],
    ['a truncated body', { body: sent().body.slice(0, 30) }, 'body_altered'],
    ['another secret', sent(createSigningKeys('somebody-elses')), 'wrong_secret'],
    [
      'another secret, with an event that is no longer stored',
      { ...sent(createSigningKeys('somebody-elses')), stored: null },
      'wrong_secret',
    ],
    [
      'a secret whose grace period has ended',
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

  test.each(['"}', '"} '])('never reveals how much of a signature is right, before %j', (end) => {
    const before = sent().body.slice(0, sent().body.indexOf(parsed.signature));
    const told = Array.from({ length: parsed.signature.length }, (_, right) => {
      const guess = parsed.signature.slice(0, right).padEnd(parsed.signature.length, 'x');
      return check({ body: before + guess + end });
    });
    for (const answer of told) expect(answer).toEqual(told[0]);
    expect(told[0]).toMatchObject({ verified: false, first_difference: null });
  });
});
