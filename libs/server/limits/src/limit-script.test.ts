// The keys of one organisation are in one slot of a Redis Cluster, for any id.
import { expect, test } from '@jest/globals';
import { buildInFlightKey, buildLogKey } from './limit-script.ts';

/** Redis Cluster specification: the hashed part of a key with a hash tag. */
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
    buildInFlightKey('parley', organizationId),
    buildLogKey('parley', organizationId, 'plan'),
    buildLogKey('parley', organizationId, 'intake'),
  ];
  expect(keys.map(hashTagOf)).toEqual([tag, tag, tag]);
  expect(new Set(keys).size).toBe(3);
});
