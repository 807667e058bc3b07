// Stories for replay.e2e.test.ts: every example flow with its stored tests, and cases that no
// example covers.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An utterance that the flow redacts. */
export const SECRET = 'canary-4242';

export interface Script {
  readonly turns: readonly Readonly<Record<string, unknown>>[];
  readonly current_node?: string | null;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface Story {
  readonly flow_id: string;
  readonly definition: unknown;
  readonly tests: Readonly<Record<string, Script>>;
}

const examples = fileURLToPath(new URL('../../flow-builder/examples', import.meta.url));
export const exampleStories = readdirSync(examples)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join(examples, file), 'utf8')) as Story);
const ends = (...ids: string[]) => ids.map((id) => ({ id, type: 'end', message: id }));
const utterances = (...all: string[]): Script => ({
  turns: [{}, ...all.map((user_input) => ({ user_input }))],
});

/**
 * Cases that no example covers: an agent that calls a tool in the service, and a redacted variable.
 */
export const ownStories = (toolUrl: string): Story[] => [
  {
    flow_id: 'helper',
    definition: {
      nodes: [
        { id: 'ask', type: 'collect', prompt: 'What is it?', variable: 'need' },
        {
          id: 'help',
          type: 'autonomous',
          goal: 'Find the order.',
          tools: [{ name: 'find_order', description: 'Finds an order' }],
          tool_dispatch: { find_order: { url: toolUrl } },
          output_var: 'found',
        },
        ...ends('found_it'),
      ],
      edges: [
        { source: 'ask', target: 'help' },
        { source: 'help', target: 'found_it' },
      ],
    },
    tests: { one: utterances('my parcel'), two: utterances('ünïcode "quoted" \\ 🙂') },
  },
  {
    flow_id: 'orders',
    definition: {
      nodes: [
        { id: 'ask', type: 'collect', prompt: 'Which order?', variable: 'id' },
        {
          id: 'look',
          type: 'tool',
          tool: 'find',
          args: { id: '{{ id }}' },
          wait_for_result: true,
          output_var: 'order',
        },
        { id: 'desk', type: 'handoff', target: 'desk', returns: true },
        ...ends('bye'),
        { id: 'told', type: 'end', message: 'It is {{ order }}.' },
      ],
      edges: [
        { source: 'ask', target: 'look' },
        { source: 'look', target: 'told', variable: '_tool_status', value: 'ok' },
        { source: 'look', target: 'desk', default: true },
        { source: 'desk', target: 'bye' },
      ],
    },
    tests: {
      // In neither alphabetical order nor order of length, because canonical JSON has an order of
      // its own.
      found: {
        turns: [
          {},
          { user_input: '17' },
          { tool_result: { result: { zone: 1, at: [2], a_state: 'sent', b: null } } },
        ],
      },
      unknown: {
        turns: [
          {},
          { user_input: '18' },
          { tool_result: { error: { code: 'none', message: 'There is none' } } },
          { handoff_result: { status: 'returned' } },
        ],
      },
    },
  },
  {
    flow_id: 'secretive',
    definition: {
      nodes: [
        { id: 'g', type: 'global', redact: ['pin'] },
        { id: 'ask', type: 'collect', prompt: 'Your pin?', variable: 'pin' },
        { id: 'more', type: 'collect', prompt: 'Got {{ pin }}. Anything else?', variable: 'more' },
        ...ends('bye'),
      ],
      edges: [
        { source: 'ask', target: 'more' },
        { source: 'more', target: 'bye' },
      ],
      start: 'ask',
    },
    tests: { one: utterances(SECRET, `I said ${SECRET}`) },
  },
];
