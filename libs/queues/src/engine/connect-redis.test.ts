import { describe, expect, test } from '@jest/globals';
import { keyPrefixOf, parseRedisUrl } from './connect-redis.ts';

describe('parseRedisUrl', () => {
  test('one server is left to the client', () => {
    const url = 'rediss://user:p%40ss@redis.example.com:6380/2';
    expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
  });

  test('a cluster: several hosts, one login, TLS', () => {
    expect(parseRedisUrl('rediss-cluster://parley:p%40ss:word@a.example.com,b.example.com:7000')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a.example.com', port: 6379 },
        { host: 'b.example.com', port: 7000 },
      ],
      options: { username: 'parley', password: 'p@ss:word', tls: {} },
    });
  });

  test('sentinels: the master by name, its database, and a password of their own', () => {
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
    ['amqp://a', /starts with redis:\/\//],
    ['redis-sentinel://s1,s2', /name of the master/],
    ['redis-cluster://a:b:c', /host\[:port\]/],
    ['redis-cluster://user:secret@', /host\[:port\]/],
  ])('%s is refused without being repeated', (url, message) => {
    expect(() => parseRedisUrl(url)).toThrow(message);
    expect(() => parseRedisUrl(url)).not.toThrow(/secret/);
  });
});

test('in a cluster the keys of a queue share a hash tag, and each queue has its own', () => {
  expect(keyPrefixOf('single', 'parley', 'email-jobs')).toBe('parley');
  expect(keyPrefixOf('sentinel', 'parley', 'email-jobs')).toBe('parley');
  expect(keyPrefixOf('cluster', 'parley', 'email-jobs')).toBe('{parley:email-jobs}');
});
