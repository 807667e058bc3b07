import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readConfig } from '@parley/server/runtime';
import { gatewayEnv, gatewayRules } from './gateway-config.ts';

const schema = z.object(gatewayEnv).superRefine(gatewayRules);
const problems = (env: Record<string, string>) => {
  const read = readConfig(schema, env);
  return read.ok ? [] : read.problems;
};
const gateway = { GATEWAY_URL: 'http://litellm:4000/v1', CLASSIFIER_MODEL: 'small' };

test('needs no variable without a gateway', () => {
  expect(readConfig(schema, {})).toEqual({
    ok: true,
    config: {
      CLASSIFIER_TIMEOUT: 2,
      AGENT_MODE: 'out_of_band',
      TURN_DEADLINE: 25,
    },
  });
});

test('a whole configuration', () => {
  const env = {
    ...gateway,
    GATEWAY_KEY: 'file:///run/secrets/gateway',
    CLASSIFIER_TIMEOUT: '0.8',
    EXTRACTOR_MODEL: 'small',
    AGENT_MODEL: 'large',
    AGENT_MODE: 'in_process',
    TURN_DEADLINE: '60',
    GATEWAY_PRICES: 'small=0.4/1.6, Qwen/Qwen3-8B=0/0',
  };
  expect(readConfig(schema, env)).toMatchObject({
    ok: true,
    config: {
      CLASSIFIER_TIMEOUT: 0.8,
      TURN_DEADLINE: 60,
      GATEWAY_PRICES: new Map([
        ['small', { input: 0.4, output: 1.6 }],
        ['Qwen/Qwen3-8B', { input: 0, output: 0 }],
      ]),
    },
  });
});

describe('refused', () => {
  test.each<[string, Record<string, string>, string[]]>([
    [
      'a gateway without a model',
      { GATEWAY_URL: 'http://x/v1' },
      ['CLASSIFIER_MODEL: is needed with GATEWAY_URL'],
    ],
    [
      'models without a gateway',
      { CLASSIFIER_MODEL: 'small', EXTRACTOR_MODEL: 'small' },
      ['GATEWAY_URL: is not set, so CLASSIFIER_MODEL, EXTRACTOR_MODEL would do nothing'],
    ],
    [
      'a key without a gateway',
      { GATEWAY_KEY: 'env://K' },
      ['GATEWAY_URL: is not set, so GATEWAY_KEY would do nothing'],
    ],
    [
      'agents in process without anything to run them',
      { AGENT_MODE: 'in_process' },
      [
        'GATEWAY_URL: is needed with AGENT_MODE=in_process',
        'AGENT_MODEL: is needed with AGENT_MODE=in_process',
      ],
    ],
    [
      'agents in process without a model',
      { ...gateway, AGENT_MODE: 'in_process' },
      ['AGENT_MODEL: is needed with AGENT_MODE=in_process'],
    ],
    [
      'credentials in the address, which is logged',
      { ...gateway, GATEWAY_URL: 'https://user:pass@host/v1' },
      ['GATEWAY_URL: must not hold a user name or password; use GATEWAY_KEY'],
    ],
    [
      'a classifier that outlasts the turn',
      { ...gateway, CLASSIFIER_TIMEOUT: '30' },
      ['CLASSIFIER_TIMEOUT: must not be longer than TURN_DEADLINE'],
    ],
    [
      'figures out of range',
      { CLASSIFIER_TIMEOUT: 'long', TURN_DEADLINE: '0' },
      [
        'CLASSIFIER_TIMEOUT: must be a number of seconds from 0.1 to 60',
        'TURN_DEADLINE: must be a number of seconds from 1 to 300',
      ],
    ],
  ])('%s', (_what, env, expected) => expect(problems(env)).toEqual(expected));

  test.each([
    ['another protocol', { ...gateway, GATEWAY_URL: 'ftp://host/v1' }],
    ['no address', { ...gateway, GATEWAY_URL: 'litellm' }],
    ['a key that is no reference', { ...gateway, GATEWAY_KEY: 'sk-123' }],
    ['an unknown mode', { AGENT_MODE: 'remote' }],
  ])('%s', (_what, env) => expect(problems(env)).toHaveLength(1));
});
