import { describe, expect, test } from '@jest/globals';
import { chooseQueueEngine } from './queue-engine.rules.ts';
import type { QueueChoice, QueueFacts } from './queue-engine.rules.ts';

const queueUrl = 'redis://queue';
const redisUrl = 'redis://redis';
const binary = '/usr/bin/redis-server';
const apt = true;

describe('chooseQueueEngine', () => {
  test.each<[string, QueueFacts, QueueChoice]>([
    [
      'QUEUE_URL wins over all',
      { queueUrl, redisUrl, binary, apt },
      { kind: 'given', url: queueUrl, variable: 'QUEUE_URL' },
    ],
    [
      'QUEUE_URL may name Postgres',
      { queueUrl: 'postgres://q', redisUrl, binary, apt },
      { kind: 'given', url: 'postgres://q', variable: 'QUEUE_URL' },
    ],
    [
      'postgresql:// is the same',
      { queueUrl: 'postgresql://q', apt },
      { kind: 'given', url: 'postgresql://q', variable: 'QUEUE_URL' },
    ],
    [
      'REDIS_URL comes next',
      { redisUrl, binary, apt },
      { kind: 'given', url: redisUrl, variable: 'REDIS_URL' },
    ],
    [
      'with TLS',
      { redisUrl: 'rediss://r', binary, apt },
      { kind: 'given', url: 'rediss://r', variable: 'REDIS_URL' },
    ],
    ['then a program on PATH', { binary, apt }, { kind: 'binary', path: binary }],
    ['then the one of Debian', { apt }, { kind: 'apt' }],
    ['else Postgres', { apt: false }, { kind: 'postgres' }],
    ['an empty variable is not set', { queueUrl: '', redisUrl: '', apt: false }, { kind: 'postgres' }],
  ])('%s', (_what, facts, choice) => {
    expect(chooseQueueEngine(facts)).toEqual(choice);
  });

  test('refuses what carries no queues, and says so before anything is started', () => {
    expect(() => chooseQueueEngine({ queueUrl: 'amqp://rabbit', apt })).toThrow('QUEUE_URL must start with');
    expect(() => chooseQueueEngine({ redisUrl: 'postgres://q', apt })).toThrow('QUEUE_URL=postgres://');
  });
});
