// A stored definition made ready to run, in slices between which others get their turn: 20,000 conditions take a quarter of a second
// (docs/performance.md#what-one-request-may-take).
import {
  compiling,
  findingRedaction,
  readingParsedFlow,
  type patternCache,
  type AuthoredFlow,
  type CompiledFlow,
  type Redaction,
} from '@parley/flow-engine';
import { createSlices, type Slices } from '@parley/server/runtime';

/** Conditions out of one node that a turn may compile when it first asks for them: it visits 200 nodes at most. */
const LEFT_TO_TURNS = 10;

export interface LoadedFlow {
  readonly compiled: CompiledFlow;
  /** Variables that nobody is told of; null: none. */
  readonly redaction: Redaction | null;
}

/** @param patterns compiled ones, which flows share */
export async function loadFlow(
  definition: AuthoredFlow,
  patterns: ReturnType<typeof patternCache>,
): Promise<LoadedFlow> {
  const slices = createSlices();
  await slices.next(); // to parse its JSON took a slice
  const flow = await slices.through(readingParsedFlow(definition));
  const compiled = await slices.through(compiling(flow, patterns));
  const redaction = await slices.through(findingRedaction(flow));
  await compileConditions(compiled, slices);
  return { compiled, redaction };
}

/** The engine compiles a condition when it is first asked for. Where a turn would try thousands, they are compiled before it. */
async function compileConditions({ nodes, commands }: CompiledFlow, slices: Slices): Promise<void> {
  const lists = [commands?.before ?? [], commands?.after ?? []];
  for (const { routes } of nodes.values()) lists.push(routes.deterministic);
  for (const exit of lists.filter(({ length }) => length > LEFT_TO_TURNS).flat()) {
    if (slices.isOver()) await slices.next();
    void exit.compared;
  }
}
