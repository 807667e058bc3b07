// Long searches: running tests, generating tests, comparing, and finding the path to a node. They
// keep no state, because their worker may be stopped at any time.
import {
  compareBehaviour,
  generateTests,
  groupUnrecognised,
  measureClassifiers,
  countScripts,
  playTest,
  reach,
  type BehaviouralDiff,
  type ConversationTest,
  type GeneratedTest,
  type MeasuredNode,
  type Reach,
  type ReachTarget,
  type RecordedTurn,
  type TestFailure,
  type UncoveredEdge,
  type UnrecognisedNode,
} from '@parley/flow-analysis';
import { compileFlow, parseFlow, readParsedFlow, type CompiledFlow } from '@parley/flow-engine';
import { expanded, type Called } from './called.ts';

/** The definition to search, with its called flows. */
export interface Looked {
  readonly definition: unknown;
  readonly called: Called | null;
}

export interface NamedTest {
  readonly name: string;
  readonly test: ConversationTest;
}

export interface TestResult {
  readonly name: string;
  readonly failures: readonly TestFailure[];
}

export interface Explored {
  readonly results: readonly TestResult[];
  /** Generated tests that cover every reachable edge, shortest first. */
  readonly generated: readonly GeneratedTest[];
  readonly uncovered: readonly UncoveredEdge[];
  /** Number of stored tests by edge index. */
  readonly byStored: ReadonlyMap<number, number>;
  /** Number of the author's own edges. */
  readonly edges: number;
}

/** Null for an invalid definition or one beyond a limit. */
export function explore(
  looked: Looked & { readonly tests: readonly NamedTest[]; readonly nowMs: number },
): Explored | null {
  const flow = compiled(looked);
  if (flow === null) return null;
  const { tests, nowMs } = looked;
  const edges = ownEdges(looked.definition);
  const isOwn = (edge: number) => edge < edges;
  const { tests: generated, uncovered } = generateTests(flow);
  const scripts = tests.map(({ test }) => test);
  return {
    results: tests.map(({ name, test }) => ({ name, failures: playTest(flow, test, nowMs) ?? [] })),
    generated: generated.filter(({ edges: taken }) => taken.some(isOwn)),
    uncovered: uncovered.filter(({ edge }) => isOwn(edge)),
    byStored: new Map([...countScripts(flow, scripts, nowMs).edges].filter(([edge]) => isOwn(edge))),
    edges,
  };
}

/**
 * Compares two definitions with generated conversations and stored tests. Null if one is invalid.
 */
export function compareLooked(
  before: Looked,
  after: Looked,
  tests: readonly NamedTest[],
  nowMs: number,
): BehaviouralDiff | null {
  const [from, to] = [compiled(before), compiled(after)];
  if (from === null || to === null) return null;
  return compareBehaviour(from, to, { scripts: tests, turns: [], recordedOn: () => null, nowMs });
}

/**
 * The shortest conversation to a node or an edge, or why there is none. Null for an invalid
 * definition.
 */
export function reachPlace(looked: Looked, target: ReachTarget): Reach | null {
  const flow = compiled(looked);
  return flow === null ? null : reach(flow, target);
}

/** How well examples tell branches apart. Null for an invalid definition. */
export function measureExamples(looked: Looked): readonly MeasuredNode[] | null {
  const flow = compiled(looked);
  return flow === null ? null : measureClassifiers(flow).nodes;
}

/** Groups what took the default edge of a node. Null for an invalid definition. */
export function groupUtterances(
  looked: Looked,
  turns: readonly RecordedTurn[],
): readonly UnrecognisedNode[] | null {
  const flow = compiled(looked);
  return flow === null ? null : groupUnrecognised(flow, turns);
}

function compiled({ definition, called }: Looked): CompiledFlow | null {
  const parsed = parseFlow(definition);
  if (!parsed.ok) return null;
  const { calls, definition: whole } = expanded(parsed.flow.definition, called);
  return compileFlow(calls.length === 0 ? parsed.flow : readParsedFlow(whole));
}

const ownEdges = (definition: unknown): number => {
  const { edges } = definition as { readonly edges?: readonly unknown[] | null };
  return edges?.length ?? 0;
};
