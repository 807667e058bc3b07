// Rules about the length of one turn: cycles that never wait, and the bound of longest-turn.ts.
import { findExcessiveCosts } from '../graph/costliest-turn.ts';
import { cycles, filtered, wayRound, type Graph } from '../graph/flow-graph.ts';
import { atNode, quoted, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { toWitness, type FlowIndex } from '../flow-index.ts';
import { isWait } from '../node-kinds.ts';

export const silentCycle: Rule = (index) => {
  const live = filtered(index.silent, (from, _to, label) => !index.routing[from]!.dead.has(label));
  const isEndless = (members: readonly number[]) => index.longest.endless.has(members[0]!);
  const forced = cycles(live).filter(
    (members) =>
      isEndless(members) &&
      !members.some((vertex) => isWait(index.nodes[vertex]!)) &&
      !canBeLeft(index, members),
  );
  const isForced = new Set(forced.flat());
  const findings: Finding[] = forced.map((members) => {
    const entered = members.some((vertex) => index.reachable[vertex] === 1);
    const finding = cycleFinding(index, live, members, 'and nothing leads out of it');
    return entered ? finding : { ...finding, severity: 'warning' };
  });
  for (const members of cycles(index.silent))
    if (isEndless(members) && !members.some((vertex) => isForced.has(vertex)))
      findings.push({
        ...cycleFinding(index, index.silent, members, 'and only a condition leads out of it'),
        severity: 'warning',
      });
  return findings;
};

function cycleFinding(index: FlowIndex, graph: Graph, members: readonly number[], how: string): Finding {
  const witness = toWitness(index, wayRound(graph, members));
  const node = index.nodes[members[0]!]!;
  const waits = members.some((vertex) => isWait(index.nodes[vertex]!))
    ? 'does not wait for the caller where its questions are skipped'
    : `never waits for the caller, ${how}`;
  return { ...atNode(node, `The cycle at ${quoted(node.id)} ${waits}`), witness };
}

/**
 * Some edge that can be taken leads out of the vertices, or some node may have no matching edge,
 * which ends the turn.
 */
function canBeLeft({ flow, nodes, vertexById, routing }: FlowIndex, members: readonly number[]): boolean {
  const inside = new Set(members);
  return members.some((vertex) => {
    const { dead, exhaustive } = routing[vertex]!;
    const edges = flow.outgoing.get(nodes[vertex]!.id) ?? [];
    if (!exhaustive && !edges.some(({ kind }) => kind === 'default')) return true;
    return edges.some(({ index, target }) => !dead.has(index) && !inside.has(vertexById.get(target) ?? -1));
  });
}

export const boundExceedsLimit: Rule = (index) => {
  const { steps, path } = index.longest;
  const { stepsMax } = index.options;
  if (steps === null || steps <= stepsMax) return [];
  const node = index.nodes[path[0]!]!;
  const message = `A turn that begins at ${quoted(node.id)} can visit ${steps} nodes; at most ${stepsMax} are allowed`;
  return [{ ...atNode(node, message), witness: toWitness(index, path) }];
};

export const turnMayBeTooCostly: Rule = (index) => {
  const { nodes, longest } = index;
  const stepsMax = Math.min(index.options.stepsMax, longest.steps ?? Infinity);
  return findExcessiveCosts(index, stepsMax).map(({ cost, most, max, first }) => {
    const node = nodes[first]!;
    const counted = `${Math.round(most)} ${cost.replace('_', ' ')}`;
    return atNode(
      node,
      `A turn that begins at ${quoted(node.id)} can take ${counted}; at most ${max} are allowed`,
    );
  });
};
