// Compiles a stored definition in slices, so other requests run in between: 20,000 conditions take
// 250 ms (docs/performance.md#what-one-request-may-take).
import { findRedactionInPieces, type Redaction } from '@parley/flow-analysis';
import {
  compileFlowInPieces,
  readParsedFlowInPieces,
  type patternCache,
  type AuthoredFlow,
  type CompiledFlow,
} from '@parley/flow-engine';
import { createSlices, type Slices } from '@parley/server/runtime';

/** Conditions of one node that turns compile on first use. A turn visits 200 nodes at most. */
const LEFT_TO_TURNS = 10;

export interface LoadedFlow {
  readonly compiled: CompiledFlow;
  /** Variables that the flow hides; null: none. */
  readonly redaction: Redaction | null;
}

/** @param patterns compiled patterns, which flows share */
export async function loadFlow(
  definition: AuthoredFlow,
  patterns: ReturnType<typeof patternCache>,
): Promise<LoadedFlow> {
  const slices = createSlices();
  await slices.next(); // parsing its JSON took a slice
  const flow = await slices.through(readParsedFlowInPieces(definition));
  const compiled = await slices.through(compileFlowInPieces(flow, patterns));
  const redaction = await slices.through(findRedactionInPieces(flow));
  await compileConditions(compiled, slices);
  return { compiled, redaction };
}

/**
 * The engine compiles conditions on first use. Long lists are compiled here, so that no turn
 * compiles thousands.
 */
async function compileConditions({ nodes, commands }: CompiledFlow, slices: Slices): Promise<void> {
  const lists = [commands?.before ?? [], commands?.after ?? []];
  for (const { routes } of nodes.values()) lists.push(routes.deterministic);
  for (const exit of lists.filter(({ length }) => length > LEFT_TO_TURNS).flat()) {
    if (slices.isOver()) await slices.next();
    void exit.compared;
  }
}
