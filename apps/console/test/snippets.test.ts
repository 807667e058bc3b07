// What the console gives voice platforms is the code of docs/openai.md.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SNIPPETS } from '../web/agents/connect/snippets.ts';

const page = readFileSync(new URL('../../../docs/openai.md', import.meta.url), 'utf8');
const NAMES = { address: 'https://flows.example.com', model: 'booking', agentId: 'booking' };

test.each(Object.values(SNIPPETS))('the snippet for $label is the one of the docs', ({ label, code }) => {
  const section = page.split(/^## /m).find((one) => one.startsWith(`${label}\n`))!;
  const [, documented] = /^```\w+\n(.*?)^```$/ms.exec(section)!;
  expect(code(NAMES)).toBe(documented);
});

test('a snippet names the address, the version and the agent', () => {
  const names = { address: 'https://flows.acme.example', model: 'booking@3', agentId: 'bot_1' };
  for (const { code } of Object.values(SNIPPETS)) {
    expect(code(names)).toContain('https://flows.acme.example/openai/v1');
    expect(code(names)).toContain('booking@3');
  }
  expect(SNIPPETS.vapi.code(names)).toContain('"bot_id": "bot_1"');
});
