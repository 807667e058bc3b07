// The keys of one organisation lie in one slot of a Redis Cluster, whatever its id is made of.
import { expect, test } from '@jest/globals';
import { inFlightKey, logKey } from './limit-script.ts';

/** Redis Cluster specification: what is hashed of a key that has a hash tag. */
function hashTagOf(key: string): string | undefined {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1];
}

test.each([
  ['acme', 'acme'],
  ['{}', '%7B%7D'],
  ['a}b{c', 'a%7Db%7Bc'],
  ['org:1 ü', 'org%3A1%20%C3%BC'],
])('%s', (organizationId, tag) => {
  const keys = [
    inFlightKey('parley', organizationId),
    logKey('parley', organizationId, 'plan'),
    logKey('parley', organizationId, 'intake'),
  ];
  expect(keys.map(hashTagOf)).toEqual([tag, tag, tag]);
  expect(new Set(keys).size).toBe(3);
});
