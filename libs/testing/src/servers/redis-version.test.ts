import { describe, expect, test } from '@jest/globals';
import { isUsableRedis } from './redis-version.ts';

describe('isUsableRedis', () => {
  test.each([
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1', true],
    ['Redis server v=6.2.0 sha=0', true],
    ['Valkey server v=8.0.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', true],
    ['Redis server v=10.0.0 sha=0', true],
    ['Redis server v=6.0.16 sha=0', false],
    ['Redis server v=5.0.14 sha=0', false],
    ['something else', false],
  ])('%s: %s', (line, usable) => {
    expect(isUsableRedis(line)).toBe(usable);
  });
});
