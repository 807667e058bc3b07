// Credentials in a draft: hidden from the model, restored for the same address alone.
import { expect, test } from '@jest/globals';
import { hideHeaders } from './hidden-headers.ts';

const hook = {
  id: 'hook',
  type: 'webhook',
  url: 'https://a.example.com/',
  headers: { authorization: 'Bearer CANARY' },
};
const agent = {
  id: 'agent',
  type: 'autonomous',
  tool_dispatch: { find: { url: 'https://b.example.com/', headers: { key: 'CANARY-2' } } },
};
const draft = { nodes: [hook, agent], edges: [] };

test('the model sees none', () => {
  expect(JSON.stringify(hideHeaders(draft).masked)).not.toContain('CANARY');
});

test('an untouched node has its own again, by mask or by itself', () => {
  const { masked, restore } = hideHeaders(draft);
  expect(restore(masked)).toEqual({ definition: draft, left: [] });
  expect(restore(draft)).toEqual({ definition: draft, left: [] });
});

test('another address gets none, and neither does another node', () => {
  const { masked, restore } = hideHeaders(draft);
  const [maskedHook, maskedAgent] = masked.nodes;
  const find = { url: 'https://evil.test/', headers: { key: '[hidden 2]' } };
  const moved = restore({
    ...masked,
    nodes: [
      { ...maskedHook!, url: 'https://evil.test/' },
      { ...maskedAgent!, tool_dispatch: { find } },
      { ...maskedHook!, id: 'copy' },
    ] as never,
  });
  expect(JSON.stringify(moved.definition)).not.toContain('CANARY');
  expect(moved.left).toEqual(['hook', 'agent', 'copy']);
});
