// Branches that examples decide (docs/branches-without-a-model.md): a decision among twenty edges
// of twenty examples, beside a comparison, and learning these.
import { compileFlow, parseFlow, type CompiledFlow } from '@parley/flow-engine';
import { inProcess } from '../in-process.ts';
import type { Part } from '../suites.ts';
import { parleyWalk } from './parley-walk.ts';

const WINDOW_SECONDS = 0.4;
const DECISION_MAX_US = 150;
const LEARNING_MAX_US = 50_000;
const EDGES = 20;
const wishes = ['pay', 'cancel', 'change', 'find', 'send'];
const things = ['invoice', 'appointment', 'address', 'parcel'];
const ways = ['I would like to', 'can you help me to', 'please', 'is it possible to', 'how do I'];
const ends = ['today', 'again', 'for my son', 'by phone'];

const edges = Array.from({ length: EDGES }, (_, at) => {
  const wish = `${wishes[at % wishes.length]} the ${things[Math.floor(at / wishes.length)]}`;
  const examples = ways.flatMap((way) => ends.map((end) => `${way} ${wish} ${end}`));
  return { source: 'branch', target: `to-${at}`, nl: `wants to ${wish}`, examples };
});

function branch(isCompared: boolean): CompiledFlow {
  const compared = edges.map(({ source, target, examples: [value] }) => ({
    source,
    target,
    variable: 'user_input',
    op: 'eq',
    value,
  }));
  const parsed = parseFlow({
    nodes: [
      { id: 'branch', type: 'branch' },
      { id: 'rest', type: 'end' },
      { id: 'all', type: 'global', classifier: 'examples_only' },
      ...edges.map(({ target }) => ({ id: target, type: 'end' })),
    ],
    edges: [...(isCompared ? compared : edges), { source: 'branch', target: 'rest', default: true }],
  });
  if (!parsed.ok) throw new Error(`the branch is refused: ${JSON.stringify(parsed.problems[0])}`);
  return compileFlow(parsed.flow);
}

const said = edges.map(({ examples }) => `${examples[0]!} thanks`);

function deciding(isCompared: boolean): (call: number) => number {
  const flow = branch(isCompared);
  const texts = isCompared ? edges.map(({ examples }) => examples[0]!) : said;
  const turns = texts.map((user_input) => ({ current_node: 'branch', user_input, variables: {} }));
  for (const turn of turns)
    if (parleyWalk(flow, turn).lastNode === 'rest') throw new Error(`nothing decides ${turn.user_input}`);
  return (call) => parleyWalk(flow, turns[call % turns.length]!).steps;
}

export const examplesPart: Part = {
  title: 'examples in process',
  open: async (_setting, measure, tell) => {
    const decided = await measure({
      title: `A turn through a branch of ${EDGES} edges`,
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: [inProcess('comparisons', deciding(true)), inProcess('20 examples each', deciding(false))],
      ratios: [{ of: 'time', over: '20 examples each', under: 'comparisons' }],
    });
    const learned = await measure({
      title: `Compiling a branch of ${EDGES} edges`,
      operation: 'flow',
      windowSeconds: WINDOW_SECONDS,
      variants: [inProcess('20 examples each, learned', () => branch(false).nodes.size)],
      ratios: [],
    });
    const figure = (from: typeof decided, at: number, atMost: number) => {
      const { name, wallUs, cpuUs } = from.variants[at]!;
      return { name, value: cpuUs ?? wallUs, unit: 'µs', atMost };
    };
    tell({
      title: 'Examples',
      figures: [figure(decided, 1, DECISION_MAX_US), figure(learned, 0, LEARNING_MAX_US)],
    });
  },
};
