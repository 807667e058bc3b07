// Takes every edge of a flow that can be taken, and explains why not for each other one
// (docs/why.md#generated-tests).
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import type { EdgeModel } from '@parley/flow-engine/define/model';
import { readCallerAnswer } from '@parley/flow-engine/define/waits';
import { limits } from '@parley/flow-engine/define/limits';
import { filtered, reachableFrom } from '../../validate/graph/flow-graph.ts';
import { indexFlow, type FlowIndex } from '../../validate/flow-index.ts';
import { playScripted, type Playing } from '../script.ts';
import { Explorer, scriptTurnsMax, type ScriptedTurn } from './explorer.ts';
import { listTurnsTo } from './places.ts';
import {
  findChanges,
  playTurns,
  retarget,
  findSolutions,
  type KnownState,
  type Solution,
} from './retarget.ts';

export interface UncoveredEdge {
  /** Position in `definition.edges`. */
  readonly edge: number;
  /**
   * proved_dead = no conversation takes it; needs_variable = taken with variables that no
   * conversation sets; opaque = found neither a conversation nor a proof.
   */
  readonly reason: 'proved_dead' | 'needs_variable' | 'opaque';
  readonly witness: {
    readonly message: string;
    /** Of needs_variable: the variables required at the node; null = absent. */
    readonly variables?: Readonly<Record<string, unknown>>;
    /** Of proved_dead: edges that always win. */
    readonly edges?: readonly number[];
  };
}

export interface FoundEdges {
  readonly explorer: Explorer;
  /** By edge: the last turn of the first conversation that took it. */
  readonly taken: ReadonlyMap<number, ScriptedTurn>;
  readonly uncovered: readonly UncoveredEdge[];
}

/** @param isEnough ends the search early: open edges then have no explanation. */
export function findEdges(
  flow: CompiledFlow,
  playing: Playing,
  isEnough?: (explorer: Explorer) => boolean,
): FoundEdges {
  const index = indexFlow(flow.model, { stepsMax: playing.stepsMax ?? limits.stepsMax });
  const explorer = new Explorer(flow, index, playing);
  const dead = findDeadEdges(flow, index);
  const { edges } = flow.model;
  const living = edges.filter(({ index: edge }) => !dead.has(edge));
  const skipping = index.nodes.filter(({ skips }, vertex) => skips && index.reachable[vertex] === 1);
  const isDone = () =>
    isEnough?.(explorer) === true ||
    (explorer.taken.size >= living.length &&
      Math.min(explorer.skipped.size, explorer.answered.size) >= skipping.length);
  explorer.run(isDone);
  const brings = findCallerVariables(index);
  /** By open edge: the variables that it would require. */
  const wanting = new Map<number, Solution>();
  for (let progress = true; progress && !isDone();) {
    progress = false;
    for (const edge of living) {
      if (isDone()) break;
      if (explorer.taken.has(edge.index) || !tryEdge(explorer, edge, brings, wanting)) continue;
      progress = true;
      explorer.run(isDone);
    }
  }
  const uncovered =
    isEnough?.(explorer) === true
      ? []
      : edges.flatMap((edge): UncoveredEdge[] => {
          if (explorer.taken.has(edge.index)) return [];
          const proof = dead.get(edge.index);
          return [proof ?? whyOpen(explorer, edge, wanting.get(edge.index))];
        });
  return { explorer, taken: explorer.taken, uncovered };
}

/** Changes conversations that pass the node of an edge until one takes it. */
function tryEdge(
  explorer: Explorer,
  edge: EdgeModel,
  brings: ReadonlySet<string>,
  wanting: Map<number, Solution>,
): boolean {
  const node = explorer.flow.nodes.get(edge.source);
  if (node === undefined) return false;
  for (const said of [...(explorer.passed.get(edge.source) ?? [])]) {
    const behind = whatIsBehind(explorer, said);
    const change = findChanges(explorer, said, brings);
    const holding = findSolutions(
      explorer,
      node,
      edge,
      behind,
      (root, value) => change(root, value) !== null,
    );
    for (const solution of holding) {
      retarget(explorer, said, solution, change);
      if (explorer.taken.has(edge.index)) return true;
    }
    const [wanted] = wanting.has(edge.index) ? [] : findSolutions(explorer, node, edge, behind);
    if (wanted !== undefined) wanting.set(edge.index, wanted);
  }
  return false;
}

