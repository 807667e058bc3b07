// A stored definition made ready to run, in slices between which others get their turn: 20,000 conditions take a quarter of a second
// (docs/performance.md#what-one-request-may-take).
import type { patternCache } from '@parley/flow-engine';
import {
  compiling,
  findingRedaction,
  readParsedFlow,
  TurnBudget,
  type AuthoredFlow,
  type CompiledFlow,
  type EdgeModel,
  type Redaction,
} from '@parley/flow-engine';
import { createSlices, type Slices } from '@parley/runtime';

type Exit = NonNullable<CompiledFlow['commands']>['before'][number];

/** Conditions out of one node that a turn may compile when it first tries them: it visits 200 nodes at most. */
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
  const flow = readParsedFlow(definition);
  if (slices.isOver()) await slices.next();
  const compiled = await slices.through(compiling(flow, patterns));
  const redaction = await slices.through(findingRedaction(flow));
  await tryConditions(compiled, slices);
  return { compiled, redaction };
}

/** The engine compiles a condition when it is first tried. Where a turn would try thousands, they are tried before it, over an empty bag. */
async function tryConditions({ model, nodes, commands }: CompiledFlow, slices: Slices): Promise<void> {
  const lists: (readonly Exit[])[] = [commands?.before ?? [], commands?.after ?? []];
  for (const { routes } of nodes.values()) lists.push(routes.deterministic);
  for (const exit of lists.filter(({ length }) => length > LEFT_TO_TURNS).flat()) {
    // A compiled pattern takes a place that other flows share: it is given when the pattern is used.
    if (hasPattern(model.edges[exit.edgeIndex]!)) continue;
    if (slices.isOver()) await slices.next();
    try {
      exit.test({ ...nothing, budget: new TurnBudget() });
    } catch {
      // too costly alone: what a turn is told when it tries the condition
    }
  }
}

function hasPattern({ condition, group }: EdgeModel): boolean {
  const conditions = condition === null ? (group?.members ?? []) : [condition];
  return conditions.some(({ op }) => op === 'matches' || op === 'not_matches');
}

/** A turn in which nothing is known. */
const nothing = {
  ...{ variables: {}, userInput: null, inputStatus: null, attempts: null, language: null, session: null },
  turn: { nowMs: 0 },
};
