// What the words of the flow language cost (docs/flow-language.md): the bench flow with
// assignments, commands and lists of conditions against the same flow without them, the same turns
// through both.
import { compileFlow, parseFlow, type CompiledFlow } from '@parley/flow-engine';
import { inProcess } from '../in-process.ts';
import type { Part } from '../suites.ts';
import { benchFlow, benchTurns, blocksOf, type BenchTurn } from './bench-flow.ts';
import { parleyWalk } from './parley-walk.ts';

const NODES = 50;
const QUESTIONS = blocksOf(NODES);
const SETS = 20;
const COMMANDS = 8;
const WINDOW_SECONDS = 0.4;

type BenchFlow = ReturnType<typeof benchFlow>;

/** Constants, copies, counters, texts; over what the bag holds, as from the second lap on. */
const assignments = Array.from({ length: SETS }, (_, index) => {
  const variable = `note_${index % 18}`;
  const kinds = [
    { variable, to: index },
    { variable, to: '{{ amount }}' },
    { variable: 'visits', add: 1 },
    { variable, to: '{{ name }} of {{ city }}' },
  ];
  return kinds[index % kinds.length]!;
});

/** Nobody calls them: they are tried at every question, half of them before its own edges. */
const commands = Array.from({ length: COMMANDS }, (_, index) => ({
  id: `command_${index}`,
  type: 'trigger',
  on: 'any_turn',
  priority: index % 2 === 0 ? 'before' : 'after',
}));
const commandEdges = commands.map(({ id }, index) => ({
  source: id,
  target: 'person',
  all: [
    { variable: 'consent', op: 'is_true' },
    { variable: 'user_input', op: 'eq', value: `command ${index}` },
  ],
}));

/** The same condition among two others that hold, so that every route stays what it was. */
const amongOthers = (edge: BenchFlow['edges'][number]) => {
  if (!('variable' in edge)) return edge;
  const { source, target, variable, op, value } = edge;
  const certain = { variable: 'consent', op: 'is_true' };
  return {
    source,
    target,
    all: [certain, { variable: 'visits', op: 'gte', value: 12 }, { variable, op, value }],
  };
};

/** The questions share them: one or two are set on leaving each. */
const sharedAt = (question: number) => assignments.filter((_, index) => index % QUESTIONS === question);

interface Words {
  readonly sets?: 'shared' | 'at every question';
  readonly commands?: true;
  readonly lists?: true;
}

function flowWith(words: Words): CompiledFlow {
  const { nodes, edges, ...flow } = benchFlow(NODES);
  const questions = nodes.filter(({ type }) => type === 'collect');
  const setting = nodes.map((node) => {
    if (node.type !== 'collect') return node;
    return { ...node, set: words.sets === 'shared' ? sharedAt(questions.indexOf(node)) : assignments };
  });
  const parsed = parseFlow({
    ...flow,
    nodes: [...(words.sets ? setting : nodes), ...(words.commands ? commands : [])],
    edges: [...(words.lists ? edges.map(amongOthers) : edges), ...(words.commands ? commandEdges : [])],
  });
  if (!parsed.ok) throw new Error(`the bench flow is refused: ${JSON.stringify(parsed.problems[0])}`);
  return compileFlow(parsed.flow);
}

/** Nothing is measured unless both answer alike, and what is to be set is set. */
function refuseOtherAnswers(plain: CompiledFlow, eloquent: CompiledFlow, turns: readonly BenchTurn[]): void {
  for (const turn of turns) {
    const results = [plain, eloquent].map((flow) => parleyWalk(flow, turn));
    const [without, withAll] = results.map(({ nextNode, outputs }) =>
      JSON.stringify([nextNode, outputs.map(({ text }) => text)]),
    );
    if (without !== withAll) throw new Error(`${withAll} at ${turn.current_node}, not ${without}`);
    const [unset, set] = results.map(({ variables }) => JSON.stringify(variables));
    if (unset === set) throw new Error(`nothing was set at ${turn.current_node}`);
  }
}

export const languagePart: Part = {
  title: 'language in process',
  open: async (_setting, measure) => {
    const plain = flowWith({});
    const eloquent = flowWith({ sets: 'shared', commands: true, lists: true });
    const turns = benchTurns();
    refuseOtherAnswers(plain, eloquent, turns);
    const walk = (name: string, flow: CompiledFlow) =>
      inProcess(name, (call) => parleyWalk(flow, turns[call % turns.length]!).steps);
    const under = 'the same flow without';
    const [all, sets, setsEverywhere, called, lists] = [
      'all three',
      `${SETS} sets`,
      `${SETS} sets at every question`,
      `${COMMANDS} commands`,
      'lists',
    ] as const;
    await measure({
      title: `A turn of a flow with ${SETS} sets, ${COMMANDS} commands and lists of conditions, ${NODES} nodes, 27 variables`,
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: [
        walk(all, eloquent),
        walk(sets, flowWith({ sets: 'shared' })),
        walk(setsEverywhere, flowWith({ sets: 'at every question' })),
        walk(called, flowWith({ commands: true })),
        walk(lists, flowWith({ lists: true })),
        walk(under, plain),
      ],
      ratios: [
        { of: 'rate', over: all, under, atLeast: 0.5 },
        ...[sets, setsEverywhere, called, lists].map((over) => ({ of: 'rate' as const, over, under })),
      ],
      note: `both flows answer ${turns.length} turns alike: next node and texts`,
    });
  },
};
