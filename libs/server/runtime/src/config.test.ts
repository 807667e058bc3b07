import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  flag,
  integer,
  list,
  platformEnv,
  platformRules,
  readConfig,
  secretReference,
  serverUrl,
  summarizeConfig,
  type Environment,
} from './config.ts';
import { Secret } from './secret.ts';

const platform = z.object(platformEnv).superRefine(platformRules);

/** The minimum for a service. */
const enough: Environment = {
  DATABASE_URL: 'postgresql://app:hunter2@db/flow_builder',
  QUEUE_URL: 'redis://queue',
  DATA_KEY: 'env://KEYS',
  QUEUE_KEY: 'file:///run/keys',
  MESSAGE_KEYS: 'file:///run/message-keys',
};

function problemsOf(schema: z.ZodType, env: Environment): string[] {
  const read = readConfig(schema, env);
  return read.ok ? [] : read.problems;
}

function configOf<Config>(schema: z.ZodType<Config>, env: Environment): Config {
  const read = readConfig(schema, env);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

describe('readConfig', () => {
  test('the minimum gives every default', () => {
    expect(configOf(platform, enough)).toMatchObject({
      NODE_ENV: 'production',
      ROLE: 'all',
      HOST: '0.0.0.0',
      PORT: 3000,
      LOG_LEVEL: 'info',
      DATABASE_POOL_MAX: 10,
      QUEUE_PREFIX: 'parley',
      CORS_ORIGINS: [],
      TRUST_PROXY: 0,
    });
  });

  test('reports every problem together: absent, invalid, and against the rules between variables', () => {
    const env = {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      DATA_KEY: 'env://KEYS',
      IDENTITY_JWKS_URL: 'https://id/keys',
    };
    const problems = problemsOf(platform, env);
    expect(problems.map((problem) => problem.split(/[: ]/)[0]).sort()).toEqual([
      'DATABASE_URL',
      'IDENTITY_AUDIENCE',
      'IDENTITY_ISSUER',
      'LOG_LEVEL',
      'MESSAGE_KEYS',
      'PORT',
      'QUEUE_KEY',
      'QUEUE_URL',
    ]);
    expect(problems).toContain('DATABASE_URL is not set');
    expect(problems).toContain('QUEUE_URL is not set');
  });

  test('an invalid variable is reported once, not again by a rule that misses it', () => {
    expect(problemsOf(platform, { ...enough, QUEUE_URL: 'amqp://queue' })).toEqual([
      'QUEUE_URL: must start with redis:// or rediss:// or redis-cluster:// or rediss-cluster:// or redis-sentinel:// or rediss-sentinel:// or postgres:// or postgresql://, or be a secret reference',
    ]);
  });

  test('a rule that needs an invalid variable does not hide other problems', () => {
    const schema = z.object({ HOSTS: list, PORT: integer(1, 10) }).superRefine(({ HOSTS }, context) => {
      if (HOSTS.length > 9) context.addIssue('too many HOSTS');
    });
    expect(problemsOf(schema, { PORT: '11' })).toEqual([
      'HOSTS is not set',
      expect.stringContaining('PORT: '),
    ]);
  });

  test('an empty variable counts as absent', () => {
    expect(configOf(platform, { ...enough, PORT: '', QUEUE_PREFIX: '' }).PORT).toBe(3000);
    expect(problemsOf(platform, { ...enough, DATABASE_URL: '' })).toEqual(['DATABASE_URL is not set']);
  });

  test.each([
    ['DATA_KEY', 'k1:c2VjcmV0'],
    ['DATABASE_URL', 'mysql://app:c2VjcmV0@db'],
    ['VAULT_TOKEN', 'c2VjcmV0'],
    ['IDENTITY_SHARED_SECRET', 'c2VjcmV0'],
  ])('a problem with %s never repeats its value', (name, value) => {
    const problems = problemsOf(platform, { ...enough, [name]: value });
    expect(problems[0]).toContain(`${name}: must `);
    expect(problems.join()).not.toContain('c2VjcmV0');
  });

  test('variables of other programs are ignored', () => {
    expect(configOf(platform, { ...enough, PATH: '/bin' })).not.toHaveProperty('PATH');
  });
});

describe('platformRules', () => {
  const identity = { IDENTITY_ISSUER: 'https://id', IDENTITY_AUDIENCE: 'parley' };

  test.each<[string, Environment, string[]]>([
    ['Vault needs a token', { VAULT_ADDR: 'https://vault:8200' }, ['VAULT_TOKEN']],
    [
      'one source of identity keys',
      { ...identity, IDENTITY_JWKS_URL: 'https://id/keys', IDENTITY_PUBLIC_KEY: 'file:///pem' },
      ['IDENTITY_JWKS_URL'],
    ],
    ['issuer and audience', { IDENTITY_PUBLIC_KEY: 'file:///pem' }, ['IDENTITY_ISSUER', 'IDENTITY_AUDIENCE']],
    [
      'https for keys in production',
      { ...identity, IDENTITY_JWKS_URL: 'http://id/keys' },
      ['IDENTITY_JWKS_URL'],
    ],
    [
      'https for userinfo in production',
      { IDENTITY_CLAIMS: '{"userinfo":"http://id/me"}' },
      ['IDENTITY_CLAIMS'],
    ],
    [
      'http for keys in development',
      { ...identity, IDENTITY_JWKS_URL: 'http://id/keys', NODE_ENV: 'development' },
      [],
    ],
    [
      'no shared secret in production',
      { ...identity, IDENTITY_SHARED_SECRET: 'env://HS' },
      ['IDENTITY_SHARED_SECRET'],
    ],
    [
      'a shared secret in development',
      { ...identity, IDENTITY_SHARED_SECRET: 'env://HS', NODE_ENV: 'development' },
      [],
    ],
    ['a queue on Postgres', { QUEUE_URL: 'postgres://db/queue' }, []],
  ])('%s', (_rule, changed, names) => {
    const problems = problemsOf(platform, { ...enough, ...changed });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(names);
  });
});

describe('kinds of variables', () => {
  const value = (schema: z.ZodType, text: string) => schema.safeParse(text);

  test.each([
    ['true', true],
    ['false', false],
  ])('flag: %s', (text, expected) => expect(value(flag, text).data).toBe(expected));
  test.each(['1', 'yes', 'TRUE'])('flag refuses %j', (text) => expect(value(flag, text).success).toBe(false));

  test.each(['0', '3'])('integer accepts %j', (text) => {
    expect(value(integer(0, 3), text).data).toBe(Number(text));
  });
  test.each(['-1', '4', '1.5', 'x', 'Infinity'])('integer refuses %j', (text) =>
    expect(value(integer(0, 3), text).success).toBe(false),
  );

  test('list: blanks and empty items do not matter', () => {
    expect(value(list, ' https://a , ,https://b,').data).toEqual(['https://a', 'https://b']);
  });

  test.each(['env://NAME', 'file:///run/secrets/x', 'vault://secret/team/app#password'])(
    'reference %s',
    (text) => expect(value(secretReference, text).success).toBe(true),
  );
  test.each([
    'hunter2',
    'env://',
    'env://A B',
    'file://host/x',
    'vault://secret',
    'vault://secret/x',
    'https://x',
  ])('not a reference: %s', (text) => expect(value(secretReference, text).success).toBe(false));

  test('a URL is wrapped, because it may hold a password; a reference is accepted instead', () => {
    const url = serverUrl('redis').parse('redis://:hunter2@queue');
    expect(url).toBeInstanceOf(Secret);
    expect(String(url)).not.toContain('hunter2');
    expect(url.reveal()).toBe('redis://:hunter2@queue');
    expect(serverUrl('redis').parse('vault://kv/queue#url').reveal()).toBe('vault://kv/queue#url');
  });
});

test('the start-up summary shows values, and for secrets only that they are configured', () => {
  const summary = summarizeConfig(configOf(platform, enough));
  expect(summary).toMatchObject({ PORT: 3000, DATA_KEY: 'env://KEYS', DATABASE_URL_configured: true });
  expect(summary).not.toHaveProperty('DATABASE_URL');
  expect(JSON.stringify(summary)).not.toContain('hunter2');
});
