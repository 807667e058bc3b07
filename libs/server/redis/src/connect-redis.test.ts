import { describe, expect, test } from '@jest/globals';
import { buildKeyPrefix, parseRedisUrl } from './connect-redis.ts';

describe('parseRedisUrl', () => {
  test('a URL of one server is passed to the client unchanged', () => {
    const url = 'rediss://user:p%40ss@redis.example.com:6380/2';
    expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
  });

  test('a cluster URL has several hosts, one login and TLS', () => {
    expect(parseRedisUrl('rediss-cluster://parley:p%40ss:word@a.example.com,b.example.com:7000')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a.example.com', port: 6379 },
        { host: 'b.example.com', port: 7000 },
      ],
      options: { username: 'parley', password: 'p@ss:word', tls: {} },
    });
  });

  test("a sentinel URL has the master's name, its database and the sentinels' password", () => {
    expect(
      parseRedisUrl('redis-sentinel://:secret@[fd00::1],s2:26380/my%20master?db=3&sentinel_password=other'),
    ).toEqual({
      kind: 'sentinel',
      options: {
        password: 'secret',
        sentinels: [
          { host: 'fd00::1', port: 26379 },
          { host: 's2', port: 26380 },
        ],
        name: 'my master',
        db: 3,
        sentinelPassword: 'other',
      },
    });
    expect(parseRedisUrl('rediss-sentinel://s1/m')).toMatchObject({
      options: { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true },
    });
  });

  test.each([
    ['amqp://a', /must start with redis:\/\//],
    ['redis-sentinel://s1,s2', /name of the master/],
    ['redis-cluster://a:b:c', /host\[:port\]/],
    ['redis-cluster://user:secret@', /host\[:port\]/],
  ])('refuses %s without repeating it', (url, message) => {
    expect(() => parseRedisUrl(url)).toThrow(message);
    expect(() => parseRedisUrl(url)).not.toThrow(/secret/);
  });
});

test('in a cluster the keys of a queue share a hash tag, and each queue has its own', () => {
  expect(buildKeyPrefix('single', 'parley', 'email-jobs')).toBe('parley');
  expect(buildKeyPrefix('sentinel', 'parley', 'email-jobs')).toBe('parley');
  expect(buildKeyPrefix('cluster', 'parley', 'email-jobs')).toBe('{parley:email-jobs}');
});
