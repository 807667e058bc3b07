import { expect, test } from '@jest/globals';
import type { ModelSettings } from './api.ts';
import { listPrices, toForm, toRequest } from './form.rules.ts';

const STORED: ModelSettings = {
  provider: {
    kind: 'openai',
    url: 'https://api.openai.com/v1',
    has_key: true,
    models: { classifier: 'small', extractor: null, agent: 'large' },
  },
  fallback: {
    kind: 'vllm',
    url: 'https://models.example.com/v1',
    has_key: false,
    models: { classifier: 'local', extractor: null, agent: null },
  },
  flow_providers: {
    billing: {
      kind: 'other',
      url: 'https://billing.example.com/v1',
      has_key: true,
      models: ['small', 'team/large'],
    },
  },
  prices: { small: { input: 0.4, output: 1.6 }, extra: { input: 1, output: 2 } },
  monthly_budget: 200,
  usable_models: [],
  updated_at: 1_793_000_000,
  updated_by: 'key_1',
};

test('stores what it read, and keeps the keys', () => {
  const { provider, fallback, prices, monthly_budget } = STORED;
  expect(toRequest(toForm(STORED))).toEqual({
    provider: { kind: 'openai', url: null, models: provider!.models },
    fallback: { kind: 'vllm', url: fallback!.url, models: fallback!.models },
    flow_providers: {
      billing: {
        kind: 'other',
        url: 'https://billing.example.com/v1',
        models: ['small', 'team/large'],
      },
    },
    prices,
    monthly_budget,
  });
});

test('sends a new key, and null to remove one', () => {
  const form = toForm(STORED);
  const [provider, fallback] = [
    { ...form.provider, key: 'sk-new' },
    { ...form.fallback, removesKey: true },
  ];
  const sent = toRequest({ ...form, provider, fallback });
  expect([sent.provider!.key, sent.fallback!.key]).toEqual(['sk-new', null]);
});

test('asks for the price of each model in use, once, and keeps other prices', () => {
  const form = toForm(STORED);
  const renamed = { ...form, provider: { ...form.provider, extractor: ' small ' } };
  expect(listPrices(renamed).map(({ model, input }) => [model, input])).toEqual([
    ['small', '0.4'],
    ['large', ''],
    ['local', ''],
    ['team/large', ''],
    ['extra', '1'],
  ]);
});

test('without a provider, stores null and the models of the installation apply', () => {
  const none = { provider: null, fallback: null, flow_providers: {}, prices: {}, monthly_budget: null };
  expect(toRequest(toForm({ ...STORED, ...none }))).toEqual(none);
});
