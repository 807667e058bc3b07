// Changes a conversation that passes a node into one that leaves it by a certain edge: solves the
// variables in the node's conditions one by one, and changes earlier inputs so that they hold the
// solution. The caller tries whether it works.
import type { CompiledComparison, CompiledNode, ConditionalExit } from '@parley/flow-engine/compile/compiled';
import type { EdgeModel } from '@parley/flow-engine/define/model';
import type { CallerAnswer } from '@parley/flow-engine/define/waits';
import { ownMember, parsePath, type Bag, type InputStatus, type Scope } from '@parley/flow-engine/read/paths';
import { uncounted } from '@parley/flow-engine/read/turn-budget';
import { comparisonsByVariable } from '../../validate/clauses.ts';
import { groupBy } from '../../validate/group-by.ts';
import { playScripted, type ScriptTurn } from '../script.ts';
import { spell } from './answers-to.ts';
import type { Explorer, PlayedTurn, ScriptedTurn } from './explorer.ts';
import { beginning, type Place, listTurnsTo } from './places.ts';
import { listNeighbours, makeRootHolding } from './variables.ts';

/** Values that are tried for one variable. */
const triedMax = 400;

/** Alternative values of one variable, tried in turn. */
const alternativesMax = 6;

/** The variables that an edge requires; undefined = missing. */
export type Solution = ReadonlyMap<string, unknown>;

/** The known state when a turn passed a node, as far as its outcome shows it. */
export interface KnownState {
  readonly bag: Bag;
  readonly userInput: string | null;
  readonly inputStatus: InputStatus | null;
  readonly answer: CallerAnswer | null;
}

/**
 * Values of the variables that a node reads, so that this deterministic edge holds and the ones
 * before it do not: the likeliest first, empty if none was found. Variables keep their values if
 * they can.
 */
export function findSolutions(
  explorer: Explorer,
  node: CompiledNode,
  edge: EdgeModel,
  said: KnownState,
  mayHold: (root: string, value: unknown) => boolean = () => true,
): Solution[] {
  const { bag, userInput, inputStatus, answer } = said;
  const { deterministic } = node.routes;
  const at = deterministic.findIndex(({ edgeIndex }) => edgeIndex === edge.index);
  const wanted = at === -1 ? null : deterministic[at]!;
  const before = at === -1 ? deterministic : deterministic.slice(0, at);
  const found = new Map<string, readonly unknown[]>();
  const scope = (root: string, value: unknown): Scope => ({
    variables: { ...bag, [root]: value },
    userInput: root === 'user_input' ? (value as string | null) : userInput,
    inputStatus,
    attempts: null,
    session: null,
    budget: uncounted,
    turn: { nowMs: explorer.playing.nowMs, answer },
    language: explorer.flow.model.language,
  });
  const exits = wanted === null ? before : [...before, wanted];
  const asked = exits.flatMap((exit) => asks(exit, exit === wanted));
  for (const [root, collectRequirements] of groupBy(asked, ({ comparison }) =>
    readRoot(comparison.variable),
  )) {
    const holds = (value: unknown) =>
      collectRequirements.every(
        ({ comparison, isWanted }) => comparison.test(scope(root, value)).matched === isWanted,
      );
    const now = root === 'user_input' ? userInput : ownMember(bag, root);
    if (holds(now)) continue;
    const marked = new Map<string, unknown>();
    for (const { value } of listValues(explorer, root, collectRequirements, scope(root, now))) {
      const mark = value === undefined ? '' : explorer.variables.mark(root, value);
      if (!marked.has(mark) && holds(value) && mayHold(root, value)) marked.set(mark, value);
      if (marked.size === alternativesMax) break;
    }
    if (marked.size === 0) return [];
    found.set(root, [...marked.values()]);
  }
  const first = new Map([...found].map(([root, [value]]) => [root, value] as const));
  const others = [...found].flatMap(([root, [, ...values]]) =>
    values.map((value) => new Map([...first, [root, value]])),
  );
  return [first, ...others];
}

const readRoot = (variable: string | null): string => parsePath(variable ?? '')?.[0] ?? '';

interface Requirement {
  readonly exit: ConditionalExit;
  readonly comparison: CompiledComparison;
  readonly isWanted: boolean;
}

/**
 * What must hold for an edge to be taken, or passed. Chooses none of several comparisons that must
 * not hold together.
 */
function asks(exit: ConditionalExit, isWanted: boolean): Requirement[] {
  const { compared, joint } = exit;
  if (!isWanted && joint !== null) return [];
  const enough = joint === 'any' ? compared.slice(0, 1) : compared;
  return enough.map((comparison) => ({ exit, comparison, isWanted }));
}