function whatIsBehind({ flow, playing }: Explorer, { from, turn }: ScriptedTurn): KnownState {
  const outcome = playScripted(flow, turn, from, playing);
  const [bag, inputStatus] =
    outcome.kind === 'turn' ? [outcome.variables, outcome.input?.status ?? null] : [from.variables, null];
  return { bag, inputStatus, userInput: turn.user_input ?? null, answer: readCallerAnswer(turn) };
}

/**
 * Variables that only a caller can bring: those that nothing writes, and results of tools and
 * agents.
 */
function findCallerVariables({ variables }: FlowIndex): ReadonlySet<string> {
  const own = new Set(
    variables.writes.filter(({ by }) => by !== 'tool' && by !== 'autonomous').map(({ root }) => root),
  );
  return new Set(variables.reads.map(({ root }) => root).filter((root) => !own.has(root)));
}

/** The edges that validation proves dead, and all edges behind them. */
function findDeadEdges({ nodes, model }: CompiledFlow, index: FlowIndex): ReadonlyMap<number, UncoveredEdge> {
  const dead = new Map<number, UncoveredEdge>();
  const prove = (edge: number, message: string, edges?: readonly number[]) => {
    const witness = edges === undefined || edges.length === 0 ? { message } : { message, edges };
    if (!dead.has(edge)) dead.set(edge, { edge, reason: 'proved_dead', witness });
  };
  for (const { dead: proved } of index.routing)
    for (const [edge, { shadowedBy }] of proved)
      prove(
        edge,
        shadowedBy.length === 0 ? 'its condition never holds' : 'edges before it always win',
        shadowedBy,
      );
  for (const edge of model.edges) {
    const source = nodes.get(edge.source);
    if (model.nodesById.get(edge.source)?.type === 'trigger') continue;
    if (source === undefined) prove(edge.index, 'no conversation stands at its source');
    else if (source.type === 'end' || (source.type === 'handoff' && !source.waits))
      prove(edge.index, 'the conversation ends at its source');
    else if (!nodes.has(edge.target)) prove(edge.index, 'no conversation can stand at its target');
    else if (edge.kind === 'default' && source.routes.fallback?.edgeIndex !== edge.index)
      prove(edge.index, 'an earlier default edge is taken', [source.routes.fallback?.edgeIndex ?? -1]);
  }
  const left = filtered(index.talk, (_from, _to, label) => !dead.has(label));
  const reachable = reachableFrom(left, index.entries);
  for (const edge of model.edges) {
    const vertex = index.vertexById.get(edge.source);
    if (vertex !== undefined && nodes.has(edge.source) && reachable[vertex] === 0)
      prove(edge.index, 'no path leads to its source');
  }
  return dead;
}

function whyOpen(explorer: Explorer, edge: EdgeModel, solution: Solution | undefined): UncoveredEdge {
  const opaque = (message: string): UncoveredEdge => ({
    edge: edge.index,
    reason: 'opaque',
    witness: { message },
  });
  if (explorer.flow.model.nodesById.get(edge.source)?.type === 'trigger')
    return opaque('a trigger is not part of a conversation');
  if (explorer.isSpent) return opaque('the search ended before');
  const passages = explorer.passed.get(edge.source) ?? [];
  if (passages.length === 0)
    return opaque(`no conversation of at most ${scriptTurnsMax} turns was found that comes to its source`);
  if (solution === undefined || !isTakenWith(explorer, edge, solution))
    return opaque('no values were found that its conditions let through');
  const variables = Object.fromEntries([...solution].map(([root, value]) => [root, value ?? null]));
  const witness = { message: 'it is taken when the bag holds these at its source', variables };
  return { edge: edge.index, reason: 'needs_variable', witness };
}

/** Tries it from the node itself, with the required variables. */
function isTakenWith(explorer: Explorer, edge: EdgeModel, solution: Solution): boolean {
  const said = explorer.passed.get(edge.source)?.[0];
  if (said === undefined) return false;
  const place = playTurns(explorer, said.from.brought, listTurnsTo(said.from));
  const variables = { ...place?.variables, ...Object.fromEntries(solution) };
  const from = { ...said.from, currentNode: edge.source, variables };
  return explorer.saidAt(from).some((turn) => {
    const outcome = playScripted(explorer.flow, turn, from, explorer.playing);
    return outcome.kind === 'turn' && outcome.taken.includes(edge.index);
  });
}
