import { describe, expect, test } from '@jest/globals';
import {
  ITEM_KINDS,
  accountFor,
  findRecoveryMs,
  type Item,
  type ItemKind,
  type Sighting,
} from './account.rules.ts';

const item = (
  id: string,
  acceptedAtMs: number | null = 1,
  kind: ItemKind = 'webhooks',
  sentAtMs = 0,
): Item => ({ kind, id, sentAtMs, acceptedAtMs });
const seen = (
  id: string,
  messageId: string | null = `m-${id}`,
  kind: ItemKind = 'webhooks',
  atMs = 2,
): Sighting => ({ kind, id, messageId, atMs });

describe('the account', () => {
  test('an accepted item is delivered when it was seen, and lost when not', () => {
    const account = accountFor([item('a'), item('b'), item('c', null)], [seen('a')]);
    expect(account.kinds.webhooks).toEqual({
      accepted: 2,
      delivered: 1,
      lost: 1,
      duplicated: 0,
      unidentified: 0,
      unknown: 1,
      slowestMs: 2,
    });
    expect(account.lost).toEqual(['webhooks b']);
  });

  test('an item without an answer is neither lost nor delivered', () => {
    const account = accountFor([item('a', null), item('b', null)], [seen('a')]);
    expect(account.kinds.webhooks).toMatchObject({ accepted: 0, delivered: 0, lost: 0, unknown: 2 });
  });

  test('equal ids of different kinds are different items', () => {
    const account = accountFor([item('a', 1, 'chat'), item('a', 1, 'email')], [seen('a', 'm', 'chat')]);
    expect(account.lost).toEqual(['email a']);
    expect(account.kinds.chat).toMatchObject({ delivered: 1, lost: 0 });
  });

  test('a second sighting is a duplicate, and unrecognisable without the id of the first', () => {
    const same = accountFor([item('a')], [seen('a'), seen('a'), seen('a')]);
    expect(same.kinds.webhooks).toMatchObject({ delivered: 1, duplicated: 2, unidentified: 0 });
    expect(same.duplicateShare).toBeCloseTo(2 / 3);
    const other = accountFor([item('a')], [seen('a', 'm1'), seen('a', 'm2')]);
    expect(other.kinds.webhooks).toMatchObject({ duplicated: 1, unidentified: 1 });
    const none = accountFor([item('a')], [seen('a', null), seen('a', null)]);
    expect(none.kinds.webhooks).toMatchObject({ duplicated: 1, unidentified: 1 });
    expect(none.unidentified).toEqual(['webhooks a']);
  });

  test('the slowest item is measured from sending to its first sighting', () => {
    const items = [item('a', 1, 'chat', 10), item('b', 1, 'chat', 20)];
    const sightings = [seen('a', 'm', 'chat', 40), seen('b', 'n', 'chat', 25), seen('b', 'n', 'chat', 90)];
    expect(accountFor(items, sightings).kinds.chat.slowestMs).toBe(30);
  });

  test('of an empty run is empty', () => {
    expect(accountFor([], [])).toMatchObject({ lost: [], unidentified: [], duplicateShare: 0 });
  });
});

describe('recovery', () => {
  const everything = (sentAtMs: number, acceptedAtMs: number) =>
    ITEM_KINDS.map((kind) => item(`${kind}-${sentAtMs}`, acceptedAtMs, kind, sentAtMs));
  const all = (sentAtMs: number, atMs: number) =>
    ITEM_KINDS.map((kind) => seen(`${kind}-${sentAtMs}`, 'm', kind, atMs));

  test('is when every kind that was sent after the fault works, and every service is ready', () => {
    const items = everything(100, 110);
    const late = all(100, 130).map((one) => (one.kind === 'email' ? { ...one, atMs: 150 } : one));
    expect(findRecoveryMs(90, items, late, [95])).toBe(150);
    expect(findRecoveryMs(90, items, late, [80, 170])).toBe(170);
  });

  test('does not wait for sends held by quiet hours', () => {
    const without = all(100, 130).filter(({ kind }) => kind !== 'quiet');
    expect(findRecoveryMs(90, everything(100, 110), without, [95])).toBe(130);
  });

  test('is null while a service is not ready, a kind is missing, or only earlier items are seen', () => {
    expect(findRecoveryMs(90, everything(100, 110), all(100, 130), [80])).toBeNull();
    const without = all(100, 130).filter(({ kind }) => kind !== 'chat');
    expect(findRecoveryMs(90, everything(100, 110), without, [95])).toBeNull();
    expect(findRecoveryMs(101, everything(100, 110), all(100, 130), [120])).toBeNull();
  });
});
