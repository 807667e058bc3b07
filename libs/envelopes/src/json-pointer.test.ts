import { expect, test } from '@jest/globals';
import { jsonPointer } from './json-pointer.ts';

test('jsonPointer escapes as RFC 6901 says', () => {
  expect(jsonPointer(['a/b', 'm~n', 0, ''])).toBe('/a~1b/m~0n/0/');
  expect(jsonPointer([])).toBe('');
});
