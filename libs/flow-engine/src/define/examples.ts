// What callers say (docs/flow-language.md#examples): `examples` and `counter_examples` of an edge
// with `nl` or of a choice, and who decides first. A list with a fault has no effect and validation
// reports it; a stored flow always parses.
import { limits } from './limits.ts';
import type { FlowModel } from './model.ts';

export const exampleMembers = ['examples', 'counter_examples'] as const;
export type ExampleMember = (typeof exampleMembers)[number];

/** Utterances that belong to a branch or a choice, and utterances that do not. */
export interface Examples {
  readonly examples: readonly string[];
  readonly counterExamples: readonly string[];
}

type Authored = Readonly<Record<string, unknown>>;

/** Null when neither list has a usable text. */
export function readExamples(authored: Authored): Examples | null {
  const examples = readExampleList(authored, 'examples').texts;
  const counterExamples = readExampleList(authored, 'counter_examples').texts;
  return examples.length + counterExamples.length === 0 ? null : { examples, counterExamples };
}

/** The usable texts of one list, or why the list has no effect. */
export function readExampleList(
  authored: Authored,
  member: ExampleMember,
): { readonly texts: readonly string[]; readonly problem: string | null } {
  const list = authored[member] ?? [];
  if (!Array.isArray(list)) return { texts: [], problem: `\`${member}\` must be a list of texts` };
  const { examplesMax, exampleCharsMax } = limits;
  if (list.length > examplesMax)
    return { texts: [], problem: `At most ${examplesMax} texts in \`${member}\`, not ${list.length}` };
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text.trim() !== '' && text.length <= exampleCharsMax;
  return list.every(isText)
    ? { texts: list, problem: null }
    : { texts: [], problem: `Every text in \`${member}\` must have 1 to ${exampleCharsMax} characters` };
}

/** Who decides a branch with examples, in this order. An equal example always decides. */
export const classifierOrders = {
  examples_first: 'the examples, and the model when they leave doubt',
  model_first: 'the model, and the examples when it makes no choice',
  examples_only: 'the examples alone; no model is called',
} as const;
export type ClassifierOrder = keyof typeof classifierOrders;

/** `classifier` of the global node. */
export const readClassifierOrder = (global: Authored | undefined): ClassifierOrder => {
  const order = global?.['classifier'];
  return typeof order === 'string' && Object.hasOwn(classifierOrders, order)
    ? (order as ClassifierOrder)
    : 'examples_first';
};

const withExamples = new WeakMap<FlowModel, boolean>();

/** A choice may be its value alone. */
export const isTaughtChoice = (choice: unknown): boolean =>
  typeof choice === 'object' && choice !== null && readExamples(choice as Authored) !== null;

/** Whether an edge in natural language or a choice has examples. Computed once a flow. */
export function hasExamples(flow: FlowModel): boolean {
  let found = withExamples.get(flow);
  if (found === undefined) {
    found =
      flow.edges.some(({ kind, raw }) => kind === 'nl' && readExamples(raw) !== null) ||
      flow.nodes.some(({ cast, raw }) => cast === 'enum' && (raw.choices ?? []).some(isTaughtChoice));
    withExamples.set(flow, found);
  }
  return found;
}