/** Values for the wanted edge come first. */
function listValues(
  { flow, index, variables }: Explorer,
  root: string,
  asks: readonly Requirement[],
  scope: Scope,
): readonly { readonly value: unknown }[] {
  const edges = [...asks]
    .sort((a, b) => Number(b.isWanted) - Number(a.isWanted))
    .map(({ exit }) => flow.model.edges[exit.edgeIndex]!);
  const compared = [...comparisonsByVariable(edges, index.readPath)].filter(
    ([path]) => readRoot(path) === root,
  );
  const rendered = asks.flatMap(({ comparison: { variable, expected } }) => {
    const value = expected(scope);
    return [value, ...listNeighbours(value)].map((one) => [variable ?? '', one] as const);
  });
  const values = [
    ...compared.flatMap(([path, comparisons]) =>
      variables.valuesAt(comparisons).map((value) => [path, value] as const),
    ),
    ...rendered,
  ];
  const held = values.slice(0, triedMax).flatMap(([path, value]) => {
    const root = path === 'user_input' ? { value } : makeRootHolding(path, value);
    return root === null ? [] : [{ value: root.value }];
  });
  return [...held, { value: undefined }];
}

/** How a variable gets a value: by another turn, or as an initial variable. Null = it cannot. */
export type Change = (
  root: string,
  value: unknown,
) => { readonly at: number; readonly turn: ScriptTurn } | 'brought' | null;

/** The possible changes in the conversation that a turn ends. */
export function findChanges(
  explorer: Explorer,
  { from, turn }: ScriptedTurn,
  brings: ReadonlySet<string>,
): Change {
  const turns = [...listTurnsTo(from), turn];
  const nodes = listAnsweredNodes(from);
  return (root, value) => {
    const at = root === 'user_input' ? turns.length - 1 : findLastWriter(explorer, nodes, root);
    if (at === -1) return brings.has(root) ? 'brought' : null;
    const said = saying(explorer, nodes[at] ?? null, root, value, turns[at]!);
    return said === null ? null : { at, turn: said };
  };
}

/** The same conversation, changed so that the solution holds. Null = impossible. */
export function retarget(
  explorer: Explorer,
  { from, turn }: ScriptedTurn,
  solution: Solution,
  change: Change,
): readonly PlayedTurn[] | null {
  const turns = [...listTurnsTo(from), turn];
  const brought: Record<string, unknown> = { ...from.brought };
  for (const [root, value] of solution) {
    const changed = change(root, value);
    if (changed === null) return null;
    if (changed === 'brought') brought[root] = value;
    else turns[changed.at] = changed.turn;
  }
  const { classifier: _, ...last } = turns.pop()!;
  const place = playTurns(explorer, brought, turns);
  if (place === null) return null;
  const held = explorer.hold(place, last);
  if (solution.size > 0) explorer.learn(place.currentNode, last);
  return held;
}

/** The node that each turn answered. */
function listAnsweredNodes(from: Place): (string | null)[] {
  const nodes: (string | null)[] = [];
  for (let at: Place | null = from; at !== null; at = at.before) nodes.push(at.currentNode);
  return nodes.reverse();
}

/** The last turn whose answer was stored in a variable; -1 = none. */
function findLastWriter({ flow }: Explorer, nodes: readonly (string | null)[], root: string): number {
  return nodes.findLastIndex((id) => {
    const node = id === null ? undefined : flow.nodes.get(id);
    if (node?.type !== 'collect') return false;
    return (
      parsePath(node.variable ?? '')?.[0] === root ||
      (node.extraction?.variables ?? []).some(({ name }) => name === root)
    );
  });
}

function saying(
  { flow, playing }: Explorer,
  nodeId: string | null,
  root: string,
  value: unknown,
  turn: ScriptTurn,
): ScriptTurn | null {
  if (root === 'user_input') return typeof value === 'string' ? { ...turn, user_input: value } : null;
  const node = nodeId === null ? undefined : flow.nodes.get(nodeId);
  if (node?.type !== 'collect' || value === undefined) return null;
  if (node.extraction?.variables.some(({ name }) => name === root) === true)
    return { ...turn, extraction: { ...turn.extraction, [root]: value } };
  const path = node.variable ?? '';
  const [, ...steps] = parsePath(path) ?? [];
  let member: unknown = value;
  for (const step of steps) member = ownMember(member, step);
  const { cast } = flow.model.nodesById.get(node.id)!;
  const text = spell(member, cast).find((said) => {
    const read = node.cast(said, { nowMs: playing.nowMs });
    return read.ok && JSON.stringify(read.value) === JSON.stringify(member);
  });
  return text === undefined ? null : { ...turn, user_input: text };
}

/** Plays the scripted turns. Null = the next turn cannot start after one of them. */
export function playTurns(explorer: Explorer, brought: Bag, turns: readonly ScriptTurn[]): Place | null {
  const { flow, playing } = explorer;
  let place = beginning(brought);
  for (const turn of turns) {
    const outcome = playScripted(flow, turn, place, playing);
    if (outcome.kind !== 'turn' || outcome.nextNode === null) return null;
    const { nextNode: currentNode, variables } = outcome;
    place = { before: place, turn, currentNode, variables, depth: place.depth + 1, brought };
    explorer.goOnFrom(place);
  }
  return place;
}
