// Which variables a path may have cleared, and not set again, when it reaches a vertex.
import type { AssignmentEvent } from './assignment-event.ts';
import { reversed, type Graph } from './flow-graph.ts';

/**
 * Backward steps of all searches together, per vertex and arc of the graph: keeps the analysis
 * linear.
 */
const searchStepsPerArcMax = 100;

/** @param barrier a vertex that no path may pass. */
export function findClearedBefore(
  graph: Graph,
  events: readonly (readonly AssignmentEvent[])[],
  ends: readonly number[],
  barrier: number,
): ReadonlySet<number> {
  const found = new Set<number>();
  const units = new Set(events.flatMap((here) => here.flatMap(clearedUnit)));
  if (units.size === 0 || ends.length === 0) return found;
  const { offsets, targets } = reversed(graph);
  let stepsLeft = searchStepsPerArcMax * (graph.size + targets.length);
  for (const unit of units) {
    const seen = new Set(ends);
    // The set grows during the iteration.
    for (const vertex of seen) {
      const last = events[vertex]!.findLast(
        (event) => (event.kind === 'cleared' || event.kind === 'set') && event.unit === unit,
      );
      if (last?.kind === 'cleared') {
        found.add(unit);
        break;
      }
      if (last !== undefined || vertex === barrier) continue;
      stepsLeft -= offsets[vertex + 1]! - offsets[vertex]!;
      if (stepsLeft < 0) return found;
      for (let at = offsets[vertex]!; at < offsets[vertex + 1]!; at++) seen.add(targets[at]!);
    }
  }
  return found;
}

const clearedUnit = (event: AssignmentEvent): number[] => (event.kind === 'cleared' ? [event.unit] : []);
