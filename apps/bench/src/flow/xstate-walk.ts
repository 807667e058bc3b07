// The same conversation as an XState 5 machine: one state a node, pure functions, nothing kept
// between turns. A returned action holds the text, not the context.
import { assign, createMachine, transition } from 'xstate';
import { blocksOf, jumps, largeOrder, type BenchTurn } from './bench-flow.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface XstateTurn {
  readonly nextNode: string;
  readonly texts: readonly string[];
  readonly variables: Variables;
}

/**
 * What is used of XState. Its own types ask for every state by name, and these states are computed.
 */
interface Snapshot {
  readonly value: string;
  readonly context: Variables;
}
interface Machine {
  resolveState(state: Snapshot): Snapshot;
}
interface Answer {
  readonly type: 'answer';
  readonly said: string;
}
type Acted = { readonly type: string; readonly params: { readonly text: string } };
const step = transition as unknown as (
  machine: Machine,
  state: Snapshot,
  event: Answer,
) => [Snapshot, Acted[]];

const text = (value: unknown): string => String(value);

/** A stateless turn: the state is made from the request, changed by one event, and returned. */
export function xstateWalk(nodes: number): (turn: BenchTurn) => XstateTurn {
  const machine = machineOf(nodes);
  return (turn) => {
    const state = machine.resolveState({ value: turn.current_node, context: turn.variables });
    const [next, actions] = step(machine, state, { type: 'answer', said: turn.user_input });
    const texts: string[] = [];
    for (const action of actions) if (action.type === 'say') texts.push(action.params.text);
    return { nextNode: next.value, texts, variables: next.context };
  };
}

function machineOf(nodes: number): Machine {
  const blocks = blocksOf(nodes);
  const states: Record<string, unknown> = Object.fromEntries<unknown>(
    Array.from({ length: blocks }, (_, block) => [
      [
        `ask_${block}`,
        {
          entry: say((known) => `Question ${block}, ${text(known['name'])}?`),
          on: {
            answer: {
              target: `say_${block}`,
              actions: assign(counted as never),
            },
          },
        },
      ],
      [
        `say_${block}`,
        {
          entry: say(
            (known) =>
              `${text(known['name'])} from ${text(known['city'])}: order ${text(known['order_id'])}, you said "${text(known['answer'])}".`,
          ),
          always: { target: `branch_${block}` },
        },
      ],
      [`branch_${block}`, { always: waysOut(block, blocks) }],
    ]).flat() as [string, unknown][],
  );
  return createMachine({
    context: {},
    initial: 'ask_0',
    states: { ...states, bye_0: { type: 'final' }, person: { type: 'final' } },
  } as never) as unknown as Machine;
}

/** The answer is captured and the turn counted, as Parley's engine does. */
function counted({ context, event }: { context: Variables; event: Answer }): Variables {
  return { answer: event.said, _flow: { turn: (context['_flow'] as { turn: number }).turn + 1 } };
}

function waysOut(block: number, blocks: number) {
  const to = (by: number): string => `ask_${(block + by) % blocks}`;
  type Known = { context: Variables };
  return [
    { target: to(jumps.large), guard: ({ context }: Known) => (context['amount'] as number) > largeOrder },
    { target: to(jumps.gold), guard: ({ context }: Known) => context['tier'] === 'gold' },
    { target: to(jumps.help), guard: ({ context }: Known) => text(context['answer']).includes('help') },
    { target: to(jumps.otherwise) },
  ];
}

function say(render: (known: Variables) => string) {
  return { type: 'say', params: ({ context }: { context: Variables }) => ({ text: render(context) }) };
}
