// Findings by node and edge.
import type { Severity } from '@parley/flow-analysis';
import type { Checked, Finding } from '../../engine/check.ts';
import { edgesOf } from './doc.ts';
import type { AuthoredFlow } from '@parley/flow-engine';

export interface Problems {
  readonly byNode: ReadonlyMap<string, readonly Finding[]>;
  readonly byEdge: ReadonlyMap<number, readonly Finding[]>;
  /** Nodes without a path from the start. */
  readonly unreachable: ReadonlySet<string>;
  /** Edges that are never taken, with the reason. */
  readonly neverTaken: ReadonlyMap<number, string>;
  /** Edges of cycles that never wait for input. */
  readonly silentCycle: ReadonlySet<number>;
  readonly counts: Readonly<Record<Severity, number>>;
}

/** Codes of findings about edges that are never taken. */
const NEVER_TAKEN = ['shadowed_edge', 'contradictory_edge', 'dead_edge_behind_cast', 'multiple_defaults'];
const ORDER: readonly Severity[] = ['error', 'warning', 'info'];

export const none: Problems = {
  byNode: new Map(),
  byEdge: new Map(),
  unreachable: new Set(),
  neverTaken: new Map(),
  silentCycle: new Set(),
  counts: { error: 0, warning: 0, info: 0 },
};

export function problemsOf(flow: AuthoredFlow, { findings }: Checked): Problems {
  const byNode = new Map<string, Finding[]>();
  const byEdge = new Map<number, Finding[]>();
  const counts = { error: 0, warning: 0, info: 0 };
  for (const finding of findings) {
    counts[finding.severity] += 1;
    if (finding.edgeIndex !== null) push(byEdge, finding.edgeIndex, finding);
    else if (finding.nodeId !== null) push(byNode, finding.nodeId, finding);
  }
  const withCode = (code: string) => findings.filter((finding) => finding.code === code);
  return {
    byNode,
    byEdge,
    counts,
    unreachable: new Set(withCode('unreachable_node').flatMap(({ nodeId }) => nodeId ?? [])),
    neverTaken: new Map(
      findings.flatMap(({ code, edgeIndex, message }) =>
        edgeIndex !== null && NEVER_TAKEN.includes(code) ? [[edgeIndex, message] as const] : [],
      ),
    ),
    silentCycle: new Set(
      withCode('silent_cycle').flatMap(({ witness }) => edgesAlong(flow, closed(witness))),
    ),
  };
}

function push<Key>(map: Map<Key, Finding[]>, key: Key, finding: Finding): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [finding]);
  else list.push(finding);
}

/** A cycle ends at its first node. */
const closed = (cycle: readonly string[]): readonly string[] =>
  cycle.length > 0 && cycle.at(-1) !== cycle[0] ? [...cycle, cycle[0]!] : cycle;

/** Indexes of the edges between consecutive nodes of a path. */
export function edgesAlong(flow: AuthoredFlow, path: readonly string[]): number[] {
  const steps = new Set(path.slice(1).map((target, at) => `${path[at]} ${target}`));
  return edgesOf(flow).flatMap(({ source, target }, index) =>
    steps.has(`${source} ${target}`) ? [index] : [],
  );
}

/** The sources and targets of edges. */
export const nodesAlong = (flow: AuthoredFlow, way: readonly number[]): string[] =>
  way.flatMap((index) => {
    const edge = edgesOf(flow)[index];
    return edge === undefined ? [] : [edge.source, edge.target];
  });

export const worst = (findings: readonly Finding[]): Severity | null =>
  ORDER.find((severity) => findings.some((finding) => finding.severity === severity)) ?? null;
