import { expect, test } from '@jest/globals';
import { parseInterim } from './follow.ts';

test('reads an interim transcript and ignores other events', () => {
  const body = {
    id: 'evt_1',
    event: 'speech.interim',
    data: { turn_index: 4, text: 'I would li', sequence: 9 },
  };
  expect(parseInterim(JSON.stringify(body))).toEqual({ index: 4, text: 'I would li' });
  expect(parseInterim('{"data":{"unread_count":1}}')).toBeNull();
  expect(parseInterim('nonsense')).toBeNull();
});
