// The recipes of docs/providers.md are configurations that the service accepts, and lead to the
// addresses and headers that each provider documents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig } from '@parley/server/runtime';
import { z } from 'zod';
import { failureTexts } from '../../src/gateways/failures.ts';
import { gatewayEnv, gatewayRules } from '../../src/gateways/gateway-config.ts';
import { findKnownProvider, keyHeaders } from '../../src/gateways/known-providers.ts';
import { endpoint } from '../../src/gateways/provider.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/providers.md'), 'utf8');
const recipes = [...page.matchAll(/^### (.+)\n\n```sh\n([^`]+)```/gm)].map(([, name, block]) => ({
  name: name!,
  env: Object.fromEntries(
    block!
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  ),
}));

const bearer = { authorization: 'Bearer k' };
const documented = {
  OpenAI: { chat: 'https://api.openai.com/v1/chat/completions', headers: bearer },
  Anthropic: { chat: 'https://api.anthropic.com/v1/chat/completions', headers: bearer },
  'Azure OpenAI': {
    chat: 'https://your-resource.openai.azure.com/openai/v1/chat/completions',
    headers: { 'api-key': 'k' },
  },
  Gemini: {
    chat: 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    headers: bearer,
  },
  Ollama: { chat: 'http://ollama:11434/v1/chat/completions', headers: null },
  vLLM: { chat: 'http://vllm:8000/v1/chat/completions', headers: bearer },
  LiteLLM: { chat: 'http://litellm:4000/v1/chat/completions', headers: bearer },
} as const;

test.each(Object.entries(documented))('%s', (name, { chat, headers }) => {
  const recipe = recipes.find((one) => one.name === name);
  const read = readConfig(z.object(gatewayEnv).superRefine(gatewayRules), recipe!.env);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { GATEWAY_URL: url, GATEWAY_KEY: key } = read.config;
  expect(endpoint(url!, 'chat/completions')).toBe(chat);
  expect(key === undefined ? null : keyHeaders(url!, 'k', 'chat')).toEqual(headers);
});

test('every recipe is played', () => {
  expect(recipes.map(({ name }) => name)).toEqual(Object.keys(documented));
});

test('Anthropic: the list of models has the headers of the native API, and no response format is sent', () => {
  const url = 'https://api.anthropic.com/v1';
  expect(keyHeaders(url, 'k', 'models')).toEqual({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' });
  expect(findKnownProvider(url)?.omits).toEqual(['response_format']);
});

test.each(['https://anthropic.com.evil.example/v1', 'https://notanthropic.com/v1'])(
  'is not mistaken for Anthropic: %s',
  (url) => expect(findKnownProvider(url)).toBeUndefined(),
);

test('the page names every reason', () => {
  for (const reason of Object.keys(failureTexts)) expect(page).toContain(`\`${reason}\``);
});
