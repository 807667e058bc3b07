import { expect, test } from '@jest/globals';
import { toHandle, toTimeline } from './person.rules.ts';

test('tells phone numbers, e-mail addresses and ids apart', () => {
  expect(toHandle(' +49 (30) 901820 ')).toEqual({ kind: 'phone', phone: '+4930901820' });
  expect(toHandle('ada@example.com')).toEqual({ kind: 'email', email: 'ada@example.com' });
  expect(toHandle('user-4711')).toEqual({ kind: 'id', id: 'user-4711' });
});

test('merges lists, newest first, without repeating an object', () => {
  const [old, recent] = [
    { key: 'a', at: 100 },
    { key: 'b', at: new Date(200_000).toISOString() },
  ];
  expect(toTimeline([old, recent], [recent]).map(({ key }) => key)).toEqual(['b', 'a']);
});
