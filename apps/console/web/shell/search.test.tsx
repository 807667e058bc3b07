import { expect, test } from '@jest/globals';
import { findPlaces } from './search.tsx';

test('places are found by a part of their name, whatever its case', () => {
  expect(findPlaces(' KEY ').map(({ to }) => to)).toEqual(['/keys']);
  expect(findPlaces('')).not.toHaveLength(0);
  expect(findPlaces('no such place')).toEqual([]);
});
