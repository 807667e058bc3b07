// The flow that the flow suite measures, at any size, and its turns. A block has three nodes: a
// question, a message that repeats the variables, and a branch. The branch has three conditions,
// and each leads to the question of another block.

/** Milliseconds that a turn takes "now" from. */
export const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
/**
 * The turns stay in these blocks, so that a flow of any size from 50 nodes up can be asked the
 * same.
 */
export const BLOCKS_ASKED = 16;
/** Nodes that belong to no block: where the last conditions could lead. */
const ENDINGS = 2;
const NODES_PER_BLOCK = 3;

export interface BenchTurn {
  readonly current_node: string;
  readonly user_input: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export const blocksOf = (nodes: number): number => Math.floor((nodes - ENDINGS) / NODES_PER_BLOCK);
/** Where each condition of a block leads, in blocks further on; the last one is the default. */
export const jumps = { large: 2, gold: 3, help: 5, otherwise: 1 } as const;
/** An amount above this is a large order. */
export const largeOrder = 1_000;

/** A definition of exactly `nodes` nodes. */
export function benchFlow(nodes: number) {
  const blocks = blocksOf(nodes);
  const ids = Array.from({ length: blocks }, (_, block) => block);
  const spare = nodes - ENDINGS - blocks * NODES_PER_BLOCK;
  const to = (block: number, by: number): string => `ask_${(block + by) % blocks}`;
  return {
    name: `bench ${nodes}`,
    start: 'ask_0',
    nodes: [
      ...ids.flatMap((block) => [
        { id: `ask_${block}`, type: 'collect', variable: 'answer', prompt: `Question ${block}, {{ name }}?` },
        {
          id: `say_${block}`,
          type: 'message',
          text: `{{ name }} from {{ city }}: order {{ order_id }}, you said "{{ answer }}".`,
        },
        { id: `branch_${block}`, type: 'branch' },
      ]),
      ...Array.from({ length: spare + 1 }, (_, index) => ({
        id: `bye_${index}`,
        type: 'end',
        message: 'Bye.',
      })),
      { id: 'person', type: 'handoff', target: 'support', message: 'One moment.' },
    ],
    edges: ids.flatMap((block) => [
      { source: `ask_${block}`, target: `say_${block}` },
      { source: `say_${block}`, target: `branch_${block}` },
      {
        source: `branch_${block}`,
        target: to(block, jumps.large),
        variable: 'amount',
        op: 'gt',
        value: largeOrder,
      },
      { source: `branch_${block}`, target: to(block, jumps.gold), variable: 'tier', op: 'eq', value: 'gold' },
      {
        source: `branch_${block}`,
        target: to(block, jumps.help),
        variable: 'answer',
        op: 'contains',
        value: 'help',
      },
      { source: `branch_${block}`, target: to(block, jumps.otherwise), default: true },
    ]),
  };
}

/** 27 variables beside the engine's counter. The long ones bring a request to about 2 KB. */
function bag(amount: number, tier: string): Record<string, unknown> {
  const notes = Array.from({ length: 18 }, (_, index) => [
    `note_${index}`,
    `This is what was said about topic ${index} of this long conversation, kept for the next turn of it.`,
  ]);
  return {
    name: 'Ada Lovelace',
    city: 'London',
    order_id: 'A-20261120-0042',
    answer: 'not asked yet',
    amount,
    tier,
    language: 'en',
    visits: 12,
    consent: true,
    _flow: { turn: 3 }, // the engine's own counter, as it came back with the turn before
    ...(Object.fromEntries(notes) as Record<string, string>),
  };
}

const cases = [
  { amount: 2_500, tier: 'silver', said: 'a large order, please' },
  { amount: 250, tier: 'gold', said: 'the usual, thank you' },
  { amount: 250, tier: 'silver', said: 'I need help with my order' },
  { amount: 250, tier: 'silver', said: 'just the small one' },
];

/**
 * Every case at every block: all four edges of a branch. Bags repeat after BLOCKS_ASKED blocks, so
 * that more blocks mean more of the flow and not more of everything.
 */
export function benchTurns(blocks: number = BLOCKS_ASKED): BenchTurn[] {
  const bags = Array.from({ length: BLOCKS_ASKED }, () => cases.map(({ amount, tier }) => bag(amount, tier)));
  return Array.from({ length: blocks }, (_, block) =>
    cases.map(({ said }, index) => ({
      current_node: `ask_${block}`,
      user_input: said,
      variables: bags[block % BLOCKS_ASKED]![index]!,
    })),
  ).flat();
}
