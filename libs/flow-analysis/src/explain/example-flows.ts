// Example flows with passing tests, for assistants (docs/mcp.md#resources).
import type { ConversationTest } from './play-test.ts';

interface Example {
  readonly title: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly tests: Readonly<Record<string, ConversationTest>>;
}

export const exampleFlows = {
  booking: {
    title: 'Asks for a number and a name, and hands over callers without a number',
    definition: {
      nodes: [
        {
          id: 'guests',
          type: 'collect',
          prompt: 'For how many?',
          variable: 'guests',
          cast: 'integer',
          min: 1,
          max: 12,
          max_attempts: 2,
        },
        { id: 'name', type: 'collect', prompt: 'Under which name?', variable: 'name' },
        { id: 'booked', type: 'end', message: 'A table for {{ guests }}, {{ name }}.' },
        { id: 'person', type: 'handoff', target: 'reception', message: 'One moment.' },
      ],
      edges: [
        { source: 'guests', target: 'name', variable: '_input_status', value: 'captured' },
        { source: 'guests', target: 'person', default: true },
        { source: 'name', target: 'booked' },
      ],
    },
    tests: {
      'table-for-four': {
        turns: [
          { expect: { messages: ['For how many?'] } },
          { user_input: 'four of us', expect: { messages: ['Under which name?'] } },
          { user_input: 'Ada', expect: { status: 'completed', messages: ['A table for 4, Ada.'] } },
        ],
      },
      'too-many': {
        turns: [
          { expect: {} },
          { user_input: '40', expect: { next_node: 'guests' } },
          { user_input: '50', expect: { status: 'handed_off' } },
        ],
      },
    },
  },
  'order-status': {
    title: 'Waits for the result of a tool, and branches on it',
    definition: {
      nodes: [
        { id: 'which', type: 'collect', prompt: 'Which order?', variable: 'order', cast: 'integer' },
        {
          id: 'look',
          type: 'tool',
          tool: 'find_order',
          args: { id: '{{ order }}' },
          output_var: 'found',
          wait_for_result: true,
        },
        { id: 'shipped', type: 'end', message: 'It is on its way.' },
        { id: 'unknown', type: 'handoff', target: 'support', message: 'I will ask a colleague.' },
      ],
      edges: [
        { source: 'which', target: 'look' },
        // A tool may return nothing, so the comparison needs `exists`.
        { source: 'look', target: 'unknown', variable: 'found', op: 'not_exists' },
        { source: 'look', target: 'shipped', variable: 'found.state', op: 'eq', value: 'shipped' },
        { source: 'look', target: 'unknown', default: true },
      ],
    },
    tests: {
      shipped: {
        turns: [
          { expect: { messages: ['Which order?'] } },
          { user_input: '17', expect: { status: 'waiting_for_tool' } },
          {
            tool_result: { result: { state: 'shipped' } },
            expect: { status: 'completed', messages: ['It is on its way.'] },
          },
        ],
      },
    },
  },
} as const satisfies Readonly<Record<string, Example>>;
