import { describe, expect, test } from '@jest/globals';
import { readConfig } from '@parley/server/runtime';
import { z } from 'zod';
import { checkUrl } from './address-policy.ts';
import { flowSecretsEnv, outboundEnv, outboundPolicy, outboundRules } from './config.ts';

const schema = z
  .object({ NODE_ENV: z.string().default('production'), ...outboundEnv })
  .superRefine(outboundRules);

test('without variables: port 443, no exemptions', () => {
  const read = readConfig(schema, {});
  expect(read).toMatchObject({
    ok: true,
    config: { OUTBOUND_PORTS: [443], OUTBOUND_ALLOW: [], OUTBOUND_ALLOW_IN_PRODUCTION: false },
  });
});

test('the variables make the policy', () => {
  const read = readConfig(schema, {
    NODE_ENV: 'development',
    OUTBOUND_PORTS: '443, 8443',
    OUTBOUND_ALLOW: '127.0.0.0/8, ::1, Receiver',
  });
  if (!read.ok) throw new Error(read.problems.join());
  const policy = outboundPolicy(read.config);
  for (const url of [
    'https://a.example:8443',
    'http://127.8.9.1:3000',
    'http://[::1]:1',
    'http://receiver:99/x',
  ]) {
    expect([url, checkUrl(url, policy).ok]).toEqual([url, true]);
  }
  for (const url of ['http://a.example', 'https://a.example:8444', 'https://10.0.0.1', 'https://receivers']) {
    expect([url, checkUrl(url, policy).ok]).toEqual([url, false]);
  }
});

describe('refused', () => {
  test.each([
    [{ OUTBOUND_PORTS: '0' }, 'OUTBOUND_PORTS'],
    [{ OUTBOUND_PORTS: '443,65536' }, 'OUTBOUND_PORTS'],
    [{ OUTBOUND_PORTS: 'https' }, 'OUTBOUND_PORTS'],
    [{ OUTBOUND_PORTS: ',' }, 'OUTBOUND_PORTS'],
    [{ OUTBOUND_ALLOW: '10.0.0.0/33' }, 'OUTBOUND_ALLOW'],
    [{ OUTBOUND_ALLOW: '::/129' }, 'OUTBOUND_ALLOW'],
    [{ OUTBOUND_ALLOW: '10.0.0' }, 'OUTBOUND_ALLOW'],
    [{ OUTBOUND_ALLOW: '*.example.com' }, 'OUTBOUND_ALLOW'],
    [{ OUTBOUND_ALLOW: 'localhost:3000' }, 'OUTBOUND_ALLOW'],
    [{ OUTBOUND_ALLOW: 'http://localhost' }, 'OUTBOUND_ALLOW'],
    [{ OUTBOUND_ALLOW: 'fe80::1%eth0' }, 'OUTBOUND_ALLOW'],
  ])('%j', (env, name) => {
    const read = readConfig(schema, { NODE_ENV: 'development', ...env });
    expect(read.ok ? [] : read.problems).toEqual([expect.stringContaining(name)]);
  });

  test('an allow list in production needs the second variable', () => {
    const env = { OUTBOUND_ALLOW: 'localhost' };
    const [problem] = problemsOf({ ...env, NODE_ENV: 'production' });
    expect(problem).toMatch(/^OUTBOUND_ALLOW: .*OUTBOUND_ALLOW_IN_PRODUCTION=true/);
    expect(problemsOf(env)).toEqual([problem]); // production is the default
    expect(problemsOf({ ...env, OUTBOUND_ALLOW_IN_PRODUCTION: 'false' })).toEqual([problem]);
    expect(problemsOf({ ...env, OUTBOUND_ALLOW_IN_PRODUCTION: 'true' })).toEqual([]);
    expect(problemsOf({ ...env, NODE_ENV: 'development' })).toEqual([]);
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual([]);
  });

  test('the rule still applies when another variable is invalid', () => {
    expect(problemsOf({ OUTBOUND_ALLOW: 'localhost', OUTBOUND_PORTS: 'x' })).toHaveLength(2);
  });
});

function problemsOf(env: Record<string, string>): string[] {
  const read = readConfig(schema, env);
  return read.ok ? [] : read.problems;
}

describe('the place of flow secrets', () => {
  const place = z.object(flowSecretsEnv);
  test.each([
    'file:///run/secrets/flows/{organization}/{name}',
    'file:///{organization}/{name}',
    'vault://secret/parley/flows/{organization}#{name}',
    'vault://secret/{organization}#{name}',
  ])('%s', (FLOW_SECRETS) => expect(place.safeParse({ FLOW_SECRETS }).success).toBe(true));

  // If both are in one segment, two organisations could refer to the same secret.
  test.each([
    'env://FLOW_{organization}_{name}',
    'file:///run/{organization}-{name}',
    'file:///run/secrets/{name}',
    'vault://secret/flows#{name}',
    'vault://{organization}/flows#{name}',
  ])('refused: %s', (FLOW_SECRETS) => expect(place.safeParse({ FLOW_SECRETS }).success).toBe(false));
});
